/** Finds fields in a hook's answer that have no effect where they are. */
import { isRecord } from "../lib/is-record.ts";
import { describeMisspeltField } from "./misspelt-answer.ts";
import { permissionEvents } from "./output-events.ts";
import type { HookEvent } from "../protocol/hook.ts";

type Fields = Record<string, unknown>;

/** Describes a field that was meant to decide something but has no effect. `isObserving`: `continue` has no effect on this event. */
export function describeMisplacedField(fields: Fields, event: HookEvent, isObserving: boolean): string | undefined {
  const { continue: goesOn, hookSpecificOutput: specific } = fields;
  if (isGiven(goesOn) && typeof goesOn !== "boolean" && !isObserving)
    return `gave ${JSON.stringify(goesOn)} as "continue", which must be true or false`;
  if (isGiven(specific) && !isRecord(specific)) return "gave a hookSpecificOutput that is not an object";
  const ineffective = permissionEvents.has(event) ? describeIneffective(fields, specific) : undefined;
  if (ineffective !== undefined) return ineffective;
  const context = isRecord(specific) ? specific["additionalContext"] : undefined;
  if (isGiven(context) && typeof context !== "string") return "gave an additionalContext that is not text";
  return isObserving ? undefined : describeMisspeltField(fields, permissionEvents.has(event));
}

/** A decision about a call, or a change of its input, that has no effect: the call would run as it is, without a word. */
function describeIneffective(fields: Fields, specific: unknown): string | undefined {
  // Some hooks give their decision in both places, for programs that read either.
  const { permissionDecision: stray } = fields;
  if (isGiven(stray) && !(isRecord(specific) && specific["permissionDecision"] === stray))
    return "gave a permissionDecision outside of hookSpecificOutput; it only counts inside";
  const refusal = ineffectiveRefusal(fields, specific);
  if (refusal !== undefined)
    return `gave ${refusal}, which refuses nothing; use {"decision": "block", "reason": "…"} or exit code 2`;
  const name = strayInputName(fields);
  return name === undefined
    ? undefined
    : `gave "${name}" outside of hookSpecificOutput, which changes nothing; a new input is "updatedInput" inside`;
}

/** Some hooks print all or some of their own input, and mean nothing by it. */
const echoedFields = ["session_id", "hook_event_name", "tool_name", "tool_use_id", "tool", "cwd"];

/** The name of a new input for a call that is not refused, in a place where it has no effect. */
export function strayInputName(fields: Fields): string | undefined {
  const { hookSpecificOutput: specific, decision, continue: goesOn } = fields;
  const { updatedInput, permissionDecision } = isRecord(specific) ? specific : {};
  if (isRecord(updatedInput) || decision === "block" || permissionDecision === "deny" || goesOn === false)
    return undefined;
  if (isRecord(fields["updatedInput"])) return "updatedInput";
  const isEcho = echoedFields.some((name) => isGiven(fields[name]));
  return isRecord(fields["tool_input"]) && !isEcho ? "tool_input" : undefined;
}

const refusingValues = {
  block: true,
  blocked: true,
  deny: true,
  approve: false,
  approved: false,
  allow: false,
  allowed: false,
};
const decisionFieldNames = ["action", "result", "permission", "decision"];

/** Returns a refusal in words that have no effect, if there is no other decision: as in scripts written for other programs. */
function ineffectiveRefusal(fields: Fields, specific: unknown): string | undefined {
  const inner = isRecord(specific) ? specific : {};
  if (isGiven(fields["decision"]) || isGiven(inner["permissionDecision"]) || fields["continue"] === false)
    return undefined;
  const refusal = [...Object.entries(fields), ...Object.entries(inner)].find(
    ([name, value]) =>
      (Object.hasOwn(refusingValues, name) && refusingValues[name as keyof typeof refusingValues] === value) ||
      (decisionFieldNames.includes(name) && /^(?:block|deny)$/u.test(String(value))),
  );
  return refusal === undefined ? undefined : `${JSON.stringify(refusal[0])}: ${JSON.stringify(refusal[1])}`;
}

/** Fields that count only inside `hookSpecificOutput`. */
const nestedOnlyFields = [
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

/** Names misplaced fields that decide nothing, for debugging. */
export function describeOutsideFields({ hookSpecificOutput: specific, ...top }: Fields): string | undefined {
  const within = isRecord(specific) ? specific : {};
  const found = nestedOnlyFields.filter((field) => isGiven(top[field]) && !isGiven(within[field]));
  return found.length === 0
    ? undefined
    : `outside of hookSpecificOutput these fields have no effect: ${found.join(", ")}`;
}

/** Some languages write null for a field that is not set. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
