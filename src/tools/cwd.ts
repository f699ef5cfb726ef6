/** The shell's working directory. It persists between commands, but only within the folders the session may work in. */
import { resolve } from "node:path";

export interface Cwd {
  /** Absolute. */
  get(): string;
  set(directory: string): void;
  /** The folders the session works in, absolute. A reset goes to the first. The function is replaced when a folder is added. */
  roots: () => readonly string[];
  /** False in a subagent: each command starts in the session's folder. */
  readonly carriesOver: boolean;
  /** False once commands have left the folder the model was told about: relative paths from the model then resolve to a different place. */
  isStart(): boolean;
  /** Called on each change. */
  onChange?: (from: string, to: string) => void;
}

/** The line that tells the model where the next command starts. Further notes about the call may follow it, in brackets. */
export function cwdResetLine(folder: string): string {
  return `Shell cwd was reset to ${folder}`;
}

/** Whether a command goes to another folder than `folder`; undefined if it changes no folder. Guessed from the command's text. */
export function leavesFolder(command: string, folder: string): boolean | undefined {
  const last = [...command.matchAll(/(?:^|[\s;&|])(?:cd|pushd|popd)(?:\s+["']?([^\s;&|"']+)|$)/gu)].at(-1);
  if (last === undefined || last[1] === ".") return undefined;
  return last[1] === undefined || resolve("/", last[1]) !== folder;
}

/** The folder that the reset line at the end of a command's result names (notes in brackets may follow it); undefined without that line. */
export function resetFolderIn(result: string): string | undefined {
  return /(?:^|\n)Shell cwd was reset to ([^\n]+)(?:\n\[[^\n]*\])*$/u.exec(result)?.[1];
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
