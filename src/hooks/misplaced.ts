/** What a hook's answer says where it does not count. */
import { isRecord } from "../lib/is-record.ts";
import type { HookEvent } from "../protocol/hook.ts";

type Fields = Record<string, unknown>;

/** What was meant to decide something, and says nothing as it stands. `isObserving`: its `continue` means nothing. */
export function misplaced(fields: Fields, event: HookEvent, isObserving: boolean): string | undefined {
  const { continue: goesOn, hookSpecificOutput: specific, permissionDecision } = fields;
  if (isGiven(goesOn) && typeof goesOn !== "boolean" && !isObserving)
    return `gave ${JSON.stringify(goesOn)} as "continue", which is true or false`;
  if (isGiven(specific) && !isRecord(specific)) return "gave a hookSpecificOutput that is no object";
  if (isGiven(permissionDecision) && event === "PreToolUse")
    return "gave a permissionDecision outside of hookSpecificOutput, where it counts";
  const context = isRecord(specific) ? specific["additionalContext"] : undefined;
  return isGiven(context) && typeof context !== "string" ? "gave an additionalContext that is no text" : undefined;
}

/** Fields that count within `hookSpecificOutput` alone. */
const inner = [
  "additionalContext",
  "permissionDecision",
  "permissionDecisionReason",
  "updatedInput",
  "updatedToolOutput",
  "updatedMCPToolOutput",
  "sessionTitle",
  "initialUserMessage",
  "watchPaths",
  "displayContent",
];

/** Of what only tells something: for whoever looks into why nothing came of it. */
export function outside({ hookSpecificOutput: specific, ...top }: Fields): string | undefined {
  const within = isRecord(specific) ? specific : {};
  const found = inner.filter((field) => isGiven(top[field]) && !isGiven(within[field]));
  return found.length === 0 ? undefined : `outside of hookSpecificOutput these say nothing: ${found.join(", ")}`;
}

/** Languages write null where nobody has set a field. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
