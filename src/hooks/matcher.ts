/** Which hooks an event reaches: names and lists are compared, anything else is a JavaScript expression, unanchored. */
import type { HookInput } from "../protocol/hook.ts";

const plain = /^[A-Za-z0-9_\- ,|]*$/;
/** Longer ones are no names anybody wrote, and give a backtracking expression room to run wild. */
const maxExpression = 512;
const maxSubject = 256;

/** The value a matcher is held against; undefined where the event has none, and every matcher is ignored. */
function subjectOf(input: HookInput): string | undefined {
  switch (input.hook_event_name) {
    case "PreToolUse":
    case "PostToolUse":
    case "PostToolUseFailure":
      return input.tool_name ?? "";
    case "SessionStart":
      return input.source ?? "";
    case "SessionEnd":
      return input.reason ?? "";
    case "PreCompact":
    case "PostCompact":
      return input.trigger ?? "";
    case "StopFailure":
      return input.error ?? "";
    case "UserPromptSubmit":
    case "Stop":
    case "SubagentStop":
      return undefined;
    default:
      return input.hook_event_name satisfies never;
  }
}

export function matchesHook(matcher: string | undefined, input: HookInput): boolean {
  const subject = subjectOf(input);
  if (subject === undefined || matcher === undefined || matcher === "" || matcher === "*") return true;
  if (plain.test(matcher)) {
    return matcher.split(/[|,]/).some((name) => name.trim() === subject);
  }
  return expression(matcher)?.test(subject.slice(0, maxSubject)) ?? false;
}

/** Why a matcher can match nothing; undefined for a good one. */
export function matcherProblem(matcher: string | undefined): string | undefined {
  if (matcher === undefined || plain.test(matcher) || matcher === "*") return undefined;
  if (matcher.length > maxExpression) return `it is longer than ${maxExpression} characters.`;
  if (nestedRepeat.test(matcher)) return "it repeats a repetition, which can take for ever.";
  return expression(matcher) === undefined ? "it is not a valid regular expression." : undefined;
}

/** `(a+)+` and its like: exponential in the length of the subject. */
const nestedRepeat = /\((?:[^()\\]|\\.)*[+*}](?:[^()\\]|\\.)*\)[+*{]/;

function expression(matcher: string): RegExp | undefined {
  if (matcher.length > maxExpression || nestedRepeat.test(matcher)) return undefined;
  try {
    return new RegExp(matcher);
  } catch {
    return undefined;
  }
}
