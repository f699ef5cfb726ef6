/** A session's defences over doubles: a model with given answers, conversations of any shape. */
import fc from "fast-check";
import type {
  AssistantMessage,
  AutoCompactTracking,
  ContentBlock,
  ContextEvent,
  ContextInput,
  HookAnswer,
  HookInput,
  Message,
  ModelEvent,
  ModelFailure,
  ModelInfo,
  ModelOutcome,
  ModelRequest,
  ResponseEndMessage,
  UserMessage,
} from "../../src/protocol/index.ts";
import { noHookAnswer } from "../../src/protocol/index.ts";
import { leftOutNoticeName } from "../../src/protocol/left-out-kinds.ts";
import { createContext, defaultPolicy, type ContextDeps, type ContextPolicy } from "../../src/context/index.ts";
import { createNormalizer } from "../../src/loop/normalize.ts";
import { sentThinking } from "../../src/loop/sent-thinking.ts";

export const timestamp = "2026-11-20T12:00:00.000Z";

export const modelInfo: ModelInfo = {
  id: "claude-opus-5-5",
  known: true,
  contextWindow: 100_000,
  maxOutputTokens: 64_000,
  thinking: "adaptive_always",
  thinkingBoundToPrefix: true,
  keepsOldThinking: true,
  efforts: [],
  minCacheTokens: 512,
  maxImages: 600,
};
/** Had its thinking not been bound to what stood before it. */
export const unboundModel: ModelInfo = { ...modelInfo, thinkingBoundToPrefix: false };

export function user(uuid: string, content: string | ContentBlock[], more: Partial<UserMessage> = {}): UserMessage {
  return {
    type: "user",
    uuid,
    timestamp,
    content: typeof content === "string" ? [{ type: "text", text: content }] : content,
    ...more,
  };
}

export function assistant(uuid: string, messageId: string, content: ContentBlock[]): AssistantMessage {
  return { type: "assistant", uuid, timestamp, messageId, model: modelInfo.id, content };
}

export function end(uuid: string, messageId: string, inputTokens: number, outputTokens = 50): ResponseEndMessage {
  const usage = { inputTokens, outputTokens, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };
  return {
    type: "response_end",
    uuid,
    timestamp,
    messageId,
    model: modelInfo.id,
    stopReason: "end_turn",
    usage,
    costUsd: 0,
  };
}

export const thinking = (text: string): ContentBlock => ({ type: "thinking", thinking: text, signature: "c2lnbmVk" });
export const use = (id: string, name = "Read", input: Record<string, unknown> = {}): ContentBlock => ({
  type: "tool_use",
  id,
  name,
  input,
});
export const result = (uuid: string, id: string, content: string): UserMessage =>
  user(uuid, [{ type: "tool_result", tool_use_id: id, content }]);

/** The notice that the server does not take back blocks of this kind. */
export const leftOut = (kind: string): Message => ({
  type: "notice",
  uuid: `left-out-${kind}`,
  timestamp,
  level: "warning",
  name: leftOutNoticeName,
  text: "Left out.",
  data: { types: [kind] },
});

/** `turns` turns of a read loop, each with thinking, a call and a result of `size` characters; no usage is known. */
export function readLoop(turns: number, size: number, prompt = "Find the bug"): Message[] {
  const messages: Message[] = [user("ctx", "memory", { isMeta: true, origin: "context" }), user("p0", prompt)];
  for (let turn = 0; turn < turns; turn++) {
    messages.push(
      assistant(`a${turn}`, `m${turn}`, [
        thinking(`thought ${turn}`),
        { type: "text", text: `I read file ${turn}.` },
        use(`c${turn}`, "Read", { file_path: `/src/${turn}.ts` }),
      ]),
      result(`r${turn}`, `c${turn}`, `${turn}:`.padEnd(size, "x y z ")),
    );
  }
  return messages;
}

export type Said =
  /** `hangs`: nothing until its signal aborts. */
  | string
  | { text: string; stopReason?: string }
  | { block: ContentBlock; stopReason: string }
  | { fail: Partial<ModelFailure> };

export interface Fixture {
  context: ReturnType<typeof createContext>;
  deps: ContextDeps;
  requests: ModelRequest[];
  hooked: HookInput[];
  ledger: string[];
  spilled: Map<string, string>;
  timers: { ms: number; fire(): void }[];
}

export interface FixtureOptions {
  /** What the model answers, in turn; then it answers `summary n`. */
  says?: Said[];
  policy?: Partial<ContextPolicy>;
  hooks?: (input: HookInput) => Partial<HookAnswer>;
  refuseBudget?: boolean;
  /** The model answers nothing until its signal aborts. */
  hangs?: boolean;
  deps?: Partial<ContextDeps>;
}

export function fixture(options: FixtureOptions = {}): Fixture {
  const requests: ModelRequest[] = [];
  const hooked: HookInput[] = [];
  const ledger: string[] = [];
  const spilled = new Map<string, string>();
  const timers: Fixture["timers"] = [];
  const says = [...(options.says ?? [])];
  let ids = 0;
  const normalize = createNormalizer();
  const deps: ContextDeps = {
    model: {
      stream: (request, signal) => {
        requests.push(request);
        const said = options.hangs === true ? "hangs" : (says.shift() ?? `summary ${requests.length}`);
        return said === "hangs" ? hang(signal) : answer(said);
      },
      measure: (request) => ({ bytes: JSON.stringify(request.messages).length }),
      info: () => modelInfo,
    },
    requestBase: () => ({
      model: modelInfo.id,
      system: [{ text: "system" }],
      tools: [],
      thinking: { type: "auto" },
      sessionId: "s",
    }),
    toApi(messages, { model, openEnd, isMissed = false }) {
      const { id, compaction } = model;
      const thoughts = sentThinking(deps.requestBase(model.id).thinking, model, isMissed);
      return normalize(messages, { model: id, ...thoughts, maxImages: 100, compaction, openEnd });
    },
    budget: {
      admit: async ({ maxTokens }) =>
        options.refuseBudget === true
          ? { admitted: false, message: "Reached maximum budget ($1)" }
          : { admitted: true, ticket: "ticket", maxTokens, lowered: false },
      settle: (_ticket, outcome) => {
        ledger.push(
          "usage" in outcome ? `usage ${outcome.usage.inputTokens} ${outcome.final}` : Object.keys(outcome)[0]!,
        );
        return 0;
      },
    },
    clock: {
      now: () => Date.parse(timestamp),
      timestamp: () => timestamp,
      timer: (ms, fire) => {
        const entry = { ms, fire };
        timers.push(entry);
        return () => void timers.splice(timers.indexOf(entry), timers.includes(entry) ? 1 : 0);
      },
    },
    ids: { uuid: () => `new-${ids++}` },
    spill: {
      write: async (name, content) => {
        spilled.set(name, String(content));
        return `/spill/${name}.txt`;
      },
    },
    hooks: {
      has: () => options.hooks !== undefined,
      run: async (input) => {
        hooked.push(input);
        return { ...noHookAnswer, ...options.hooks?.(input) };
      },
      runDetached: () => undefined,
    },
    reattach: async () => [],
    policy: { ...defaultPolicy, ...options.policy },
    ...options.deps,
  };
  return { context: createContext(deps), deps, requests, hooked, ledger, spilled, timers };
}

async function* answer(reply: Said): AsyncGenerator<ModelEvent, ModelOutcome> {
  const usage = { inputTokens: 1000, outputTokens: 100, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };
  if (typeof reply !== "string" && "fail" in reply) {
    return {
      ok: false,
      failure: { kind: "server_error", message: "it failed", recovery: "none", status: 500, ...reply.fail },
    };
  }
  yield { type: "start", messageId: "msg", usage };
  if (typeof reply !== "string" && "block" in reply) {
    yield { type: "block", index: 0, block: reply.block };
    return { ok: true, stopReason: reply.stopReason, usage };
  }
  if (typeof reply === "string" || reply.text !== "")
    yield { type: "block", index: 0, block: { type: "tool_use", id: "ignored", name: "Bash", input: {} } };
  const { text, stopReason } = typeof reply === "string" ? { text: reply, stopReason: undefined } : reply;
  if (text !== "") yield { type: "block", index: 1, block: { type: "text", text } };
  return { ok: true, stopReason: stopReason ?? "end_turn", usage };
}

async function* hang(signal: AbortSignal): AsyncGenerator<ModelEvent, ModelOutcome> {
  yield {
    type: "start",
    messageId: "msg",
    usage: { inputTokens: 7, outputTokens: 0, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 },
  };
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  return { ok: false, failure: { kind: "aborted", message: "aborted", recovery: "none" } };
}

export function inputOf(messages: readonly Message[], more: Partial<ContextInput> = {}): ContextInput {
  const tracking: AutoCompactTracking = { consecutiveFailures: 0 };
  return {
    messages,
    model: modelInfo,
    maxTokens: 8_000,
    fixedTokens: 2_000,
    tracking,
    turnCount: 1,
    key: "t1",
    ...more,
  };
}

export async function drive<R>(
  generator: AsyncGenerator<ContextEvent, R>,
  each?: (event: ContextEvent) => void,
): Promise<{ events: ContextEvent[]; value: R }> {
  const events: ContextEvent[] = [];
  for (;;) {
    const step = await generator.next();
    if (step.done === true) return { events, value: step.value };
    events.push(step.value);
    each?.(step.value);
  }
}

export const namesOf = (events: readonly ContextEvent[]): string[] =>
  events.map((event) => (event.type === "notice" ? event.name : event.type));

/** What the API would refuse of these messages as they are. */
export function requestProblems(messages: readonly Message[], options: { boundThinkingFrom?: number } = {}): string[] {
  const problems: string[] = [];
  const normalized = createNormalizer()(messages, { model: modelInfo.id, thinking: true, maxImages: 100 });
  const { missingResults, strayResults, endings } = normalized.mended;
  if (missingResults + strayResults + endings > 0) problems.push(`mended ${JSON.stringify(normalized.mended)}`);
  const sent = normalized.messages;
  if (sent[0]?.role !== "user") problems.push("does not begin with the user");
  const thought = sent.some(
    ({ role, content }) => role === "assistant" && content.some((block) => block.type === "thinking"),
  );
  if (options.boundThinkingFrom !== undefined && thought) problems.push("thinking behind a rewritten prefix");
  return problems;
}

const text = fc.string({ maxLength: 60 });
const bigText = fc.integer({ min: 0, max: 6_000 }).map((length) => "word ".repeat(Math.ceil(length / 5)));

interface Turn {
  prompt: string | null;
  thought: boolean;
  calls: string[];
  interleaved: boolean;
  counted: boolean;
  notes: number;
}

const turn: fc.Arbitrary<Turn> = fc.record({
  prompt: fc.option(text, { freq: 3 }),
  thought: fc.boolean(),
  calls: fc.array(bigText, { maxLength: 3 }),
  interleaved: fc.boolean(),
  counted: fc.boolean(),
  notes: fc.nat(2),
});

/** A conversation as the loop leaves it before a request: any number of turns, results in any legal place, the user's word last. */
export const conversation: fc.Arbitrary<Message[]> = fc
  .tuple(fc.boolean(), fc.array(turn, { maxLength: 12, size: "max" }), text)
  .map(([hasContext, turns, last]) => {
    const messages: Message[] = hasContext ? [user("ctx", "memory", { isMeta: true, origin: "context" })] : [];
    messages.push(user("first", "the first prompt"));
    for (const [index, each] of turns.entries()) messages.push(...turnMessages(index, each));
    if (messages.at(-1)?.type !== "user") messages.push(user("last", `last ${last}`));
    return messages;
  });

function turnMessages(index: number, { prompt, thought, calls, interleaved, counted, notes }: Turn): Message[] {
  const id = (name: string) => `${index}-${name}`;
  const messageId = id("m");
  const blocks: Message[] = [];
  const results: Message[] = [];
  const begin: ContentBlock[] = thought ? [thinking("hm")] : [];
  blocks.push(assistant(id("a"), messageId, [...begin, { type: "text", text: `turn ${index}` }]));
  for (const [call, content] of calls.entries()) {
    blocks.push(assistant(id(`u${call}`), messageId, [use(id(`c${call}`))]));
    (interleaved ? blocks : results).push(result(id(`r${call}`), id(`c${call}`), content));
  }
  const usage = counted ? [end(id("e"), messageId, 5_000 * (index + 1))] : [];
  const notices = Array.from({ length: notes }, (_, note): Message => ({
    type: "notice",
    uuid: id(`n${note}`),
    timestamp,
    level: "info",
    name: "n",
    text: "",
  }));
  const prompts = prompt === null || calls.length === 0 ? [user(id("p"), `prompt ${prompt ?? ""}`)] : [];
  return [...blocks, ...usage, ...results, ...notices, ...prompts];
}

/** As a model thinks that signs nothing. */
export function unsigned(message: Message): Message {
  if (message.type !== "assistant") return message;
  return {
    ...message,
    content: message.content.map((block) =>
      block.type === "thinking" ? { type: "thinking" as const, thinking: block.thinking } : block,
    ),
  };
}
