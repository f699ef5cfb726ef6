/** One call, from its block to its result: validate, ask hooks, ask permission, run, tell hooks, fit. Never throws. */
import type { QueryEvent } from "../protocol/event.ts";
import type { HookAnswer, HookInput } from "../protocol/hook.ts";
import type { ContentBlock, ToolResultContent, ToolUseBlock } from "../protocol/message.ts";
import type { Tool, ToolContext, ToolInput, ToolProgress, ToolResult } from "../protocol/tool.ts";
import type { PermissionSubject } from "../protocol/permission.ts";
import { bounded } from "./bounded.ts";
import { errorText, type Run } from "./run.ts";
import { callTool, contentText } from "./tool-run.ts";
import * as texts from "./texts.ts";

export interface CallRequest {
  block: ToolUseBlock;
  key: string;
  /** The raw text of an input that did not parse. */
  invalidInput?: string;
}

export interface CallOutcome {
  content: ToolResultContent;
  isError: boolean;
  output?: unknown;
  followUp: ContentBlock[];
  /** Hook context for the model, after the result. */
  contexts: { event: string; text: string }[];
  /** A hook said: do not go on. */
  prevent?: { event: string; message: string };
  /** The tool itself ran and failed: what cancels siblings. */
  toolFailed: boolean;
}

export interface CallScope {
  run: Run;
  /** The call's own signal. */
  signal: AbortSignal;
  abort: (reason: "timeout") => void;
  emit: (event: QueryEvent) => void;
  onProgress: (progress: ToolProgress) => void;
  /** The tool proper is about to run: from here on it may have effects. */
  onStart: () => void;
}

function refused(text: string): CallOutcome {
  return { content: texts.toolUseError(text), isError: true, followUp: [], contexts: [], toolFailed: false };
}

export async function runToolCall(request: CallRequest, scope: CallScope): Promise<CallOutcome> {
  const { run } = scope;
  const { block } = request;
  if (request.invalidInput !== undefined)
    return { ...refused(""), content: JSON.stringify({ INVALID_JSON: request.invalidInput }) };
  const tool = run.ports.tools.find(block.name);
  if (tool === undefined) return refused(`No such tool available: ${block.name}`);
  const context: ToolContext = {
    sessionId: run.config.sessionId,
    key: request.key,
    toolUseId: block.id,
    signal: scope.signal,
    cwd: run.ports.tools.cwd(),
  };
  const invalid = await checkInput(run, tool, block.input, context);
  if (invalid !== null) return refused(invalid);
  const before = await beforeHooks(request, scope, tool, context);
  if (before.outcome !== null) return before.outcome;
  const allowed = await askPermission(request, scope, tool, before.input, before.answer, context);
  if (allowed.outcome !== null) return withContexts(allowed.outcome, "PreToolUse", before.answer);
  if (run.cancel.cause !== null || scope.signal.aborted)
    return refused(texts.cancelledResult(run.cancel.cause ?? "user", false));
  scope.onStart();
  const result = await callTool(run, tool, allowed.input, context, scope.onProgress);
  const outcome = await afterHooks(request, scope, tool, allowed.input, result, context);
  return withContexts(outcome, "PreToolUse", before.answer);
}

async function checkInput(run: Run, tool: Tool, input: ToolInput, context: ToolContext): Promise<string | null> {
  const verdict = run.ports.tools.validate(tool.inputSchema, input);
  if (!verdict.ok)
    return `InputValidationError: ${tool.name} was called with an input its schema does not allow: ${verdict.message}`;
  if (tool.validateInput === undefined) return null;
  const own = tool.validateInput.bind(tool);
  const checked = await bounded(
    run,
    { key: `${context.key}.check`, on: "hook", name: tool.name, limitMs: run.limits.portMs },
    () => own(input, context),
  );
  if (!checked.ok)
    return checked.why === "threw"
      ? errorText(checked.error)
      : `The check of the input did not finish (${checked.why}).`;
  return checked.value.ok ? null : checked.value.message;
}

/** The input as hooks and clients see it: a clone, made only where the tool adds a field. */
function observable(tool: Tool, input: ToolInput, context: ToolContext): ToolInput {
  return tool.observableInput?.(input, context.cwd) ?? input;
}

async function runHooks(request: CallRequest, scope: CallScope, input: HookInput): Promise<HookAnswer | null> {
  const { run } = scope;
  if (!run.ports.hooks.has(input.hook_event_name)) return null;
  const wait = {
    key: `${request.key}.${input.hook_event_name}`,
    on: "hook" as const,
    name: input.hook_event_name,
    limitMs: run.limits.hookMs,
    announce: scope.emit,
  };
  const answer = await bounded(run, wait, (signal) => run.ports.hooks.run(input, signal));
  if (answer.ok) {
    for (const notice of answer.value.notices) scope.emit(notice);
    return answer.value;
  }
  if (answer.why === "cancelled") return null;
  const text = `${input.hook_event_name} hooks ${answer.why === "timeout" ? "did not answer in time" : "failed"}; the call went on without them.`;
  scope.emit({
    type: "notice",
    uuid: run.ports.ids.uuid(),
    timestamp: run.ports.clock.timestamp(),
    level: "warning",
    name: "hook_failed",
    text,
  });
  return null;
}

interface BeforeHooks {
  input: ToolInput;
  answer: HookAnswer | null;
  outcome: CallOutcome | null;
}

async function beforeHooks(
  request: CallRequest,
  scope: CallScope,
  tool: Tool,
  context: ToolContext,
): Promise<BeforeHooks> {
  const input = request.block.input;
  const answer = await runHooks(request, scope, {
    hook_event_name: "PreToolUse",
    tool_name: tool.name,
    tool_input: observable(tool, input, context),
    tool_use_id: request.block.id,
  });
  if (answer === null) return { input, answer, outcome: null };
  const prevent =
    answer.preventContinuation === undefined
      ? {}
      : { prevent: { event: "PreToolUse", message: answer.preventContinuation } };
  const denial =
    answer.permission?.behavior === "deny"
      ? (answer.permission.reason ?? "A PreToolUse hook denied this call.")
      : undefined;
  const why = denial ?? answer.blocking[0] ?? answer.preventContinuation;
  if (why !== undefined)
    return { input, answer, outcome: withContexts({ ...refused(why), ...prevent }, "PreToolUse", answer) };
  if (answer.updatedInput === undefined) return { input, answer, outcome: null };
  const invalid = await checkInput(scope.run, tool, answer.updatedInput, context);
  return {
    input: answer.updatedInput,
    answer,
    outcome: invalid === null ? null : refused(`A PreToolUse hook changed the input, and: ${invalid}`),
  };
}

function withContexts(outcome: CallOutcome, event: string, answer: HookAnswer | null): CallOutcome {
  if (answer === null || answer.additionalContext.length === 0) return outcome;
  return { ...outcome, contexts: [...answer.additionalContext.map((text) => ({ event, text })), ...outcome.contexts] };
}

async function askPermission(
  request: CallRequest,
  scope: CallScope,
  tool: Tool,
  input: ToolInput,
  answer: HookAnswer | null,
  context: ToolContext,
): Promise<{ input: ToolInput; outcome: CallOutcome | null }> {
  const { run } = scope;
  const { block } = request;
  const key = `${request.key}.permission`;
  const subjects: PermissionSubject[] = tool.permissionSubjects?.(input, context.cwd) ?? [{ kind: "tool" }];
  const asked = {
    toolName: tool.name,
    toolUseId: block.id,
    input,
    isReadOnly: tool.isReadOnly(input),
    subjects,
    cwd: context.cwd,
    key,
  };
  const hook = answer?.permission;
  const question =
    hook === undefined || hook.behavior === "deny"
      ? asked
      : {
          ...asked,
          hookDecision: { behavior: hook.behavior, ...(hook.reason === undefined ? {} : { reason: hook.reason }) },
        };
  const wait = {
    key,
    on: "permission" as const,
    name: tool.name,
    limitMs: run.limits.permissionMs,
    announce: scope.emit,
  };
  const decision = await bounded(run, wait, (signal) => run.ports.permission.decide(question, signal));
  if (!decision.ok) {
    const why =
      decision.why === "threw"
        ? `the permission check failed (${errorText(decision.error)})`
        : decision.why === "timeout"
          ? "nobody answered in time"
          : "the run was cancelled";
    return {
      input,
      outcome: denied(scope, tool, block, input, `Permission to use ${tool.name} was not given: ${why}.`, "unanswered"),
    };
  }
  if (decision.value.behavior === "deny") {
    const outcome = denied(scope, tool, block, input, decision.value.message, decision.value.reason.type);
    if (decision.value.interrupt === true) run.cancel.cancel("user");
    return { input, outcome };
  }
  const updated = decision.value.updatedInput;
  if (updated === undefined) return { input, outcome: null };
  const invalid = await checkInput(run, tool, updated, context);
  return {
    input: updated,
    outcome: invalid === null ? null : refused(`The input was changed with the permission, and: ${invalid}`),
  };
}

function denied(
  scope: CallScope,
  tool: Tool,
  block: ToolUseBlock,
  input: ToolInput,
  message: string,
  reasonType: string,
): CallOutcome {
  scope.emit({ type: "permission_denied", toolName: tool.name, toolUseId: block.id, input, message, reasonType });
  return refused(message);
}

async function afterHooks(
  request: CallRequest,
  scope: CallScope,
  tool: Tool,
  input: ToolInput,
  result: ToolResult,
  context: ToolContext,
): Promise<CallOutcome> {
  const isError = result.isError === true;
  const event = isError ? "PostToolUseFailure" : "PostToolUse";
  const outcome: CallOutcome = {
    content: result.content,
    isError,
    output: result.output,
    followUp: result.followUp ?? [],
    contexts: [],
    toolFailed: isError,
  };
  if (scope.run.cancel.cause !== null) return outcome;
  const common = {
    hook_event_name: event,
    tool_name: tool.name,
    tool_input: observable(tool, input, context),
    tool_use_id: request.block.id,
  } as const;
  const answer = await runHooks(
    request,
    scope,
    isError
      ? { ...common, error: contentText(result.content) }
      : { ...common, tool_response: result.output ?? result.content },
  );
  if (answer === null) return outcome;
  const contexts = [...answer.blocking, ...answer.additionalContext].map((text) => ({ event, text }));
  const prevent =
    answer.preventContinuation === undefined ? {} : { prevent: { event, message: answer.preventContinuation } };
  const replaced = typeof answer.updatedToolOutput === "string" ? { content: answer.updatedToolOutput } : {};
  return { ...outcome, ...replaced, contexts, ...prevent };
}
