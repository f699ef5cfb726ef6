/** Which tools a rule is about, by their names. */
import { matchesCommand } from "./command-pattern.ts";

/** The answer that a caller asked for goes by it: who denies all tools denies what acts, and still wants that. */
const answering = "StructuredOutput";

/** `mcp__server` is all its tools; a star stands for anything. Rules that guard do not mind the case. */
export function matchesTool(pattern: string, name: string, guards: boolean): boolean {
  const [rule, tool] = guards ? [pattern.toLowerCase(), name.toLowerCase()] : [pattern, name];
  if (rule === tool) return true;
  if (/^mcp__[^*]+$/u.test(rule) && !rule.slice("mcp__".length).includes("__")) return tool.startsWith(`${rule}__`);
  return (
    rule.includes("*") && name !== answering && matchesCommand({ pieces: rule.split("*"), endsAtWord: false }, tool)
  );
}
