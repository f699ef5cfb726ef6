/** Commands that the user's settings keep out of the sandbox. */
import { parseCommandPattern, type CommandPattern } from "../rules/command-pattern.ts";
import { coversWords } from "../rules/command-rules.ts";
import { parseShell } from "../shell/parse.ts";
import { isHarmlessAssignment } from "../shell/safe-variables.ts";

/** Parses patterns such as `docker *` or `Bash(docker *)`. A pattern that cannot be read excludes nothing. */
export function excludedPatterns(written: readonly string[]): CommandPattern[] {
  const bare = written.map((pattern) => /^Bash\((.*)\)$/su.exec(pattern.trim())?.[1] ?? pattern);
  return bare.map(parseCommandPattern).filter((pattern) => pattern !== null);
}

/** Whether every command of the line is excluded: a single other command keeps all of it confined. */
export function isExcluded(command: string, patterns: readonly CommandPattern[]): boolean {
  if (patterns.length === 0) return false;
  const { problem, steps } = parseShell(command);
  if (problem !== undefined || steps.length === 0) return false;
  return steps.every(
    ({ words, assignments }) =>
      assignments.every(isHarmlessAssignment) &&
      words.every(({ kind }) => kind !== "unknown") &&
      patterns.some((pattern) => coversWords(pattern, words)),
  );
}
