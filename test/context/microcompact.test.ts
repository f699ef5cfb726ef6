import fc from "fast-check";
import { expect, test } from "vitest";
import type { ImageBlock, Message, ResultsClearedMessage } from "../../src/protocol/index.ts";
import type { ContextInput, ModelInfo } from "../../src/protocol/index.ts";
import { contextPolicy, defaultPolicy } from "../../src/context/policy.ts";
import { requestTokens, spanTokens, wholeTokens } from "../../src/context/measure.ts";
import { planClearing } from "../../src/context/microcompact.ts";
import { scanResults } from "../../src/context/old-results.ts";
import { windowFigures } from "../../src/context/window.ts";
import { createNormalizer } from "../../src/loop/normalize.ts";
import { foldMessage } from "../../src/transcript/index.ts";
import { bound, clearedIds, counted, fixedTokens, history, now, priced, type Turn } from "./rewrites-support.ts";
import {
  assistant,
  drive,
  end,
  fixture,
  inputOf,
  namesOf,
  timestamp,
  use,
  user,
  type FixtureOptions,
} from "./support.ts";

const never = new AbortController().signal;
const reads = (count: number, more: Turn = {}): Turn[] => Array.from({ length: count }, () => more);

async function fitted(
  messages: readonly Message[],
  input: Partial<ContextInput> = {},
  options: FixtureOptions & { at?: number; ttl?: "5m" | "1h" } = {},
) {
  const double = history({ cacheTtl: options.ttl ?? "5m" });
  const at = options.at ?? now;
  const clock = { now: () => at, timestamp: () => new Date(at).toISOString(), timer: () => () => undefined };
  const { context, requests } = fixture({ ...options, deps: { history: double, clock, ...options.deps } });
  const given = inputOf(messages, { model: priced, fixedTokens, turnCount: 20, ...input });
  const { value, events } = await drive(context.fit(given, never));
  if (value.kind !== "ready") throw new Error("The window is full.");
  const records = value.records.filter((record): record is ResultsClearedMessage => record.type === "results_cleared");
  return { ...value, record: records[0], double, events, requests };
}

test("replaces old, large results by one line each, oldest first, and keeps calls, ids and the last three results", async () => {
  const messages = counted(reads(12));
  const { record, messages: after, applied, estimatedTokens, double } = await fitted(messages);
  const ids = Array.from({ length: 9 }, (_, at) => `c${at}`);
  expect(record?.cleared.map(({ toolUseId }) => toolUseId)).toEqual(ids);
  expect(clearedIds(after)).toEqual(ids);
  expect(record?.cleared[0]?.marker).toBe(
    "[Old result left out to save room: Read /src/0.ts gave 40,000 characters. Call Read again with the same input if you still need it.]",
  );
  expect(record).toMatchObject({ why: "money", expectedRequests: 20 });
  expect(record?.netUsd).toBeGreaterThan(0);
  expect(after.slice(0, -1)).toHaveLength(messages.length);
  expect(after.map(({ uuid }) => uuid).slice(0, -1)).toEqual(messages.map(({ uuid }) => uuid));
  expect(after.at(-1)).toBe(record);
  expect(applied).toEqual([{ layer: "microcompact", savedTokens: expect.any(Number) as number }]);
  const before = requestTokens(messages, fixedTokens, 1);
  expect(before - estimatedTokens).toBe(applied[0]?.savedTokens);
  expect(double.forgotten).toBe(1);
});

test("clears a large result only after a response has seen it", async () => {
  const { record } = await fitted(counted([...reads(4), { calls: 10 }]));
  expect(record?.cleared.map(({ toolUseId }) => toolUseId)).toEqual(["c0", "c1", "c2", "c3"]);
});

test.each<[string, Turn]>([
  ["an error", { isError: true }],
  ["of a tool that changes something", { tool: "Write" }],
  ["small", { result: 3_000 }],
  // Seen: the id of a command that was moved to the background, and where its output is, were gone.
  ["of a command that still runs", { tool: "Bash", output: { backgroundTaskId: "b1" } }],
])("keeps a result that is %s", async (_name, turn) => {
  const messages = counted([...reads(3), turn, ...reads(3), turn, ...reads(6)]);
  const { record, messages: after } = await fitted(messages);
  expect(clearedIds(after)).toEqual(["c0", "c1", "c2", "c4", "c5", "c6", "c8", "c9", "c10"]);
  expect(record?.cleared).toHaveLength(9);
  const untouched = counted(reads(12, turn));
  expect((await fitted(untouched)).messages).toBe(untouched);
});

test("the marker names the images and documents that were there", async () => {
  const image: ImageBlock = {
    type: "image",
    source: { type: "base64", media_type: "image/png", data: "A".repeat(40_000) },
  };
  const turns = [
    ...reads(1, { result: [image, { type: "text", text: "y".repeat(1_234) }] }),
    ...reads(1, { result: [image] }),
  ];
  const { record } = await fitted(counted([...turns, ...reads(10)]));
  expect(record?.cleared.slice(0, 2).map(({ marker }) => marker)).toEqual([
    expect.stringContaining("gave an image (image/png, 30 KB) and 1,234 characters.") as string,
    expect.stringContaining("gave an image (image/png, 30 KB).") as string,
  ]);
});

test.each<[string, Turn, string]>([
  [
    "a command",
    { tool: "Bash", input: { command: "make\n\u001b[31m all" } },
    "Bash make all gave 40,000 characters. Call Bash again with the same input if you still need it and that does no harm.]",
  ],
  [
    "what lies in a file",
    {
      result: `[This result of Grep has 900000 characters, more than fits here. All of it is in /tmp/x y/c1.txt: read the part you need, or search it.]\n${"x".repeat(6_000)}`,
    },
    "All of it is in /tmp/x y/c1.txt.]",
  ],
  [
    "a long command's output in a file",
    {
      tool: "Bash",
      input: { command: "ls" },
      result: `${"a".repeat(9_000)}\n[… 4.1 MB left out here; all of it is in /tmp/out.txt …]\n${"b".repeat(9_000)}`,
    },
    "All of it is in /tmp/out.txt.]",
  ],
])("the marker of %s says how to get it again, in one line", async (_name, turn, text) => {
  const { record } = await fitted(counted([turn, ...reads(11)]));
  const marker = record?.cleared[0]?.marker ?? "";
  expect(marker).toContain(text);
  for (const control of ["\n", "\u001b"]) expect(marker).not.toContain(control);
  expect(marker.length).toBeLessThan(700);
});

test.each<[string, object, Record<string, string>]>([
  ["by setting", { microcompactEnabled: false }, {}],
  ["by environment", {}, { DISABLE_MICROCOMPACT: "1" }],
  ["with all compaction", {}, { DISABLE_COMPACT: "true" }],
])("clears nothing if it is switched off %s", async (_name, settings, environment) => {
  const messages = counted(reads(12));
  const policy = { ...contextPolicy(settings, environment), autoCompact: false };
  expect((await fitted(messages, {}, { policy })).messages).toBe(messages);
  expect((await fitted(messages)).record).toBeDefined();
});

test("does not clear if breaking the cache costs more: early in a turn, for little, or with dear writes", async () => {
  const messages = counted(reads(12));
  expect((await fitted(messages, { turnCount: 1 })).record).toBeUndefined();
  expect((await fitted(counted(reads(5)), { turnCount: 5 })).record).toBeUndefined();
  const dear: ModelInfo = { ...priced, prices: [{ ...priced.prices![0]!, cacheWrite5m: 60 }] };
  expect((await fitted(messages, { model: dear })).record).toBeUndefined();
  expect((await fitted(messages, { model: dear }, { ttl: "1h" })).record).toBeDefined();
});

test("clears only if at least the stated amount is saved", async () => {
  const few = counted(reads(11, { result: 3_600 }));
  expect((await fitted(few, { turnCount: 40 })).record).toBeUndefined();
  const policy = { minimumClearing: { tokens: 5_000, share: 0.1 } };
  expect((await fitted(few, { turnCount: 40 }, { policy })).record).toBeDefined();
});

test("clears after the cache has expired, even at the start of a turn", async () => {
  const messages = counted(reads(12));
  const later = { at: now + 5 * 60_000 + 1 };
  expect((await fitted(messages, { turnCount: 1 }, later)).record).toMatchObject({
    why: "cache_expired",
    expectedRequests: 1,
  });
  expect((await fitted(messages, { turnCount: 1 }, { ...later, ttl: "1h" })).record).toBeUndefined();
  expect((await fitted(messages, { turnCount: 1 }, { at: now + 3_600_001, ttl: "1h" })).record?.why).toBe(
    "cache_expired",
  );
});

test("clears if the server caches nothing, because everything is paid in full", async () => {
  const uncached = counted(reads(12)).map((message): Message => {
    if (message.type !== "response_end") return message;
    const { cacheCreationInputTokens, ...usage } = message.usage;
    return { ...message, usage: { ...usage, inputTokens: cacheCreationInputTokens, cacheCreationInputTokens: 0 } };
  });
  expect((await fitted(uncached, { turnCount: 1 })).record?.why).toBe("money");
  const { prices: _, ...undescribed } = { ...priced, id: "own", known: false };
  const byNobody = await fitted(uncached, { turnCount: 1, model: undescribed });
  expect(byNobody.record, "it may cache and not say so").toBeUndefined();
});

test("on models that bind thinking, clearing costs the thinking, which a mark strips", async () => {
  const little = counted(reads(14, { thinking: 500 }));
  const { records, messages } = await fitted(little, { model: bound, turnCount: 40 });
  expect(records.map(({ type }) => type)).toEqual(["thinking_stripped", "results_cleared"]);
  expect(messages.slice(-2)).toEqual(records);
  const ofAnother = await fitted(little, { model: { ...priced, id: "another" }, turnCount: 40 });
  expect(ofAnother.records.map(({ type }) => type)).toEqual(["thinking_stripped", "results_cleared"]);
  const much = counted(reads(14, { thinking: 40_000 }));
  expect((await fitted(much, { model: bound, turnCount: 40 })).record).toBeUndefined();
  expect((await fitted(much, { turnCount: 40 })).records.map(({ type }) => type)).toEqual(["results_cleared"]);
});

test("clears to make room if the request would otherwise be summarised", async () => {
  const messages = counted(reads(12));
  const small = { ...priced, contextWindow: 140_000, maxOutputTokens: 8_000 };
  const result = await fitted(messages, { model: small, turnCount: 1 });
  expect(result.record?.why).toBe("room");
  expect(result.records).toHaveLength(1);
  expect(result.requests).toEqual([]);
  const compacted = await fitted(messages, { model: small, turnCount: 1 }, { policy: { microcompact: false } });
  expect(compacted.records.map(({ type }) => type)).toEqual(["compact_boundary"]);
  expect(compacted.requests).toHaveLength(1);
});

test.each([4, 6])(
  "does not clear if that makes too little room, and the summary sees whole results: %i reads",
  async (count) => {
    const messages = counted([...reads(count), ...reads(12 - count, { tool: "Write" })]);
    const small = { ...priced, contextWindow: 140_000, maxOutputTokens: 8_000 };
    const { records, requests } = await fitted(messages, { model: small, turnCount: 1 });
    expect(records.map(({ type }) => type)).toEqual(["compact_boundary"]);
    expect(JSON.stringify(requests[0]?.messages)).not.toContain("Old result left out");
  },
);

test("uses the usual ratios for a model without prices, and says so once", async () => {
  const { prices: _, ...unknown } = { ...priced, id: "own", known: false };
  const double = history();
  const { context } = fixture({ deps: { history: double } });
  const said: string[] = [];
  for (const prefix of ["x", "y"]) {
    const given = inputOf(counted(reads(12), prefix), { model: unknown, fixedTokens, turnCount: 20 });
    const { value, events } = await drive(context.fit(given, never));
    expect(value).toMatchObject({ records: [{ type: "results_cleared", netUsd: null }] });
    said.push(...namesOf(events));
  }
  expect(said).toEqual(["assumed_price_ratios"]);
});

test("expects no more requests than there were since the last clearing", async () => {
  const first = await fitted(counted(reads(12)));
  const more = counted(reads(3), "z").slice(2);
  const { record } = await fitted(
    [...first.messages, ...more],
    { turnCount: 30 },
    { policy: { minimumClearing: { tokens: 1, share: 1 } } },
  );
  expect(record?.expectedRequests ?? 4).toBe(4);
  const much = counted(reads(14), "z").slice(2);
  expect((await fitted([...first.messages, ...much], { turnCount: 30 })).record?.expectedRequests).toBe(15);
});

test("corrects the count of the last response, and takes the next response's count as it is", async () => {
  const messages = counted(reads(12));
  const { messages: after, estimatedTokens } = await fitted(messages);
  const [whole, real] = [fixedTokens + spanTokens(messages), fixedTokens + spanTokens(after)];
  expect(estimatedTokens).toBeGreaterThanOrEqual(real);
  // Estimates err towards too many: by a tenth of what went, and of what came since.
  expect(estimatedTokens).toBeLessThan(real + (whole - real) * 0.11 + 50);
  const next = [
    ...after,
    assistant("z", "mz", [{ type: "text", text: "so" }]),
    end("ze", "mz", real, 0),
    user("q", "go on"),
  ];
  expect(requestTokens(next, fixedTokens, 1)).toBeLessThan(real + 20);
  const without = after.filter(({ type }) => type !== "response_end");
  expect(requestTokens(without, fixedTokens, 1)).toBe(wholeTokens(without, fixedTokens));
});

test("cleared tokens are subtracted only from the response that counted them", () => {
  const record: Message = {
    type: "results_cleared",
    uuid: "k",
    timestamp,
    why: "money",
    cleared: [],
    savedTokens: 900,
    counted: { responseEnd: "e", tokens: 300 },
    expectedRequests: 1,
    netUsd: 1,
  };
  const messages = [user("p", "x"), assistant("a", "m", [use("c")]), end("e", "m", 1_000, 0), record];
  expect(requestTokens(messages, 0, 1)).toBe(700);
  expect(requestTokens([...messages, { ...record, uuid: "k2" }], 0, 1)).toBe(400);
  expect(
    requestTokens([...messages.slice(0, 3), { ...record, counted: { responseEnd: "other", tokens: 300 } }], 0, 1),
  ).toBe(1_000);
});

const anyTurn: fc.Arbitrary<Turn> = fc.record({
  tool: fc.constantFrom("Read", "Bash", "Write", "Grep"),
  result: fc.constantFrom(10, 2_000, 9_000, 60_000),
  isError: fc.boolean(),
  thinking: fc.option(fc.constantFrom(10, 3_000), { nil: undefined }),
  calls: fc.integer({ min: 1, max: 4 }),
});

test("any clearing keeps calls with their results, clears the oldest large results, and matches its records", async () => {
  const normalized = (messages: readonly Message[]) =>
    createNormalizer()(messages, { model: priced.id, thinking: true, maxImages: 100 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyTurn, { maxLength: 25, size: "max" }),
      fc.constantFrom(priced, bound),
      fc.integer({ min: 1, max: 50 }),
      fc.constantFrom(0, 400_000),
      async (turns, model, turnCount, ms) => {
        const messages = counted(turns);
        const run = await fitted(messages, { model, turnCount }, { at: now + ms, policy: { autoCompact: false } });
        expect(
          run.records.reduce<readonly Message[]>((folded, record) => foldMessage(folded, record), messages),
        ).toEqual(run.messages);
        const { mended } = normalized(run.messages);
        expect([mended.missingResults, mended.strayResults]).toEqual([0, 0]);
        if (run.record === undefined) return;
        expect(run.estimatedTokens).toBeLessThan(requestTokens(messages, fixedTokens, 1));
        const cleared = run.record.cleared.map(({ toolUseId }) => toolUseId);
        const large = turns.flatMap(({ tool, result, isError, calls }, at) =>
          tool === "Write" || isError === true || (result as number) < 9_000
            ? []
            : Array.from({ length: calls! }, (_, call) => (calls === 1 ? `c${at}` : `c${at}-${call}`)),
        );
        expect(large.slice(0, cleared.length)).toEqual(cleared);
        expect(large.length - cleared.length).toBeGreaterThanOrEqual(defaultPolicy.keptResults);
        expect(cleared.some((id) => id === `c${turns.length - 1}` || id.startsWith(`c${turns.length - 1}-`))).toBe(
          false,
        );
        if (run.record.why !== "room" && run.record.netUsd !== null) expect(run.record.netUsd).toBeGreaterThan(0);
      },
    ),
    { numRuns: 60 },
  );
});

test("scanning a long conversation again looks only at new messages", () => {
  const messages = counted(reads(1_000, { result: 9_000 }));
  const policy = { ...defaultPolicy, minimumClearing: { tokens: 1e12, share: 1e6 } };
  const model = { ...priced, contextWindow: 100_000_000 };
  const window = windowFigures(model.contextWindow, 8_000, policy);
  const budget = { tokens: 9e6, fixedTokens, scale: 1, window, model, turnCount: 20, now, cacheTtl: "5m" as const };
  const rules = { leastTokens: 1_000, rerun: (name: string) => history().rerun(name, {}) };
  const scan = scanResults(messages, rules);
  let looked = 0;
  const watched = new Proxy([...messages, ...counted(reads(1), "z").slice(2)], {
    get(target, key, receiver) {
      if (typeof key === "string" && /^\d+$/.test(key)) looked++;
      return Reflect.get(target, key, receiver);
    },
  });
  const again = scanResults(watched, rules, scan);
  expect(again.results).toHaveLength(1_001);
  expect(planClearing(watched, budget, policy, again)).toBeUndefined();
  expect(looked).toBeLessThan(300);
});
