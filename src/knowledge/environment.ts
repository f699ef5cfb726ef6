/** Facts about the machine, a few lines for the system prompt. No date: it would change the cached prefix every day. */

export interface EnvironmentFacts {
  cwd: string;
  additionalDirectories: readonly string[];
  platform: string;
  release: string;
  isGitRepository: boolean;
}

export function environmentText({
  cwd,
  additionalDirectories,
  platform,
  release,
  isGitRepository,
}: EnvironmentFacts): string {
  const lines = [folderLine(cwd, isGitRepository)];
  if (additionalDirectories.length > 0)
    lines.push(`Also yours to work in: ${additionalDirectories.map(oneLine).join(", ")}`);
  lines.push(`Platform: ${platform} ${release}`);
  return lines.join("\n");
}

function folderLine(cwd: string, isGitRepository: boolean): string {
  return `Folder: ${oneLine(cwd)}${isGitRepository ? " (git repository)" : ""}`;
}

/** Whether a line of a prompt states that this is the folder. */
export function isFolderLine(line: string, cwd: string): boolean {
  return line === folderLine(cwd, true) || line === folderLine(cwd, false);
}

/** A folder's name must not be able to forge another line of the prompt. */
function oneLine(path: string): string {
  return /[^ -~\u00a0-\u2027\u202a-\u{10ffff}]/u.test(path) ? JSON.stringify(path) : path;
}
