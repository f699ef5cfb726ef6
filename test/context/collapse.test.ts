/** Layers 3 and 5: finished work is summarised in the background, and its summaries are used when they are needed. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { CollapseCommitMessage, ContextInput, FitResult, Message } from "../../src/protocol/index.ts";
import { contextPolicy } from "../../src/context/index.ts";
import { commitUntil } from "../../src/context/collapse-commit.ts";
import { countParts, placesOf, type StagedCollapse } from "../../src/context/collapse-staged.ts";
import type { Pass, World } from "../../src/context/layer.ts";
import { requestTokens, wholeTokens } from "../../src/context/measure.ts";
import { SpanFinder } from "../../src/context/spans.ts";
import { isPrompt } from "../../src/context/trajectories.ts";
import { fold } from "../../src/transcript/index.ts";
import {
  collapseInput,
  collapsing,
  finished,
  staged,
  userTurn,
  uuidsOf,
  type CollapseFixture,
} from "./collapse-support.ts";
import {
  assistant,
  conversation,
  drive,
  fixture,
  modelInfo,
  namesOf,
  requestProblems,
  timestamp,
  unboundModel,
  user,
} from "./support.ts";

const never = new AbortController().signal;
// Of a window of 100,000 tokens, 92,000 count: staging from 64,400, auto-compact at 82,800, 73,600 leaves a tenth free.
const [low, high, room] = [66_000, 84_000, 73_600];

type Ready = Extract<FitResult, { kind: "ready" }>;

async function fit(
  made: CollapseFixture,
  messages: readonly Message[],
  more: Partial<ContextInput> = {},
): Promise<Ready> {
  const { value } = await drive(made.context.fit(collapseInput(messages, more), never));
  if (value.kind !== "ready") throw new Error("full");
  return value;
}

/** Prepares requests until nothing more is summarised. */
async function stageAll(made: CollapseFixture, messages: readonly Message[]): Promise<void> {
  for (let before = -1; before !== made.requests.length;) {
    before = made.requests.length;
    await fit(made, messages);
    await made.collapses.settled();
  }
}

const commits = (records: readonly Message[]): CollapseCommitMessage[] =>
  records.filter((record) => record.type === "collapse_commit");
const said = (messages: readonly Message[]): string => JSON.stringify(messages);

test("from 70 % on, one finished span after the other is summarised, and no request waits for it or changes", async () => {
  const told: number[] = [];
  const made = collapsing({ onStaged: (all) => told.push(all.length) });
  const messages = finished(low);
  const first = await fit(made, messages);
  expect(first).toMatchObject({ messages, records: [], applied: [] });
  expect(made.requests).toHaveLength(1);
  await stageAll(made, messages);
  expect(
    made.collapses.places(messages).map(({ start, end }) => [messages[start]!.uuid, messages[end - 1]!.uuid]),
  ).toEqual([
    ["one-a0", "one-r16"],
    ["one-a17", "one-a"],
    ["two-a0", "two-r16"],
    ["two-a17", "two-a"],
    ["three-a0", "three-r16"],
    ["three-a17", "three-a"],
  ]);
  expect(told).toEqual([1, 2, 3, 4, 5, 6]);
  expect(made.ledger).toEqual(Array.from({ length: 6 }, () => "usage 1000 true"));
});

test("a span is shown alone, with the prompt it was done for, without thinking and without a cache mark", async () => {
  const made = collapsing();
  await fit(made, finished(low));
  await made.collapses.settled();
  const [request] = made.requests;
  expect(request).toMatchObject({
    ...made.deps.requestBase(),
    querySource: "compaction",
    cacheBreakpoints: [],
    maxTokens: 8_000,
  });
  const text = JSON.stringify(request!.messages);
  expect(request!.messages[0]).toMatchObject({ role: "user", content: [{ text: "prompt one" }] });
  expect(text).toContain("one-c0");
  expect(text).toContain("one-c16");
  expect(text).not.toContain("one-c17");
  expect(text).not.toContain("thought");
  expect(text).not.toContain("memory");
  expect(request!.messages.at(-1)).toMatchObject({ role: "user" });
  expect(text).toContain("The work above is finished");
});

test("below 70 % of the window nothing is looked at", async () => {
  const made = collapsing({ policy: { microcompact: false, snip: false } });
  const messages = finished(64_000);
  let touched = 0;
  const watched = new Proxy(messages, {
    get(target, key, receiver) {
      if (typeof key === "string" && /^\d+$/.test(key) && Number(key) < 160) touched++;
      return Reflect.get(target, key, receiver) as unknown;
    },
  });
  // Once each message is looked at for its images.
  await fit(made, messages);
  await fit(made, watched);
  expect([touched, made.requests.length]).toEqual([0, 0]);
});

test("a lowered threshold of auto-compact lowers that of staging", async () => {
  const made = collapsing({ policy: { autoCompactPercent: 45 } });
  await fit(made, finished(32_000));
  expect(made.requests).toHaveLength(0);
  await fit(made, finished(33_000));
  expect(made.requests).toHaveLength(1);
});

test("over the threshold, the oldest are committed one by one until a tenth of the window is free", async () => {
  const made = collapsing();
  await stageAll(made, finished(low));
  const messages = finished(high);
  const calls = made.requests.length;
  const { records, messages: next, estimatedTokens, applied, tracking } = await fit(made, messages);
  const made1 = commits(records);
  expect(records.map(({ type }) => type)).toEqual(["thinking_stripped", "collapse_commit"]);
  expect(made1[0]!.targets).toEqual(uuidsOf(messages.slice(2, 36)));
  expect(made1).toMatchObject([{ counted: { responseEnd: "e" } }]);
  expect(made1[0]!.preTokens).toBe(requestTokens(messages, 1_000, 1));
  expect(made1[0]!.preTokens - made1[0]!.postTokens).toBe(made1[0]!.counted!.tokens);
  expect(estimatedTokens).toBe(made1[0]!.postTokens);
  expect(estimatedTokens).toBeLessThanOrEqual(room);
  expect(applied).toEqual([{ layer: "context_collapse", savedTokens: made1[0]!.preTokens - estimatedTokens }]);
  expect(tracking).toEqual({ consecutiveFailures: 0 });
  expect(records.reduce((folded, record) => fold(folded, record), messages)).toEqual(next);
  expect(requestTokens(next, 1_000, 1)).toBeLessThan(estimatedTokens + 200);
  expect(requestProblems(next, { boundThinkingFrom: 0 })).toEqual([]);
  expect(said(next)).toContain("<finished_work>\\nsummary 1\\n</finished_work>");
  expect(said(next)).toContain("prompt one");
  expect([made.requests.length - calls, made.forgotten()]).toEqual([0, 1]);
  const larger = await fit(
    collapsing({ restored: made.collapses.places(messages).map(({ staged: each }) => each) }),
    finished(91_000),
  );
  expect(commits(larger.records)).toHaveLength(2);
});

test("where the staged summaries would not make room for a while, the cache is left whole for auto-compact", async () => {
  const messages = finished(high);
  const made = collapsing({ restored: [staged(messages, "one-a0", "one-r3")] });
  const { records } = await fit(made, messages);
  expect(records.map(({ type }) => type)).toEqual(["compact_boundary"]);
  expect(made.requests.map(({ key }) => key)).toEqual(["t1.compact.0"]);
  expect(JSON.stringify(made.requests[0]!.messages)).not.toContain("summary of one-a0");
});

test("a compaction asks for its summary without the thinking that a mark behind it has taken back", async () => {
  const stripped: Message = { type: "thinking_stripped", uuid: "mark", timestamp, reason: "rewritten" };
  const made = collapsing({ policy: { contextCollapse: false } });
  const { records } = await fit(made, [...finished(high), stripped, user("r", "go on")]);
  expect(records).toMatchObject([{ type: "compact_boundary", lastSummarizedUuid: "four-r5" }]);
  expect(made.requests.map(({ key }) => key)).toEqual(["t1.compact.0"]);
  expect(JSON.stringify(made.requests[0]!.messages).includes("thought")).toBe(false);
});

test("where auto-compact may not run, they are committed all the same, and more are staged", async () => {
  const messages = finished(high);
  const made = collapsing({ restored: [staged(messages, "one-a0", "one-r7")], policy: { autoCompact: false } });
  const { records } = await fit(made, messages);
  expect(commits(records)).toHaveLength(1);
  expect(made.requests.map(({ key }) => key)).toEqual(["t1.collapse"]);
  const little = collapsing({ restored: [staged(messages, "one-a0", "one-r2")], policy: { autoCompact: false } });
  expect((await fit(little, messages)).records).toEqual([]);
});

test("the answer the user has read stays, without the thinking before it", async () => {
  const messages = finished(high);
  const restored = [staged(messages, "one-a0", "one-a")];
  const { value } = await drive(collapsing({ restored }).context.drain(collapseInput(messages), never));
  if (value.kind !== "shrunk") throw new Error(value.why);
  const [prompt, summary, answer, next] = value.messages.slice(1, 5);
  expect([prompt, next]).toEqual([messages[1], messages.find(({ uuid }) => uuid === "two-p")]);
  expect(summary).toMatchObject({ type: "user", isMeta: true, origin: "compaction" });
  expect(answer).toMatchObject({
    type: "assistant",
    messageId: "one-ma",
    content: [{ type: "text", text: "answer one" }],
  });
});

test("after a refusal all that is staged is committed", async () => {
  const messages = finished(low);
  const restored = [staged(messages, "two-a0", "two-a"), staged(messages, "one-a0", "one-a")];
  const made = collapsing({ restored });
  expect(made.context.canDrain(messages)).toBe(true);
  const { value, events } = await drive(made.context.drain(collapseInput(messages), never));
  if (value.kind !== "shrunk") throw new Error(value.why);
  expect(value.committed).toBe(2);
  expect(namesOf(events)).toEqual(["compacting"]);
  expect(commits(value.records).map(({ targets }) => targets[0])).toEqual(["one-a0", "two-a0"]);
  expect(value.afterTokens).toBeLessThan(value.beforeTokens * 0.6);
  expect(value.records.reduce((folded, record) => fold(folded, record), messages)).toEqual(value.messages);
  expect(requestProblems(value.messages, { boundThinkingFrom: 0 })).toEqual([]);
  expect([made.context.canDrain(value.messages), made.forgotten()]).toEqual([false, 1]);
  expect((await drive(made.context.drain(collapseInput(value.messages), never))).value).toMatchObject({
    kind: "no_progress",
    why: "no collapse was staged",
  });
});

test("a drain that would save less than a twentieth is no progress, and changes nothing", async () => {
  const messages = finished(low);
  const made = collapsing({ restored: [staged(messages, "one-a0", "one-r2")] });
  expect((await drive(made.context.drain(collapseInput(messages), never))).value).toMatchObject({
    kind: "no_progress",
    why: expect.stringContaining("less than 5 %") as string,
  });
  expect([made.context.canDrain(messages), made.forgotten()]).toEqual([true, 0]);
});

test("what is still being made is not waited for", async () => {
  const messages = finished(low);
  const made = collapsing({ hangs: true });
  await fit(made, messages);
  await fit(made, messages);
  expect(made.requests).toHaveLength(1);
  expect(made.context.canDrain(messages)).toBe(false);
  expect((await drive(made.context.drain(collapseInput(messages), never))).value.kind).toBe("no_progress");
  await made.collapses.close();
});

test("closing ends what runs, pays for it, and begins nothing any more", async () => {
  const told: unknown[] = [];
  const made = collapsing({ hangs: true, onStaged: (all) => told.push(all) });
  await fit(made, finished(low));
  await made.collapses.close();
  expect(made.timers).toEqual([]);
  expect([told, made.ledger]).toEqual([[], ["unknown"]]);
  await fit(made, finished(low));
  expect(made.requests).toHaveLength(1);
});

test("a summary that takes too long is given up, and the span tried once more", async () => {
  const made = collapsing({ hangs: true });
  const messages = finished(low);
  for (const expected of [1, 2]) {
    await fit(made, messages);
    expect(made.timers.map(({ ms }) => ms)).toEqual([300_000]);
    made.timers[0]!.fire();
    await made.collapses.settled();
    expect(made.requests).toHaveLength(expected);
  }
  expect(made.context.canDrain(messages)).toBe(true);
});

const failing: [string, Parameters<typeof collapsing>[0]][] = [
  ["the call fails", { says: [{ fail: {} }, { fail: {} }] }],
  [
    "the model refuses",
    {
      says: [
        { text: "no", stopReason: "refusal" },
        { text: "no", stopReason: "refusal" },
      ],
    },
  ],
  [
    "it is cut",
    {
      says: [
        { text: "a", stopReason: "max_tokens" },
        { text: "a", stopReason: "max_tokens" },
      ],
    },
  ],
  [
    "the model goes on working",
    {
      says: [
        { text: "a", stopReason: "tool_use" },
        { text: "a", stopReason: "tool_use" },
      ],
    },
  ],
  ["nothing is said", { says: ["", ""] }],
  ["it is too long", { says: ["word ".repeat(8_000), "word ".repeat(4_000)] }],
];

test.each(failing)("where %s twice, a local digest stands in", async (_name, options) => {
  const made = collapsing(options);
  const messages = finished(low);
  await fit(made, messages);
  await made.collapses.settled();
  expect(made.context.canDrain(messages)).toBe(false);
  await fit(made, messages);
  await made.collapses.settled();
  const [place] = made.collapses.places(messages);
  expect(place!.staged.summary).toContain("No summary could be made.");
  expect(place!.staged.summary).toContain('- Read {"file_path":"/src/16.ts"}');
  expect(made.requests).toHaveLength(2);
  await fit(made, messages);
  await made.collapses.settled();
  expect(made.collapses.places(messages)[1]!.staged.summary).toBe("summary 3");
});

test("a summary that is longer than half of its span is none", async () => {
  const turns = Array.from({ length: 22 }, (_, at) => userTurn(`t${at}`, 1, 10_000)).flat();
  const made = collapsing({ says: ["word ".repeat(1_300), "word ".repeat(1_000)] });
  const messages = [...turns, user("q", "go on")];
  for (const expected of [0, 1]) {
    await fit(made, messages);
    await made.collapses.settled();
    expect(made.collapses.places(messages)).toHaveLength(expected);
  }
});

test("what the budget has not to spare is not called for; the digest costs nothing", async () => {
  const made = collapsing({ refuseBudget: true });
  const messages = finished(low);
  await fit(made, messages);
  await made.collapses.settled();
  expect(made.collapses.places(messages)).toEqual([]);
  await fit(made, messages);
  await made.collapses.settled();
  expect(made.collapses.places(messages)).toHaveLength(1);
  expect([made.requests, made.ledger]).toEqual([[], []]);
});

test("the background asks the budget as one nobody waits for", async () => {
  const asked: unknown[] = [];
  const { budget } = fixture().deps;
  const admit: typeof budget.admit = async (request) => (asked.push(request.spare), budget.admit(request));
  const made = collapsing({ deps: { budget: { ...budget, admit } } });
  await fit(made, finished(low));
  await made.collapses.settled();
  expect(asked).toEqual([true]);
});

test("a summary of a span that was rewritten meanwhile is dropped", async () => {
  const made = collapsing();
  const messages = finished(low);
  await fit(made, messages);
  const rewritten = messages.filter(({ uuid }) => uuid !== "one-a3" && uuid !== "one-r3");
  await made.collapses.settled();
  expect(made.context.canDrain(messages)).toBe(true);
  expect(made.context.canDrain(rewritten)).toBe(false);
  await stageAll(made, rewritten);
  const places = made.collapses.places(rewritten);
  expect(rewritten[places[0]!.start]!.uuid).toBe("one-a0");
  expect(made.collapses.places(messages).map(({ staged: { from } }) => from)).not.toContain("one-a0");
});

test("what an earlier process staged is not paid for again", async () => {
  const messages = finished(low);
  const before = collapsing();
  await stageAll(before, messages);
  const kept = before.collapses.places(messages).map(({ staged: each }) => each);
  const resumed = collapsing({ restored: JSON.parse(JSON.stringify(kept)) as unknown });
  await stageAll(resumed, messages);
  expect(resumed.requests).toEqual([]);
  expect((await fit(resumed, finished(high))).records).toHaveLength(2);
});

test("where spans are cut otherwise, because the model is another, none is summarised twice", async () => {
  const made = collapsing();
  const messages = finished(low);
  await stageAll(made, messages);
  const before = made.requests.length;
  const model = { ...modelInfo, contextWindow: 90_000 };
  for (let round = 0; round < 4; round++) {
    await fit(made, messages, { model });
    await made.collapses.settled();
  }
  const shown = made.requests.slice(before).map((request) => JSON.stringify(request.messages));
  const places = made.collapses.places(messages);
  expect(places).toHaveLength(before + shown.length);
  for (const text of shown) expect(text).not.toMatch(/"(one|two|three)-c/);
});

test("no more summaries wait than may", async () => {
  const made = collapsing({ policy: { stagedCollapses: 2 } });
  await stageAll(made, finished(low));
  expect(made.requests).toHaveLength(2);
});

test("switched off, the layer does nothing; with the drain off only that", async () => {
  const messages = finished(high);
  const restored = [staged(messages, "one-a0", "one-a"), staged(messages, "two-a0", "two-a")];
  const off = collapsing({ restored, policy: { contextCollapse: false, autoCompact: false } });
  expect((await fit(off, messages)).records).toEqual([]);
  expect([off.requests, off.context.canDrain(messages)]).toEqual([[], false]);
  expect((await drive(off.context.drain(collapseInput(messages), never))).value).toMatchObject({
    why: "collapse_drain is switched off",
  });
  const noDrain = collapsing({ restored, policy: { collapseDrain: false, autoCompact: false } });
  expect(noDrain.context.canDrain(messages)).toBe(false);
  expect(commits((await fit(noDrain, messages)).records)).toHaveLength(1);
  const noStore = fixture({ policy: { autoCompact: false } });
  expect(noStore.context.canDrain(messages)).toBe(false);
  expect((await drive(noStore.context.fit(collapseInput(messages), never))).value).toMatchObject({ records: [] });
});

test.each<[string, object, object, object]>([
  ["by default", {}, {}, { contextCollapse: true, collapsePercent: 70 }],
  ["off by setting", { contextCollapseEnabled: false }, {}, { contextCollapse: false }],
  ["off by environment", {}, { DISABLE_CONTEXT_COLLAPSE: "1" }, { contextCollapse: false }],
  ["off with all compaction", {}, { DISABLE_COMPACT: "1" }, { contextCollapse: false }],
  ["without auto-compact", { autoCompactEnabled: false }, {}, { contextCollapse: true }],
  ["from another share on", { contextCollapsePercent: 50 }, {}, { collapsePercent: 50 }],
  ["environment over setting", { contextCollapsePercent: 50 }, { PAWL_COLLAPSE_PCT: "60" }, { collapsePercent: 60 }],
  ["a share that is none", {}, { PAWL_COLLAPSE_PCT: "0" }, { collapsePercent: 70 }],
])("the policy %s", (_name, settings, environment, expected) => {
  const given = environment as Record<string, string>;
  expect(contextPolicy(settings, given)).toMatchObject(expected);
});

test("thinking that is bound to its prefix goes with it, and stays where whole turns of the user's are collapsed otherwise", async () => {
  const messages = finished(high);
  const strips = async (model: typeof modelInfo, spans: StagedCollapse[]) => {
    const { value } = await drive(
      collapsing({ restored: spans }).context.drain(collapseInput(messages, { model }), never),
    );
    if (value.kind !== "shrunk") throw new Error(value.why);
    return value.records.filter(({ type }) => type === "thinking_stripped").length;
  };
  const whole = [staged(messages, "one-a0", "one-a")];
  const parts = [staged(messages, "one-a0", "one-r16"), staged(messages, "one-a17", "one-a")];
  expect(await strips(modelInfo, whole)).toBe(1);
  expect(await strips(unboundModel, whole)).toBe(0);
  expect(await strips(unboundModel, parts)).toBe(0);
  expect(await strips(unboundModel, parts.slice(0, 1))).toBe(1);
});

test("an abort during it leaves all as it was", async () => {
  const messages = finished(low);
  const made = collapsing({ restored: [staged(messages, "one-a0", "one-a")] });
  const aborted = AbortSignal.abort();
  expect((await drive(made.context.drain(collapseInput(messages), aborted))).value.kind).toBe("no_progress");
  await drive(made.context.fit(collapseInput(messages), aborted));
  expect(made.requests).toEqual([]);
});

test("long results are cut in their middle for the summary", async () => {
  const turns = ["one", "two", "three"].flatMap((name) => userTurn(name, 1, 80_000));
  const made = collapsing();
  const { value } = await drive(made.context.fit(collapseInput([...turns, user("q", "?")]), never));
  expect(value.kind).toBe("ready");
  await made.collapses.settled();
  const sent = JSON.stringify(made.requests[0]!.messages);
  expect(sent.length).toBeLessThan(70_000);
  expect(sent).toContain(" … ");
});

test("for any conversation, spans and target: the user's words stay, the request is valid, the records say it all", () => {
  let total = 0;
  const { deps } = fixture();
  const memory = { windows: new Map(), scale: 1, failures: 0, hasSaidStopped: false, hasWarned: false };
  const world = { ...deps, memory } as unknown as World;
  fc.assert(
    fc.property(conversation, fc.nat(20_000), fc.boolean(), fc.nat(30), (messages, target, isBound, summaryWords) => {
      const model = isBound ? modelInfo : unboundModel;
      const { spans } = new SpanFinder({ least: 200, most: 2_000 }).look(messages, 500);
      const summaries = spans.map(({ start, end, from, to }): StagedCollapse => {
        return { from, to, count: countParts(messages.slice(start, end)), summary: "word ".repeat(summaryWords + 1) };
      });
      const tokens = requestTokens(messages, 300, 1);
      const window = { window: 1, effective: 1, warnAt: 1, compactAt: 1, blockAt: 1 };
      const pass: Pass = {
        world,
        input: collapseInput(messages, { model, fixedTokens: 300 }),
        messages,
        tokens,
        window,
      };
      const made = commitUntil(pass, placesOf(messages, summaries), target);
      total += made.count;
      expect(made.records.reduce((folded, record) => fold(folded, record), messages)).toEqual(made.messages);
      expect(made.messages.filter(isPrompt)).toEqual(messages.filter(isPrompt));
      expect(requestProblems(made.messages, isBound && made.count > 0 ? { boundThinkingFrom: 0 } : {})).toEqual([]);
      expect(made.count).toBe(commits(made.records).length);
      const isDone = made.tokens <= target || made.count === spans.length;
      expect(isDone).toBe(true);
      expect(wholeTokens(made.messages, 300)).toBeLessThanOrEqual(wholeTokens(messages, 300) + 60 * made.count);
      const fewer = commits(made.records).slice(0, -1);
      expect(fewer.every(({ postTokens }) => postTokens > target)).toBe(true);
    }),
    { numRuns: 400 },
  );
  expect(total).toBeGreaterThan(100);
});

test("a span that a later response was counted with is taken from that count once", async () => {
  const messages = finished(high);
  const restored = [staged(messages, "one-a0", "one-a"), staged(messages, "two-a0", "two-a")];
  const { value } = await drive(collapsing({ restored }).context.drain(collapseInput(messages), never));
  if (value.kind !== "shrunk") throw new Error(value.why);
  const [first, second] = commits(value.records);
  expect(first!.postTokens).toBe(second!.preTokens);
  expect(requestTokens(value.messages, 1_000, 1)).toBeGreaterThan(second!.postTokens - 100);
  const answered = [...value.messages, assistant("n", "mn", [{ type: "text", text: "x" }])];
  const end = { ...messages.at(-2)!, uuid: "ne", messageId: "mn" } as Message;
  expect(requestTokens([...answered, end], 1_000, 1)).toBe(high);
});
