/** One call, from its block to its result: validate, run hooks, ask permission, run the tool, run hooks. Never throws. */
import { contentText } from "../protocol/block-text.ts";
import { noHookAnswer, type HookAnswer, type HookEvent, type HookInput } from "../protocol/hook.ts";
import type { Tool, ToolContext, ToolInput, ToolResult } from "../protocol/tool.ts";
import type { TurnEndPort } from "../protocol/turn-end.ts";
import { findRoundedInteger } from "../lib/rounded-integer.ts";
import { waitFor, type Steps } from "../lib/steps.ts";
import { ignoreRejection } from "../lib/fire-and-forget.ts";
import { runBounded, hookLimitMs } from "./bounded.ts";
import { warning } from "./drafts.ts";
import { mint } from "./run.ts";
import { replacedOutputContent } from "./replaced-output.ts";
import { askPermission, denyCall } from "./tool-permission.ts";
import { callTool } from "./tool-run.ts";
import {
  checkInput,
  haltedOutcome,
  refusedOutcome,
  type CallOutcome,
  type CallRequest,
  type CallScope,
} from "./tool-scope.ts";
import type { CallCancel } from "./cancel.ts";
import * as texts from "./texts.ts";

const deferredOutcome: CallOutcome = {
  content: texts.deferredCall,
  isError: true,
  followUp: [],
  contexts: [],
  prevent: { event: "PreToolUse", message: texts.deferredCall, isDeferral: true },
  toolFailed: false,
};

class CallContext implements ToolContext {
  readonly sessionId: string;
  readonly key: string;
  readonly toolUseId: string;
  readonly cwd: string;
  hookAsks?: true;
  /** Set once the call is allowed. */
  judged: ToolContext["judged"];
  readonly #cancel: CallCancel;
  readonly #turnEnd: TurnEndPort;

  constructor(request: CallRequest, { run, cancel }: CallScope) {
    this.sessionId = run.config.sessionId;
    this.key = request.key;
    this.toolUseId = request.block.id;
    this.cwd = request.cwd = run.ports.tools.cwd();
    this.#cancel = cancel;
    this.#turnEnd = run.ports.turnEnd;
  }

  /** Created on demand: few tools use it, and it is expensive to create. */
  get signal(): AbortSignal {
    return this.#cancel.signal;
  }

  /** Created on demand: few tools use it. */
  get registerTurnEnd(): ToolContext["registerTurnEnd"] {
    return (name, dispose) => ignoreRejection(this.#turnEnd.register(name, dispose));
  }
}

const microtask = Promise.resolve();

export function* runToolCall(request: CallRequest, scope: CallScope): Steps<never, CallOutcome> {
  const { run } = scope;
  const { block } = request;
  // Lets the message with the call be yielded first, before anything its hooks report.
  yield* waitFor(microtask);
  const tool = run.ports.tools.find(block.name);
  if (request.invalidInput !== undefined) return reportRefusal(tool, invalidJsonOutcome(request.invalidInput), scope);
  if (tool === undefined) return refusedOutcome(texts.noSuchTool(block.name, run.ports.tools.insteadOf?.(block.name)));
  const context = new CallContext(request, scope);
  const invalid = yield* checkInput(scope, tool, block.input, context);
  if (invalid !== null) return haltedOutcome(scope) ?? reportRefusal(tool, refusedOutcome(invalid), scope);
  const before = yield* runBeforeHooks(request, scope, tool, context);
  if (before.outcome !== null) return withContexts(reportRefusal(tool, before.outcome, scope), before.answer);
  if (before.answer?.permission?.behavior === "defer") {
    if (yield* mayDefer(scope)) return haltedOutcome(scope) ?? deferredOutcome;
    before.answer = { ...before.answer, permission: before.answer.permission.otherwise };
  }
  const outcome = yield* askAndCall(request, scope, tool, context, before);
  return withContexts(outcome, before.answer);
}

function* askAndCall(
  request: CallRequest,
  scope: CallScope,
  tool: Tool,
  context: CallContext,
  { input, answer }: BeforeHooksResult,
): Steps<never, CallOutcome> {
  const { run } = scope;
  const beforeAsking = haltedOutcome(scope);
  if (beforeAsking !== null) return beforeAsking;
  const allowed = yield* askPermission({ request, scope, tool, context, input, answer });
  if (allowed.outcome !== null) return reportRefusal(tool, allowed.outcome, scope);
  const beforeCall = haltedOutcome(scope);
  if (beforeCall !== null) return beforeCall;
  context.judged = allowed.judged;
  scope.onStart();
  const { cancel, onProgress } = scope;
  const from = run.ports.clock.elapsed();
  const result = yield* callTool({ run, tool, input: allowed.input, context, onProgress, cancel });
  const call = { tool, input: allowed.input, context, ms: Math.round(run.ports.clock.elapsed() - from) };
  const outcome = yield* runAfterHooks(request, scope, call, result);
  return withIgnoredFieldsNote(outcome, tool, request, scope);
}

/**
 * Tells the model which fields its tool ignored. Otherwise a field it knows from elsewhere (another folder to run in, which files to
 * search) would seem to have worked.
 */
function withIgnoredFieldsNote(
  outcome: CallOutcome,
  { name, inputSchema }: Tool,
  { block }: CallRequest,
  { run }: CallScope,
) {
  const fields = run.ports.tools.passedOver?.(inputSchema, block.input) ?? [];
  if (fields.length === 0) return outcome;
  const { content } = outcome;
  const note = texts.fieldsIgnored(name, fields);
  if (typeof content === "string") return { ...outcome, content: `${content}\n${note}` };
  return { ...outcome, content: [...content, { type: "text" as const, text: note }] };
}

function invalidJsonOutcome(text: string): CallOutcome {
  const rounded = findRoundedInteger(text);
  const reason = rounded === undefined ? {} : { reason: texts.numberTooLong(rounded) };
  return { ...refusedOutcome(""), content: JSON.stringify({ INVALID_JSON: text, ...reason }) };
}

/** Tells the tool about a refused call, for tools that count attempts. A cancelled call does not count as one. */
function reportRefusal(tool: Tool | undefined, outcome: CallOutcome, { run, cancel }: CallScope): CallOutcome {
  if (tool?.onRefused === undefined || run.cancel.cause !== null || cancel.cause !== null) return outcome;
  const why = contentText(outcome.content).replaceAll(/<\/?tool_use_error>/gu, "");
  return tool.onRefused(why) ? { ...outcome, endsTurn: true } : outcome;
}

/** A call may be deferred only if it is alone in its message: the results of the others could not wait for it. */
function* mayDefer(scope: CallScope): Steps<never, boolean> {
  if (yield* waitFor(scope.isAlone())) return true;
  yield* scope.recordNotice(mint(scope.run, warning("hook", texts.deferralIgnored)));
  return false;
}

/** Returns the input as hooks and clients see it: a copy, made only if the tool adds a field. */
function observableInput(tool: Tool, input: ToolInput, context: ToolContext): ToolInput {
  return tool.observableInput?.(input, context.cwd) ?? input;
}

/** Whether any hook would run, so that its input is built only then. */
function hasHooks({ run }: CallScope, event: HookEvent): boolean {
  return run.fault === null && ignoreRejection(run.ports.hooks.has(event));
}

function* runHooks(request: CallRequest, scope: CallScope, input: HookInput): Steps<never, HookAnswer | null> {
  const { run } = scope;
  const wait = {
    key: `${request.key}.${input.hook_event_name}`,
    on: "hook" as const,
    name: input.hook_event_name,
    limitMs: hookLimitMs(run, input.hook_event_name),
    cancel: scope.cancel,
    announce: scope.emit,
  };
  const answer = yield* runBounded(run, wait, (signal) => run.ports.hooks.run(input, signal));
  if (answer.ok) {
    for (const notice of answer.value.notices) yield* scope.recordNotice(notice);
    return answer.value;
  }
  // Another call of the message may end this one; a hook's `continue: false` still ends the run then.
  if (answer.why === "cancelled") {
    const prevention = run.cancel.cause === null ? answer.lateResult?.preventContinuation : undefined;
    return prevention === undefined ? null : { ...noHookAnswer, preventContinuation: prevention };
  }
  const text = `${input.hook_event_name} hooks ${answer.why === "timeout" ? "did not answer in time" : "failed"}; the call went on without them.`;
  yield* scope.recordNotice(mint(run, warning("hook_failed", text)));
  return null;
}

interface BeforeHooksResult {
  input: ToolInput;
  answer: HookAnswer | null;
  outcome: CallOutcome | null;
}

function* runBeforeHooks(
  request: CallRequest,
  scope: CallScope,
  tool: Tool,
  context: ToolContext,
): Steps<never, BeforeHooksResult> {
  const input = request.block.input;
  if (!hasHooks(scope, "PreToolUse")) return { input, answer: null, outcome: null };
  const answer = yield* runHooks(request, scope, {
    hook_event_name: "PreToolUse",
    tool_name: tool.name,
    tool_input: observableInput(tool, input, context),
    tool_use_id: request.block.id,
  });
  if (answer === null) return { input, answer, outcome: null };
  const end = refusedByHook(answer, { request, scope, tool, input });
  if (end !== null) return { input, answer, outcome: { ...end, ...preventedBy("PreToolUse", answer) } };
  const { updatedInput, permission } = answer;
  if (permission?.behavior === "ask") context.hookAsks = true;
  else if (updatedInput === undefined) return { input, answer, outcome: null };
  const newInput = updatedInput ?? input;
  const invalid = yield* checkInput(scope, tool, newInput, context);
  const changed = updatedInput === undefined ? "" : "A PreToolUse hook changed the input, and: ";
  const outcome = invalid === null ? null : refusedOutcome(`${changed}${invalid}`);
  return { input: newInput, answer, outcome };
}

/** The text tells the model that a hook refused the call: the hook's reason alone would look like output of the tool. */
function refusedByHook(answer: HookAnswer, ask: Parameters<typeof denyCall>[0]): CallOutcome | null {
  const { permission, blocking, preventContinuation } = answer;
  const isDenied = permission?.behavior === "deny";
  const why = isDenied ? permission.reason : blocking[0];
  if (why !== undefined)
    return { ...denyCall(ask, why, "hook"), content: refusedOutcome(texts.hookRefused(why)).content };
  if (isDenied) return denyCall(ask, texts.hookDenied, "hook");
  return preventContinuation === undefined ? null : refusedOutcome(preventContinuation);
}

/** Adds the context from PreToolUse hooks. */
function withContexts(outcome: CallOutcome, answer: HookAnswer | null): CallOutcome {
  if (answer === null || answer.additionalContext.length === 0) return outcome;
  const contexts = answer.additionalContext.map((text) => ({ event: "PreToolUse", text }));
  return { ...outcome, contexts: [...contexts, ...outcome.contexts] };
}

function preventedBy(event: string, { preventContinuation: message }: HookAnswer): Pick<CallOutcome, "prevent"> {
  return message === undefined ? {} : { prevent: { event, message } };
}

interface FinishedCall {
  tool: Tool;
  input: ToolInput;
  context: ToolContext;
  /** How long the tool ran, ms. */
  ms: number;
}

function* runAfterHooks(
  request: CallRequest,
  scope: CallScope,
  { tool, input, context, ms }: FinishedCall,
  result: ToolResult,
): Steps<never, CallOutcome> {
  const isError = result.isError === true;
  const event = isError ? "PostToolUseFailure" : "PostToolUse";
  const outcome: CallOutcome = {
    content: result.content,
    isError,
    output: result.output,
    followUp: result.followUp ?? [],
    ...(result.endsTurn === true ? { endsTurn: true as const } : {}),
    ...(result.stoppedBy === undefined ? {} : { prevent: result.stoppedBy }),
    contexts: [],
    toolFailed: isError,
  };
  if (scope.run.cancel.cause !== null || scope.cancel.cause !== null || !hasHooks(scope, event)) return outcome;
  const common = {
    hook_event_name: event,
    tool_name: tool.name,
    tool_input: observableInput(tool, input, context),
    tool_use_id: request.block.id,
    duration_ms: ms,
  } as const;
  const answer = yield* runHooks(
    request,
    scope,
    isError
      ? { ...common, error: contentText(result.content) }
      : { ...common, tool_response: result.output ?? result.content },
  );
  if (answer === null) return outcome;
  const contexts = [...answer.blocking, ...answer.additionalContext].map((text) => ({ event, text }));
  const updated = answer.updatedToolOutput;
  const content = updated === undefined ? result.content : replacedOutputContent(updated, tool);
  if (content === undefined)
    yield* scope.recordNotice(mint(scope.run, warning("hook", texts.outputIgnored(tool.name))));
  return { ...outcome, content: content ?? result.content, contexts, ...preventedBy(event, answer) };
}
