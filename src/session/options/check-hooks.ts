/** Checks of hooks that are callbacks: a wrong one would fail in the middle of a turn, or never be asked. */
import { isRecord } from "../../lib/is-record.ts";
import { UsageError } from "../../lib/usage-error.ts";
import { withoutUndefined } from "../../lib/without-undefined.ts";
import { describeMatcherProblem } from "../../hooks/matcher.ts";
import { hookEvents, type HookEvent } from "../../protocol/hook.ts";
import { refuseIf } from "./check-arguments.ts";

/** Throws `UsageError` for a list of matchers with a mistake, and for an event that does not exist. */
export function checkHooks(hooks: object): void {
  for (const [event, list] of Object.entries(hooks)) {
    checkMatchers(event as HookEvent, list);
    refuseIf(
      !(hookEvents as readonly string[]).includes(event),
      `There is no hook event ${event}; the events are ${hookEvents.join(", ")}.`,
    );
  }
}

/** Refuses unknown fields of a matcher. They would do nothing, and a misspelt `matcher` would run the hook for every call. */
export function checkMatcher(name: string, matcher: object, of: "callback" | "hooks"): void {
  const fields = ["matcher", of, of === "callback" ? "timeoutMs" : "timeout", "onFailure"];
  const strange = Object.keys(withoutUndefined({ ...matcher })).find((field) => !fields.includes(field));
  refuseIf(strange !== undefined, `${name}: a matcher has no field "${strange}"; its fields are ${fields.join(", ")}.`);
}

/** A guard hook that cannot be run would let everything pass. */
function checkMatchers(event: HookEvent, list: unknown): void {
  const name = `hooks.${event}`;
  if (list === undefined) return;
  if (!Array.isArray(list)) throw new UsageError(`${name} must be a list.`);
  for (const entry of list as unknown[]) {
    if (!isRecord(entry) || typeof entry["callback"] !== "function")
      throw new UsageError(`${name} must be a list of { matcher, callback } or { matcher, hooks }, with functions.`);
    checkMatcher(name, entry, "callback");
    const { matcher, timeoutMs, onFailure } = entry;
    refuseIf(
      !isOptionalText(matcher),
      `${name}: "matcher" must be a string; without a matcher, the hook is always asked.`,
    );
    refuseIf(
      timeoutMs !== undefined && !(Number(timeoutMs) >= 0),
      `${name}: "timeoutMs" must be a number of milliseconds, "timeout" a number of seconds.`,
    );
    refuseIf(
      ![undefined, "continue", "block"].includes(onFailure as string),
      `${name}: "onFailure" must be continue or block.`,
    );
    if (onFailure === "block") checkGuardMatcher(name, matcher as string | undefined, event);
  }
}

/** As in settings: a matcher that can never match is refused instead of passing for a guard. */
function checkGuardMatcher(name: string, matcher: string | undefined, event: HookEvent): void {
  const slip = describeMatcherProblem(matcher, event);
  const remedy = `With onFailure "block", the matcher must be right: correct it.`;
  refuseIf(slip !== undefined, `${name}: the matcher ${JSON.stringify(matcher)} ${slip} ${remedy}`);
}

function isOptionalText(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}
