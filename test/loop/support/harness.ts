// Joins the fakes around the real loop, and drives it. A test says what is special; all else behaves.
import { createTurnEnd, type TurnEndParts } from "../../../src/hooks/turn-end.ts";
import { query } from "../../../src/loop/query.ts";
import type { LoopConfig, LoopLimits, LoopPorts } from "../../../src/loop/ports.ts";
import { createState, type State } from "../../../src/loop/state.ts";
import type { QueryEvent } from "../../../src/protocol/event.ts";
import type { HookEvent } from "../../../src/protocol/hook.ts";
import type { Message, UserMessage } from "../../../src/protocol/message.ts";
import type { ModelInfo } from "../../../src/protocol/model.ts";
import type { Admission, AdmissionRequest } from "../../../src/protocol/money.ts";
import type { CancelCause, Continue, Terminal } from "../../../src/protocol/stop.ts";
import type { TurnEndPort } from "../../../src/protocol/turn-end.ts";
import { ScriptedModel } from "./model.ts";
import {
  admitAll,
  allow,
  CountedCancel,
  FakeBudget,
  FakeContext,
  FakeHooks,
  FakeIds,
  FakePermission,
  FakeQueue,
  FakeRetry,
  FakeSummary,
  FakeTrace,
  FakeTranscript,
  type ContextSpec,
  type HookSpec,
  type PermissionSpec,
} from "./ports.ts";
import type { Script } from "./script.ts";
import { FakeTools, standardTools, type ToolSpec } from "./tools.ts";
import { idle, VirtualClock } from "./virtual-clock.ts";
import { World, type Fault } from "./world.ts";

export interface HarnessOptions {
  model: Script;
  infos?: Record<string, Partial<ModelInfo>>;
  tools?: Record<string, ToolSpec>;
  hooks?: Partial<Record<HookEvent, HookSpec>>;
  /** The limit of one of them, ms. */
  hookLimitMs?: number;
  permission?: PermissionSpec;
  context?: ContextSpec;
  admit?: (request: AdmissionRequest, call: number) => Admission | Promise<Admission>;
  summary?: (messages: readonly Message[], signal: AbortSignal) => Promise<string | null>;
  maxRetries?: number;
  limits?: Partial<LoopLimits>;
  config?: Partial<LoopConfig>;
  /** History before the prompt. */
  history?: readonly Message[];
  prompt?: string;
  agentId?: string;
  state?: (state: State) => State;
  queued?: { uuid: string; prompt: UserMessage["content"] }[];
  fault?: Fault;
  lean?: true;
  /** The transcript answers later. */
  isAsync?: boolean;
  /** Budget and permissions answer at once. */
  answersAtOnce?: boolean;
  /** Steps at the end of a turn besides its hooks. */
  turnEnd?: Partial<TurnEndParts>;
  /** In place of all of them. */
  turnEndPort?: TurnEndPort;
}

export interface Driven {
  events: QueryEvent[];
  /** Messages that were shown before they were on record. */
  early: Message[];
  /** Null where the consumer walked away. */
  terminal: Terminal | null;
}

/** `return`: the consumer walks away at this event. */
export type Consumer = (event: QueryEvent, at: number) => void | "return" | Promise<void | "return">;

export interface Harness extends ReturnType<typeof createHarness> {}

const defaultConfig: LoopConfig = {
  sessionId: "session-1",
  system: [{ text: "You are a test.", cacheBreakpoint: true }],
  fallbackModels: [],
  thinking: { type: "adaptive" },
  querySource: "main",
  includeRawEvents: false,
};

export function userMessage(text: string, uuid: string, more: Partial<UserMessage> = {}): UserMessage {
  return {
    type: "user",
    uuid,
    timestamp: "2026-01-01T00:00:00.000Z",
    content: [{ type: "text", text }],
    origin: "human",
    ...more,
  };
}

export function createHarness(options: HarnessOptions) {
  const clock = new VirtualClock();
  const world = new World(() => clock.now(), options.fault ?? null);
  world.isLean = options.lean === true;
  const transcript = new FakeTranscript(world);
  transcript.isAsync = options.isAsync === true;
  const model = new ScriptedModel(world, clock, options.model, options.infos);
  const tools = new FakeTools(world, clock, { ...standardTools, ...options.tools });
  const hooks = new FakeHooks(world, options.hooks ?? {}, options.hookLimitMs);
  const permission = new FakePermission(world, options.permission ?? (() => allow));
  const context = new FakeContext(world, options.context ?? {});
  const budget = new FakeBudget(world, options.admit ?? admitAll);
  model.answersAtOnce = options.answersAtOnce === true;
  budget.answersAtOnce = options.answersAtOnce === true;
  permission.answersAtOnce = options.answersAtOnce === true;
  const queue = new FakeQueue(world);
  queue.entries = [...(options.queued ?? [])];
  const trace = new FakeTrace(world);
  const ids = new FakeIds();
  const cancel = new CountedCancel(() => {
    world.callsAtCancel = world.calls.length;
  });
  const retry = new FakeRetry(world, options.maxRetries ?? 10);
  const ports: LoopPorts = {
    model,
    retry,
    tools,
    permission,
    hooks,
    turnEnd: options.turnEndPort ?? createTurnEnd({ hooks, ids, clock, ...options.turnEnd }),
    context,
    budget,
    transcript,
    queue,
    clock,
    ids,
    trace,
  };
  if (options.summary !== undefined) ports.summary = new FakeSummary(world, options.summary);
  const prompt = userMessage(options.prompt ?? "Do it.", "prompt-1");
  const messages = [...(options.history ?? []), prompt];
  const state = (options.state ?? ((initial: State) => initial))(
    createState({ messages, model: "model-a", ...(options.agentId === undefined ? {} : { agentId: options.agentId }) }),
  );
  world.records = () => transcript.records.length;
  // As the engine does: what is to be answered is on record before the loop begins.
  transcript.records.push(...messages);
  const open = (): AsyncGenerator<QueryEvent, Terminal> =>
    query({
      state,
      config: { ...defaultConfig, ...options.config },
      ports,
      cancel,
      ...(options.limits === undefined ? {} : { limits: options.limits }),
    });

  /** Consumes the run to its end, or until `consumer` walks away. */
  async function run(consumer?: Consumer): Promise<Driven> {
    const events: QueryEvent[] = [];
    const early: Message[] = [];
    const generator = open();
    for (;;) {
      const step = await clock.until(generator.next());
      if (step.done === true) return { events, early, terminal: step.value };
      events.push(step.value);
      if ("uuid" in step.value && !transcript.has(step.value.uuid)) early.push(step.value);
      world.eventsSeen = events.length;
      const wish = await consumer?.(step.value, events.length - 1);
      if (wish === "return") await clock.until(generator.return(undefined as never));
      if (wish === "return") return { events, early, terminal: null };
    }
  }

  return {
    clock,
    world,
    transcript,
    model,
    tools,
    hooks,
    permission,
    context,
    budget,
    queue,
    trace,
    cancel,
    ports,
    state,
    open,
    run,
  };
}

/** Cancels when the event with this index, or the first that fits, is given to the consumer. */
export function cancelAt(
  harness: Harness,
  where: number | ((event: QueryEvent) => boolean),
  cause: CancelCause,
): Consumer {
  let isDone = false;
  return (event, at) => {
    if (isDone || (typeof where === "number" ? at !== where : !where(event))) return;
    isDone = true;
    harness.cancel.cancel(cause);
  };
}

/** Cancels once `ms` of virtual time have passed: the clock moves only while everything waits. */
export function cancelAfter(harness: Harness, ms: number, cause: CancelCause): Consumer {
  harness.clock.at(ms, () => harness.cancel.cancel(cause));
  return () => undefined;
}

export async function runWith(options: HarnessOptions, consumer?: (harness: Harness) => Consumer) {
  const harness = createHarness(options);
  const driven = await harness.run(consumer?.(harness));
  await idle();
  const { faulted } = harness.world;
  const transcriptFailed = harness.transcript.failFrom !== null || faulted?.name === "transcript.append";
  return { ...harness, ...driven, harness, transcriptFailed };
}

export type Ran = Awaited<ReturnType<typeof runWith>>;

export function transitions(events: readonly QueryEvent[]): Continue[] {
  return events.flatMap((event) => (event.type === "transition" ? [event.transition] : []));
}

export function reasons(events: readonly QueryEvent[]): string[] {
  return transitions(events).map((transition) => transition.reason);
}

export function ofType<Type extends QueryEvent["type"]>(
  events: readonly QueryEvent[],
  type: Type,
): Extract<QueryEvent, { type: Type }>[] {
  return events.filter((event): event is Extract<QueryEvent, { type: Type }> => event.type === type);
}

/** Results by call id, in the order of the messages. */
export function resultsOf(
  messages: readonly (Message | QueryEvent)[],
): { id: string; text: string; isError: boolean }[] {
  return messages.flatMap((message) =>
    message.type !== "user"
      ? []
      : message.content.flatMap((block) =>
          block.type !== "tool_result"
            ? []
            : [
                {
                  id: block.tool_use_id,
                  text: typeof block.content === "string" ? block.content : JSON.stringify(block.content),
                  isError: block.is_error === true,
                },
              ],
        ),
  );
}

export function noticeNames(events: readonly QueryEvent[]): string[] {
  return ofType(events, "notice").map((notice) => notice.name);
}

/** Texts of failures that reached the stream. */
export function errorsShown(events: readonly QueryEvent[]): string[] {
  return ofType(events, "assistant").flatMap((message) =>
    message.apiError === undefined ? [] : [message.apiError.kind],
  );
}
