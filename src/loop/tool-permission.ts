/** Permission for one call: asks, with a recorded limit and name, and applies the answer to the call. */
import { errorText } from "../lib/error-text.ts";
import { isRecord } from "../lib/is-record.ts";
import type { HookAnswer } from "../protocol/hook.ts";
import type { JudgedPath, PermissionDecision, PermissionRequest } from "../protocol/permission.ts";
import type { Tool, ToolContext, ToolInput } from "../protocol/tool.ts";
import type { Steps } from "../lib/steps.ts";
import { runBounded, type Bounded, type Unanswered } from "./bounded.ts";
import * as texts from "./texts.ts";
import { checkInput, refusedOutcome, type CallOutcome, type CallRequest, type CallScope } from "./tool-scope.ts";

interface Ask {
  request: CallRequest;
  scope: CallScope;
  tool: Tool;
  context: ToolContext;
  /** The input after hooks changed it. */
  input: ToolInput;
  answer: HookAnswer | null;
}

interface PermissionOutcome {
  input: ToolInput;
  /** The outcome of a refused call; null if the call is allowed. */
  outcome: CallOutcome | null;
  judged?: readonly JudgedPath[] | undefined;
}

/** Asks for permission. Returns the input to run with and where its paths led, or the outcome of a refusal. */
export function* askPermission(ask: Ask): Steps<never, PermissionOutcome> {
  const { scope, tool, input, context } = ask;
  const { run } = scope;
  const key = `${ask.request.key}.permission`;
  const question = permissionRequest(ask, key);
  // PermissionRequest hooks run before a person is asked.
  const limitMs = run.limits.permissionMs + (run.ports.hooks.limitMs?.("PermissionRequest") ?? 0);
  const wait = { key, on: "permission" as const, name: tool.name, limitMs, cancel: scope.cancel, announce: scope.emit };
  const decision = checkedDecision(
    yield* runBounded(run, wait, (signal) => run.ports.permission.decide(question, signal)),
  );
  if (!decision.ok) return { input, outcome: denyCall(ask, unansweredMessage(tool, decision), "unanswered") };
  if (decision.value.behavior === "deny") {
    const outcome = denyCall(ask, decision.value.message, decision.value.reason.type);
    const { interrupt, stops } = decision.value;
    if (interrupt === true) run.cancel.cancel("user");
    if (stops === undefined) return { input, outcome };
    return { input, outcome: { ...outcome, prevent: { event: "PermissionRequest", message: stops } } };
  }
  const { updatedInput: updated, judged } = decision.value;
  if (updated === undefined) return { input, outcome: null, judged };
  const invalid = yield* checkInput(scope, tool, updated, context);
  const outcome =
    invalid === null
      ? null
      : refusedOutcome(`The answer to the permission question changed the input, and: ${invalid}`);
  return { input: updated, outcome, judged };
}

/** A port written in JavaScript may return anything. A value that is not a decision permits nothing. */
function checkedDecision(decision: Bounded<PermissionDecision>): Bounded<PermissionDecision> {
  if (!decision.ok) return decision;
  const { behavior }: { behavior?: unknown } = isRecord(decision.value) ? decision.value : {};
  if (behavior === "allow" || behavior === "deny") return decision;
  return { ok: false, why: "threw", error: new Error("it answered neither allow nor deny") };
}

function permissionRequest({ request, tool, input, answer, context }: Ask, key: string): PermissionRequest {
  const hook = answer?.permission;
  return {
    toolName: tool.name,
    toolUseId: request.block.id,
    input,
    isReadOnly: tool.isReadOnly(input),
    subjects: tool.permissionSubjects?.(input, context.cwd) ?? [{ kind: "tool" }],
    cwd: context.cwd,
    key,
    ...(hook?.behavior === "allow" || hook?.behavior === "ask"
      ? { hookDecision: { ...hook, behavior: hook.behavior } }
      : {}),
  };
}

function unansweredMessage(tool: Tool, decision: Unanswered): string {
  const threw = decision.why === "threw" ? `the permission check failed (${errorText(decision.error)})` : null;
  const why = threw ?? (decision.why === "timeout" ? "nobody answered in time" : "the run was cancelled");
  return texts.notPermitted(tool.name, why);
}

/** Makes the outcome of a denied call, and reports the denial to the consumer. */
export function denyCall(
  { request, scope, tool, input }: Pick<Ask, "request" | "scope" | "tool" | "input">,
  message: string,
  reasonType: string,
): CallOutcome {
  const { id } = request.block;
  scope.emit({ type: "permission_denied", toolName: tool.name, toolUseId: id, input, message, reasonType });
  return refusedOutcome(message);
}
