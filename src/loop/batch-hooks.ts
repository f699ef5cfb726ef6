/** Runs PostToolBatch hooks: they see all calls of one message at once, before the next request, and may end the run there. */
import type { QueryEvent } from "../protocol/event.ts";
import type { HookInput } from "../protocol/hook.ts";
import type { Message, ToolResultContent, ToolUseBlock } from "../protocol/message.ts";
import type { Steps } from "../lib/steps.ts";
import { ignoreRejection } from "../lib/fire-and-forget.ts";
import { runBoundedWithEvents, hookLimitMs, unansweredReason } from "./bounded.ts";
import { hookContext, warning } from "./drafts.ts";
import type { Draft } from "./fact.ts";
import { withCorrectedInput } from "./corrected-input.ts";
import { recordAndYield, type Run } from "./run.ts";
import type { State } from "./state.ts";
import type { CallRequest } from "./tool-scope.ts";

export interface BatchAnswer {
  /** Notices of the hooks for people, already recorded. */
  notices: Message[];
  stopped: { event: string; message: string } | null;
  /** Context the hooks add for the model. */
  contexts: Draft[];
}

const event = "PostToolBatch";

/** Runs the hooks. `messages` ends with these calls and their results. */
export function* runBatchHooks(
  state: Pick<State, "iteration">,
  calls: readonly CallRequest[],
  messages: readonly Message[],
  run: Run,
): Steps<QueryEvent, BatchAnswer> {
  const noAnswer: BatchAnswer = { notices: [], stopped: null, contexts: [] };
  const { hooks } = run.ports;
  if (calls.length === 0 || run.fault !== null || !ignoreRejection(hooks.has(event))) return noAnswer;
  const wait = {
    key: `t${state.iteration}.${event}`,
    on: "hook" as const,
    name: event,
    limitMs: hookLimitMs(run, event),
  };
  const answer = yield* runBoundedWithEvents(run, wait, (signal) =>
    hooks.run({ hook_event_name: event, tool_calls: callsWithResults(calls, messages, run) }, signal),
  );
  if (!answer.ok) {
    if (answer.why === "cancelled") return noAnswer;
    const text = `${event} hooks failed (${unansweredReason(answer)}); the run went on without them.`;
    return { ...noAnswer, contexts: [warning("hook_failed", text)] };
  }
  const notices = yield* recordAndYield(run, answer.value.notices);
  const { preventContinuation, blocking, additionalContext } = answer.value;
  const why = preventContinuation ?? blocking[0];
  const contexts = additionalContext.map((text) => hookContext(event, text));
  return { notices, stopped: why === undefined ? null : { event, message: why }, contexts };
}

/** Returns each call with its result as the model sees it, and its input as the call's own hooks saw it. */
function callsWithResults(
  calls: readonly CallRequest[],
  messages: readonly Message[],
  { ports: { tools } }: Run,
): NonNullable<HookInput["tool_calls"]> {
  const callIds = new Set(calls.map(({ block }) => block.id));
  const blocks = new Map<string, ToolUseBlock>();
  const results = new Map<string, ToolResultContent>();
  for (let at = messages.length - 1; at >= 0 && blocks.size < callIds.size; at--) {
    const message = messages[at]!;
    if (message.type !== "assistant" && message.type !== "user") continue;
    for (const block of message.content) {
      if (block.type === "tool_use" && callIds.has(block.id)) blocks.set(block.id, block);
      else if (block.type === "tool_result" && callIds.has(block.tool_use_id))
        results.set(block.tool_use_id, block.content);
    }
  }
  return calls.flatMap(({ block: { id }, cwd = tools.cwd() }) => {
    const recordedCall = blocks.get(id);
    if (recordedCall === undefined) return [];
    const block = withCorrectedInput(recordedCall, tools);
    const tool = tools.find(block.name);
    const isValid = tool !== undefined && tools.validate(tool.inputSchema, block.input).ok;
    const tool_input = (isValid ? tool.observableInput?.(block.input, cwd) : undefined) ?? block.input;
    return [{ tool_name: block.name, tool_input, tool_use_id: id, tool_response: results.get(id) }];
  });
}
