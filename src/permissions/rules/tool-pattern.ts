/** Matches rules to tools by their names. */
import { matchesCommand } from "./command-pattern.ts";

/** The tool that returns a caller's structured answer. A rule that denies all tools means those that act; the answer is still wanted. */
const structuredOutputTool = "StructuredOutput";

/** `mcp__server` means all tools of that server; a star matches anything. Guarding rules ignore case. */
export function matchesTool(pattern: string, name: string, guards: boolean): boolean {
  const [rule, tool] = guards ? [pattern.toLowerCase(), name.toLowerCase()] : [pattern, name];
  if (rule === tool) return true;
  if (/^mcp__[^*]+$/u.test(rule) && !rule.slice("mcp__".length).includes("__")) return tool.startsWith(`${rule}__`);
  return (
    rule.includes("*") &&
    name !== structuredOutputTool &&
    matchesCommand({ pieces: rule.split("*"), endsAtWord: false }, tool)
  );
}
