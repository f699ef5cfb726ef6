/** Commands that the user's settings keep out of the sandbox: what they name, and nothing beside it. */
import { parseCommandPattern, type CommandPattern } from "../rules/command-pattern.ts";
import { coversWords } from "../rules/command-rules.ts";
import { plainStep } from "../judging/judge-command.ts";
import { parseShell } from "../shell/parse.ts";

/** `docker *`, `Bash(docker *)`; what cannot be read excludes nothing. */
export function excludedPatterns(written: readonly string[]): CommandPattern[] {
  const bare = written.map((pattern) => /^Bash\((.*)\)$/su.exec(pattern.trim())?.[1] ?? pattern);
  return bare.map(parseCommandPattern).filter((pattern) => pattern !== null);
}

/** Every command of it is named: one beside it that is not keeps all of it inside. */
export function isExcluded(command: string, patterns: readonly CommandPattern[]): boolean {
  if (patterns.length === 0) return false;
  const { problem, steps } = parseShell(command);
  if (problem !== undefined || steps.length === 0) return false;
  return steps.every((step) => {
    const plain = plainStep(step);
    return plain !== undefined && patterns.some((pattern) => coversWords(pattern, plain));
  });
}
