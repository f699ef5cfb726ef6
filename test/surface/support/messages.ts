/** Messages and a stand-in session for tests of surfaces. */
import type { Engine } from "../../../src/surface/engine-port.ts";
import { noUsage } from "../../../src/protocol/usage.ts";
import { toResultUsage } from "../../../src/protocol/wire-usage.ts";
import type {
  SDKMessage,
  SDKResultMessage,
  SDKTerminalReason,
  SDKStreamEvent,
  WireBlock,
} from "../../../src/protocol/sdk.ts";

const base = { uuid: "u", session_id: "s1" };
const usage = { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
const end = {
  ...base,
  type: "result" as const,
  duration_ms: 1200,
  duration_api_ms: 900,
  num_turns: 1,
  stop_reason: "end_turn",
  terminal_reason: "completed",
  total_cost_usd: 0.0123,
  usage: { ...toResultUsage(noUsage), ...usage },
  modelUsage: {},
  permission_denials: [],
};

export function success(result: string, extra: Partial<SDKResultMessage> = {}): SDKResultMessage {
  return { ...end, subtype: "success", is_error: false, result, ...extra } as SDKResultMessage;
}

export function failure(
  subtype:
    | "error_during_execution"
    | "error_max_turns"
    | "error_max_budget_usd"
    | "error_max_structured_output_retries",
  reason: SDKTerminalReason,
  errors: string[] = [],
): SDKResultMessage {
  const why = { code: "internal" as const, retryable: false };
  return { ...end, subtype, is_error: true, terminal_reason: reason, errors, failure: why };
}

export function assistant(...content: { type: string; [key: string]: unknown }[]): SDKMessage {
  return {
    ...base,
    type: "assistant",
    message: {
      id: "m1",
      type: "message",
      role: "assistant",
      model: "x",
      content: content as WireBlock[],
      stop_reason: null,
      stop_sequence: null,
      usage,
    },
    parent_tool_use_id: null,
    request_id: "req_1",
  };
}

export function toolResult(content: unknown, isError = false, id = "t1"): SDKMessage {
  const block: WireBlock = { type: "tool_result", tool_use_id: id, content, ...(isError ? { is_error: true } : {}) };
  return { ...base, type: "user", message: { role: "user", content: [block] }, parent_tool_use_id: null };
}

export function delta(text: string): SDKMessage {
  const event: SDKStreamEvent = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } };
  return { ...base, type: "stream_event", event, parent_tool_use_id: null };
}

export function blockEvent(event: { type: string; [key: string]: unknown }): SDKMessage {
  return { ...base, type: "stream_event", event: event as SDKStreamEvent, parent_tool_use_id: null };
}

export function system(fields: { subtype: string; [key: string]: unknown }): SDKMessage {
  return { ...base, type: "system", ...fields } as unknown as SDKMessage;
}

export interface FakeEngine extends Engine {
  readonly prompts: { prompt: unknown; uuid?: string; isMeta?: boolean }[];
  readonly causes: string[];
  /** How many messages were taken so far. */
  yielded: number;
}

export type Turn = (engine: FakeEngine, prompt: unknown) => AsyncIterable<SDKMessage> | Iterable<SDKMessage>;

/** Plays `turn` for each prompt; what is enqueued waits to be taken. */
export function fakeEngine(turn: Turn, overrides: Partial<Engine> = {}): FakeEngine {
  const queue: { uuid: string; prompt: { type: "text"; text: string }[] }[] = [];
  const engine: FakeEngine = {
    prompts: [],
    causes: [],
    yielded: 0,
    async *submitMessage(prompt, options = {}) {
      engine.prompts.push({ prompt, ...options });
      for await (const message of turn(engine, prompt)) {
        engine.yielded += 1;
        yield message;
      }
    },
    resume: async () => undefined,
    branch: async () => undefined,
    clear: async () => undefined,
    rewindFiles: async () => ({ canRewind: true }),
    append: () => undefined,
    interrupt(cause = "user") {
      engine.causes.push(cause);
      return true;
    },
    sideQuestion: async () => ({ answered: false, why: "nobody answers", usage: noUsage }),
    submitBeside: () => undefined,
    desk: {
      tasks: () => [],
      onTaskEnd: () => () => undefined,
      reloadOutputStyles: async () => [],
    } as unknown as Engine["desk"],
    supportedCommands: () => [],
    getPermissionMode: () => "default",
    setPermissionMode: () => undefined,
    background: { settle: async () => undefined, dropSuggestion: () => undefined },
    enqueue: (...[prompt, uuid]: Parameters<Engine["enqueue"]>) => {
      const blocks = typeof prompt === "string" ? [{ type: "text" as const, text: prompt }] : prompt;
      queue.push({ uuid: uuid ?? `q${queue.length}`, prompt: blocks as { type: "text"; text: string }[] });
    },
    takeQueued: () => queue.shift(),
    getSessionId: () => "s1",
    getTranscriptPath: () => "/home/u/.pawl/projects/p/s1.jsonl",
    getMessages: () => [{ type: "user", uuid: "u1", timestamp: "", content: [], isMeta: true }],
    getModel: () => "model-a",
    getCost: () => ({
      totalUsd: 0.0123,
      modelUsage: {},
      durationMs: 0,
      apiDurationMs: 0,
      linesAdded: 0,
      linesRemoved: 0,
    }),
    openAgents: 0,
    openHooks: 0,
    whenAgentsEnd: () => Promise.resolve(),
    killNow: () => undefined,
  };
  // What is computed stays so.
  const whole = Object.defineProperties(engine, Object.getOwnPropertyDescriptors(overrides));
  if (!("tasks" in whole.desk)) Object.assign(whole.desk, { tasks: () => [] });
  if (!("goal" in whole.desk)) Object.assign(whole.desk, { goal: () => null });
  return whole;
}
