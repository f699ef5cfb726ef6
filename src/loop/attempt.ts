/** One attempt at one response: events out as they come, each block recorded before its tool runs, the outcome back. */
import type { QueryEvent } from "../protocol/event.ts";
import type { AssistantMessage, ContentBlock, ToolUseBlock } from "../protocol/message.ts";
import type { ModelEvent, ModelOutcome, ModelRequest } from "../protocol/model.ts";
import { rung } from "../lib/doorbell.ts";
import { append, internalFailure, mint, type Run } from "./run.ts";
import { ToolBatch } from "./tool-batch.ts";

export interface Attempt {
  outcome: ModelOutcome;
  /** The response's blocks, one message each, recorded and yielded. */
  blocks: AssistantMessage[];
  messageId: string;
  requestId?: string;
}

interface Response {
  messageId: string;
  requestId?: string;
  blocks: AssistantMessage[];
}

/** `model` is what was asked for: it decides later whether the thinking may be sent again. */
export async function* attempt(run: Run, request: ModelRequest): AsyncGenerator<QueryEvent, Attempt> {
  const response: Response = { messageId: "", blocks: [] };
  const controller = new AbortController();
  const forget = run.cancel.onCancel((cause) => {
    controller.abort(cause);
    run.doorbell.ring();
  });
  const stream = run.ports.model.stream(request, controller.signal);
  let ended = false;
  try {
    const outcome = yield* pump(run, stream, request, response, controller);
    ended = true;
    if (!outcome.ok && outcome.failure.kind === "aborted" && outcome.partialText !== undefined)
      yield* keepPartialText(run, request, response, outcome.partialText);
    return { outcome, ...response };
  } finally {
    forget();
    if (!ended) controller.abort("closed");
    stream.return(undefined as never).catch(() => undefined);
  }
}

async function* pump(
  run: Run,
  stream: AsyncGenerator<ModelEvent, ModelOutcome>,
  request: ModelRequest,
  response: Response,
  controller: AbortController,
): AsyncGenerator<QueryEvent, ModelOutcome> {
  const watch = watchSilence(run, controller);
  try {
    let next = stream.next();
    for (;;) {
      if (run.batch !== null) yield* run.batch.takeEvents();
      if (run.fault !== null) return { ok: false, failure: { ...run.fault, recovery: "none" } };
      const step = await run.doorbell.wait(next);
      if (watch.expired()) return silent(run);
      if (step === rung) {
        if (run.cancel.cause !== null) return yield* drainAborted(run, stream, next, request, response);
        continue;
      }
      watch.heard();
      if (step.done === true) return step.value;
      const event = step.value;
      if (event.type === "raw") {
        if (run.config.includeRawEvents) yield { type: "stream_event", event: event.event };
      } else if (event.type === "start") {
        response.messageId = event.messageId === "" ? `msg_${run.ports.ids.uuid()}` : event.messageId;
        if (event.requestId !== undefined) response.requestId = event.requestId;
      } else yield* takeBlock(run, request, response, event);
      next = stream.next();
    }
  } catch (error) {
    return { ok: false, failure: { ...internalFailure("The model adapter", error), recovery: "none" } };
  } finally {
    watch.stop();
  }
}

const abortGraceMs = 100;

/** The adapter ends soon after an abort and may still hand over what it had; one that does not is left behind. */
async function* drainAborted(
  run: Run,
  stream: AsyncGenerator<ModelEvent, ModelOutcome>,
  pending: Promise<IteratorResult<ModelEvent, ModelOutcome>>,
  request: ModelRequest,
  response: Response,
): AsyncGenerator<QueryEvent, ModelOutcome> {
  const aborted: ModelOutcome = {
    ok: false,
    failure: { kind: "aborted", message: "The request was cancelled.", recovery: "none" },
  };
  let isOver = false;
  const stopTimer = run.ports.clock.timer(abortGraceMs, () => {
    isOver = true;
    run.doorbell.ring();
  });
  try {
    let next = pending;
    while (!isOver) {
      const step = await run.doorbell.wait(next);
      if (step === rung) continue;
      if (step.done === true) return step.value.ok ? step.value : { ...step.value, failure: aborted.failure };
      if (step.value.type === "block") yield* takeBlock(run, request, response, step.value);
      next = stream.next();
    }
    return aborted;
  } finally {
    stopTimer();
  }
}

function silent(run: Run): ModelOutcome {
  const message = `The model sent nothing for ${Math.round(run.limits.modelSilenceMs / 1000)} s and was given up.`;
  return { ok: false, failure: { kind: "stalled", message, recovery: "retry" } };
}

/** One timer for the whole response, however many events it has. */
function watchSilence(run: Run, controller: AbortController): { heard(): void; expired(): boolean; stop(): void } {
  const { clock } = run.ports;
  let heardSince = false;
  let expired = false;
  let stop = (): void => {};
  const arm = (): void => {
    stop = clock.timer(run.limits.modelSilenceMs, () => {
      if (heardSince) {
        heardSince = false;
        arm();
        return;
      }
      expired = true;
      controller.abort("silence");
      run.doorbell.ring();
    });
  };
  arm();
  return {
    heard() {
      heardSince = true;
    },
    expired: () => expired,
    stop: () => stop(),
  };
}

type BlockEvent = Extract<ModelEvent, { type: "block" }>;

async function* takeBlock(
  run: Run,
  request: ModelRequest,
  response: Response,
  event: BlockEvent,
): AsyncGenerator<QueryEvent, void> {
  const block = event.block.type === "tool_use" ? ownId(run, event.block) : event.block;
  const message = assistantMessage(run, request, response, [block]);
  if (!(await append(run, message))) return;
  response.blocks.push(message);
  yield message;
  if (block.type !== "tool_use") return;
  run.batch ??= new ToolBatch(run);
  const key = `t${request.key.split(".")[0]!.slice(1)}.tool.${run.batch.size}`;
  run.batch.add(event.invalidInput === undefined ? { block, key } : { block, key, invalidInput: event.invalidInput });
}

function assistantMessage(
  run: Run,
  request: ModelRequest,
  response: Response,
  content: ContentBlock[],
): AssistantMessage {
  if (response.messageId === "") response.messageId = `msg_${run.ports.ids.uuid()}`;
  const message = mint(run, {
    type: "assistant",
    messageId: response.messageId,
    model: request.model,
    content,
  }) as AssistantMessage;
  if (response.requestId !== undefined) message.requestId = response.requestId;
  return message;
}

const toolName = /^[a-zA-Z0-9_-]{1,64}$/;

/** An id used before, or a name the API would not take back, is replaced before anything depends on it. */
function ownId(run: Run, block: ToolUseBlock): ToolUseBlock {
  const isFresh = block.id !== "" && !run.callIds.has(block.id);
  const id = isFresh ? block.id : `toolu_${run.ports.ids.uuid().replaceAll("-", "")}`;
  run.callIds.add(id);
  const name = toolName.test(block.name)
    ? block.name
    : block.name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "unnamed";
  return id === block.id && name === block.name ? block : { ...block, id, name };
}

async function* keepPartialText(
  run: Run,
  request: ModelRequest,
  response: Response,
  text: string,
): AsyncGenerator<QueryEvent, void> {
  if (text.trim() === "") return;
  const message = { ...assistantMessage(run, request, response, [{ type: "text", text }]), aborted: true as const };
  if (!(await append(run, message))) return;
  response.blocks.push(message);
  yield message;
}
