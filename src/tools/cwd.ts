/** The shell's working directory, which outlives a command but not the folders the session may work in. */

export interface Cwd {
  /** Absolute. */
  get(): string;
  set(directory: string): void;
  /** Folders the session works in, absolute; the first is where a reset goes. Another one where a folder is added. */
  roots: () => readonly string[];
  /** False in a subagent: each command starts where the session does. */
  readonly carriesOver: boolean;
  /** False where commands have left the folder that the model was told of: what it names from there lies elsewhere. */
  isStart(): boolean;
  /** Told of each change. */
  onChange?: (from: string, to: string) => void;
}

/** The line that tells the model where commands begin again: what is said of the call besides may follow it, in brackets. */
export function resetLine(folder: string): string {
  return `Shell cwd was reset to ${folder}`;
}

/** Whether what a command gave ends with it. */
export function endsInReset(result: string): boolean {
  return /(?:^|\n)Shell cwd was reset to [^\n]+(?:\n\[[^\n]*\])*$/u.test(result);
}

export function createCwd(start: string, roots: () => readonly string[] = () => [start], carriesOver = true): Cwd {
  let current = start;
  const cwd: Cwd = {
    get: () => current,
    set: (directory) => {
      const before = current;
      current = directory;
      if (before !== directory) cwd.onChange?.(before, directory);
    },
    roots,
    carriesOver,
    isStart: () => current === roots()[0],
  };
  return cwd;
}
