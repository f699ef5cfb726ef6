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
  const refusing = event === "PreToolUse" ? refusalOf(fields, specific) : undefined;
  if (refusing !== undefined)
    return `gave ${refusing}, which refuses nothing; what does is {"decision": "block", "reason": "…"}, or exit code 2`;
  const context = isRecord(specific) ? specific["additionalContext"] : undefined;
  return isGiven(context) && typeof context !== "string" ? "gave an additionalContext that is no text" : undefined;
}

const refused = {
  block: true,
  blocked: true,
  deny: true,
  approve: false,
  approved: false,
  allow: false,
  allowed: false,
};
const answers = ["action", "result", "permission", "decision"];

/** What says no in other words than those that count, and in no other: as scripts have it that other programs were meant to ask. */
function refusalOf(fields: Fields, specific: unknown): string | undefined {
  const inner = isRecord(specific) ? specific : {};
  if (isGiven(fields["decision"]) || isGiven(inner["permissionDecision"]) || fields["continue"] === false)
    return undefined;
  const said = [...Object.entries(fields), ...Object.entries(inner)].find(
    ([name, value]) =>
      (Object.hasOwn(refused, name) && refused[name as keyof typeof refused] === value) ||
      (answers.includes(name) && /^(?:block|deny)$/u.test(String(value))),
  );
  return said === undefined ? undefined : `${JSON.stringify(said[0])}: ${JSON.stringify(said[1])}`;
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
