/** Runs PostToolBatch hooks: they see all calls of one message at once, before the next request, and may end the run there. */
import type { QueryEvent } from "../protocol/event.ts";
import type { HookInput } from "../protocol/hook.ts";
import type { Message, ToolResultContent, ToolUseBlock } from "../protocol/message.ts";
import type { Steps } from "../lib/steps.ts";
import { atOnce } from "../lib/unheard.ts";
import { boundedShown, hookLimitMs, whyNot } from "./bounded.ts";
import { warning } from "./drafts.ts";
import type { Draft } from "./fact.ts";
import { asMeant } from "./meant-input.ts";
import { recorded, type Run } from "./run.ts";
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
export function* askBatchHooks(
  state: Pick<State, "iteration">,
  calls: readonly CallRequest[],
  messages: readonly Message[],
  run: Run,
): Steps<QueryEvent, BatchAnswer> {
  const nothing: BatchAnswer = { notices: [], stopped: null, contexts: [] };
  const { hooks } = run.ports;
  if (calls.length === 0 || run.fault !== null || !atOnce(hooks.has(event))) return nothing;
  const wait = {
    key: `t${state.iteration}.${event}`,
    on: "hook" as const,
    name: event,
    limitMs: hookLimitMs(run, event),
  };
  const answer = yield* boundedShown(run, wait, (signal) =>
    hooks.run({ hook_event_name: event, tool_calls: callsOf(calls, messages, run) }, signal),
  );
  if (!answer.ok) {
    if (answer.why === "cancelled") return nothing;
    const text = `${event} hooks failed (${whyNot(answer)}); the run went on without them.`;
    return { ...nothing, contexts: [warning("hook_failed", text)] };
  }
  const notices = yield* recorded(run, answer.value.notices);
  const { preventContinuation, blocking, additionalContext } = answer.value;
  const why = preventContinuation ?? blocking[0];
  const contexts = additionalContext.map((text): Draft => ({
    type: "attachment",
    attachment: { kind: "hook_context", event, text },
  }));
  return { notices, stopped: why === undefined ? null : { event, message: why }, contexts };
}

/** Returns each call with its result as the model sees it, and its input as the call's own hooks saw it. */
function callsOf(
  calls: readonly CallRequest[],
  messages: readonly Message[],
  { ports: { tools } }: Run,
): NonNullable<HookInput["tool_calls"]> {
  const wanted = new Set(calls.map(({ block }) => block.id));
  const blocks = new Map<string, ToolUseBlock>();
  const results = new Map<string, ToolResultContent>();
  for (let at = messages.length - 1; at >= 0 && blocks.size < wanted.size; at--) {
    const message = messages[at]!;
    if (message.type !== "assistant" && message.type !== "user") continue;
    for (const block of message.content) {
      if (block.type === "tool_use" && wanted.has(block.id)) blocks.set(block.id, block);
      else if (block.type === "tool_result" && wanted.has(block.tool_use_id))
        results.set(block.tool_use_id, block.content);
    }
  }
  return calls.flatMap(({ block: { id }, cwd = tools.cwd() }) => {
    const said = blocks.get(id);
    if (said === undefined) return [];
    const block = asMeant(said, tools);
    const tool = tools.find(block.name);
    const isSound = tool !== undefined && tools.validate(tool.inputSchema, block.input).ok;
    const tool_input = (isSound ? tool.observableInput?.(block.input, cwd) : undefined) ?? block.input;
    return [{ tool_name: block.name, tool_input, tool_use_id: id, tool_response: results.get(id) }];
  });
}
