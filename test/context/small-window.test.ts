/**
 * The real loop, the real adapter, the real defences against the scripted model, which says "prompt is too long" exactly when
 * it would be, and refuses any request the API would refuse. A long job in a small window ends, or stops for the right reason.
 */
import { createTurnEnd } from "../../src/hooks/turn-end.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { contextPolicy, createContext, type ContextPolicy } from "../../src/context/index.ts";
import { createCancel } from "../../src/loop/cancel.ts";
import { createNormalizer } from "../../src/loop/normalize.ts";
import type { LoopPorts } from "../../src/loop/ports.ts";
import { query } from "../../src/loop/query.ts";
import { createState } from "../../src/loop/state.ts";
import { createAnthropicModel, createCatalog, type Transport } from "../../src/model/index.ts";
import {
  noHookAnswer,
  type ContextPort,
  type Message,
  type QueryEvent,
  type Terminal,
  type Tool,
} from "../../src/protocol/index.ts";
import { createScriptedModel, type ScriptedModel } from "../../src/testing/index.ts";
import { foldMessage } from "../../src/transcript/index.ts";
import { user } from "./support.ts";
import { byTestDepth } from "../support/test-depth.ts";

interface Job {
  /** The server's window. */
  window: number;
  /** What the catalogue says about it. */
  toldWindow: number;
  files: number;
  model?: string;
  policy?: Partial<ContextPolicy>;
  /** The model refuses to summarise. */
  noSummaries?: boolean;
  /** Words of the nth file. */
  words?: (file: number) => number;
  /** Characters of a result that the tool itself bounds; Infinity: it is never put into a file for its size alone. */
  maxResultSizeChars?: number;
  /** What a file says again and again. */
  word?: string;
}

interface Ran {
  terminal: Terminal;
  events: QueryEvent[];
  records: Message[];
  scripted: ScriptedModel;
  tooLong: number;
  invalid: string[];
  summaries: number;
}

/** Reads `files` files, one a turn. The model stops when all are read, whatever it still sees of the conversation. */
function readerOf({ files, words = () => 600, maxResultSizeChars = 50_000, word = "word " }: Job): {
  tool: Tool;
  isDone: () => boolean;
} {
  let count = 0;
  const tool: Tool = {
    name: "Read",
    description: "Reads the next file",
    inputSchema: { type: "object", properties: { file_path: { type: "string" } } },
    isConcurrencySafe: () => true,
    isReadOnly: () => true,
    replay: "safe",
    maxResultSizeChars,
    call: async () => ({ content: `file ${++count} of ${files}: ${word.repeat(words(count))}` }),
  };
  return { tool, isDone: () => count >= files };
}

function scriptedReader({ window, noSummaries }: Job, isDone: () => boolean): ScriptedModel {
  return createScriptedModel(
    {
      window,
      rules: [
        {
          name: "summary",
          when: { lastUserText: "the conversation is about to be shortened" },
          reply:
            noSummaries === true
              ? { content: "", stopReason: "refusal" }
              : {
                  content: [
                    { thinking: "what matters" },
                    "1. Request: read all files. 6. Next step: read the next one.",
                  ],
                },
        },
      ],
      fallback: (request) =>
        isDone()
          ? "All read."
          : {
              content: [
                { thinking: `turn ${request.call}` },
                `Reading on after ${request.messages.length} messages.`,
                { tool: "Read", input: { file_path: `/f${request.call}` } },
              ],
            },
    },
    { enforceBinding: true, now: () => 0, sleep: async () => undefined },
  );
}

async function work(job: Job): Promise<Ran> {
  const { tool, isDone } = readerOf(job);
  const scripted = scriptedReader(job, isDone);
  const transport: Transport = (request) => scripted.handle(request);
  const modelId = job.model ?? "claude-opus-5-5";
  const catalog = createCatalog({ models: { [modelId]: { contextWindow: job.toldWindow } } });
  const model = createAnthropicModel({
    baseUrl: "http://127.0.0.1:1",
    apiKey: "key",
    version: "0.1.0",
    transport,
    catalog,
  });
  const definitions = [{ name: tool.name, description: tool.description, inputSchema: tool.inputSchema }];
  const records: Message[] = [];
  let ids = 0;
  const base: Omit<LoopPorts, "context" | "turnEnd"> = {
    model,
    retry: { advise: (failure) => ({ retry: false, failure }) },
    tools: { definitions: () => definitions, find: () => tool, validate: () => ({ ok: true }), cwd: () => "/" },
    permission: { decide: async () => ({ behavior: "allow", reason: { type: "mode", mode: "default" } }) },
    hooks: { has: () => false, run: async () => noHookAnswer, runDetached: () => undefined },
    budget: {
      admit: async ({ maxTokens }) => ({ admitted: true, ticket: "t", maxTokens, lowered: false }),
      settle: () => 0,
    },
    transcript: { append: (message) => (records.push(message), { ok: true }) },
    queue: { take: () => [], settle: () => undefined, news: () => [] },
    clock: {
      now: () => 0,
      elapsed: () => 0,
      timestamp: () => "2026-11-20T12:00:00.000Z",
      timer: () => () => undefined,
    },
    ids: { uuid: () => `id-${ids++}`, random: () => 0 },
  };
  const shared = {
    model: modelId,
    system: [{ text: "You read files.", cacheBreakpoint: true as const }],
    thinking: { type: "auto" as const },
    sessionId: "s",
  };
  const context: ContextPort = createContext({
    ...base,
    requestBase: () => ({ ...shared, tools: definitions }),
    toApi: (messages) => createNormalizer()(messages, { model: modelId, thinking: true, maxImages: 100 }),
    spill: { write: async (name) => `/spill/${name}` },
    reattach: async () => [],
    policy: { ...contextPolicy(), ...job.policy },
  });
  const first = user("prompt", "Read all files.");
  records.push(first);
  const run = query({
    state: createState({ messages: [first], model: modelId }),
    config: { ...shared, fallbackModels: [], querySource: "sdk", includeRawEvents: false },
    ports: { ...base, turnEnd: createTurnEnd({ hooks: base.hooks, ids: base.ids, clock: base.clock }), context },
    limits: { maxTurns: job.files + 20 },
    cancel: createCancel(),
  });
  const events: QueryEvent[] = [];
  for (;;) {
    const step = await run.next();
    if (step.done === true) return { terminal: step.value, events, records, scripted, ...counted(scripted) };
    events.push(step.value);
  }
}

function counted(scripted: ScriptedModel): Pick<Ran, "tooLong" | "invalid" | "summaries"> {
  const refused = scripted.requests.filter((request) => request.status >= 400 && request.status < 500);
  return {
    tooLong: refused.filter((request) => request.violations.length === 0).length,
    invalid: scripted.violations
      .map((violation) => violation.message)
      .filter((message) => !message.includes("prompt is too long")),
    summaries: scripted.requests.filter((request) => request.source === 'rule "summary"').length,
  };
}

const boundaries = (records: readonly Message[]) => records.filter((record) => record.type === "compact_boundary");
const reasons = (events: readonly QueryEvent[]) =>
  events.flatMap((event) => (event.type === "transition" ? [event.transition.reason] : []));

test.each(["claude-opus-5-5", "claude-opus-4-8", "claude-sonnet-4-5"])(
  "%s finishes 120 turns in a window of 20,000 tokens without a refused request",
  async (model) => {
    const { terminal, records, tooLong, invalid, summaries, scripted } = await work({
      window: 20_000,
      toldWindow: 20_000,
      files: 120,
      model,
    });
    expect(invalid).toEqual([]);
    expect(scripted.scriptProblems).toEqual([]);
    expect(terminal).toEqual({ reason: "completed" });
    expect(tooLong).toBe(0);
    expect(boundaries(records).length).toBeGreaterThan(5);
    expect(summaries).toBe(boundaries(records).length);
  },
);

test.each([
  ["words", "word "],
  ["characters of three bytes", "語"],
  ["JSON", '{"a":1},'],
])("a file larger than the window does not end the job: %s", async (_, word) => {
  for (const window of [20_000, 12_000]) {
    const { terminal, invalid, tooLong, records } = await work({
      window,
      toldWindow: window,
      files: 12,
      words: (file) => (file % 3 === 0 ? 40_000 : 10),
      maxResultSizeChars: Infinity,
      word,
    });
    expect(invalid).toEqual([]);
    expect(terminal).toEqual({ reason: "completed" });
    expect(tooLong).toBe(0);
    const spilled = records.filter((record) => JSON.stringify(record).includes("All of it is in /spill/toolu_"));
    expect(spilled.length).toBeGreaterThanOrEqual(4);
  }
});

test("one refusal corrects a catalogue window that is ten times too large", async () => {
  const { terminal, events, records, tooLong, invalid } = await work({
    window: 20_000,
    toldWindow: 200_000,
    files: 100,
  });
  expect(invalid).toEqual([]);
  expect(terminal).toEqual({ reason: "completed" });
  expect(tooLong).toBe(1);
  expect(reasons(events).filter((reason) => reason === "reactive_compact_retry")).toHaveLength(1);
  const triggers = boundaries(records).map((record) => record.type === "compact_boundary" && record.trigger);
  expect(triggers[0]).toBe("reactive");
  expect(triggers.slice(1)).toEqual(triggers.slice(1).map(() => "auto"));
  expect(triggers.length).toBeGreaterThan(1);
});

test("with auto-compact off, reactive compaction alone finishes the job", async () => {
  const { terminal, invalid, tooLong } = await work({
    window: 20_000,
    toldWindow: 20_000,
    files: 60,
    policy: { autoCompact: false },
  });
  expect(invalid).toEqual([]);
  expect(terminal).toEqual({ reason: "completed" });
  expect(tooLong).toBeGreaterThan(0);
});

test("without any summary, the local trim finishes the job", async () => {
  const { terminal, invalid, records, events } = await work({
    window: 20_000,
    toldWindow: 20_000,
    files: 80,
    noSummaries: true,
  });
  expect(invalid).toEqual([]);
  expect(terminal).toEqual({ reason: "completed" });
  expect(boundaries(records).length).toBeGreaterThan(3);
  expect(events.filter((event) => event.type === "notice" && event.name === "auto_compact_stopped")).toHaveLength(1);
});

test("with every layer off, the job stops for the right reason", async () => {
  const off = { autoCompact: false, reactiveCompact: false };
  const blocked = await work({ window: 20_000, toldWindow: 20_000, files: 60, policy: off });
  expect(blocked.terminal).toEqual({ reason: "blocking_limit" });
  expect(blocked).toMatchObject({ invalid: [], tooLong: 0 });
  const refused = await work({ window: 20_000, toldWindow: 200_000, files: 60, policy: off });
  expect(refused.terminal).toEqual({ reason: "prompt_too_long" });
  expect(refused).toMatchObject({ invalid: [], tooLong: 1 });
});

test("the conversation in memory equals the fold of the records", async () => {
  const { records, scripted } = await work({ window: 20_000, toldWindow: 20_000, files: 40 });
  const folded = records.reduce<Message[]>((messages, record) => foldMessage(messages, record), []);
  const sent = scripted.requests.at(-1)!.body!.messages;
  const api = createNormalizer()(folded.slice(0, -2), { model: "claude-opus-5-5", thinking: true, maxImages: 100 });
  expect(api.messages).toHaveLength(sent.length);
});

test("a summary reads the conversation's prefix from the cache", async () => {
  const { scripted } = await work({ window: 40_000, toldWindow: 40_000, files: 40 });
  const summaries = scripted.requests.filter((request) => request.source === 'rule "summary"');
  expect(summaries.length).toBeGreaterThan(0);
  for (const { cache } of summaries) expect(cache!.readTokens / cache!.promptTokens).toBeGreaterThan(0.9);
});

test("for any file sizes and windows the job finishes, or stops because each call fills the window", async () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 5_000 }), { minLength: 5, maxLength: 20 });
  const windows = fc.record({
    window: fc.integer({ min: 12_000, max: 40_000 }),
    lie: fc.constantFrom(1, 1.5, 20),
    noSummaries: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(sizes, windows, async (words, { window, lie, noSummaries }) => {
      const job: Job = {
        window,
        toldWindow: Math.floor(window * lie),
        files: 40,
        noSummaries,
        words: (file) => words[file % words.length]!,
      };
      const { terminal, invalid, tooLong, events } = await work(job);
      expect(invalid).toEqual([]);
      const thrashed = events.filter((event) => event.type === "notice" && event.name === "compaction_thrashing");
      if (thrashed.length === 0) expect(terminal.reason).toBe("completed");
      else expect(["completed", "blocking_limit", "prompt_too_long"]).toContain(terminal.reason);
      expect(thrashed.length).toBeLessThanOrEqual(1);
      // A call's result and what asked for it are a sixth of the window at most: it lasts.
      if (words.every((count) => count <= window / 12)) expect(thrashed).toEqual([]);
      if (lie === 1) expect(tooLong).toBe(0);
    }),
    { numRuns: byTestDepth(4, 25) },
  );
});
