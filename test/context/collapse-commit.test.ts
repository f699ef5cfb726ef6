/** The use of staged summaries, layers 3 and 5: over the threshold as many as make room, after a refusal all of them. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { CollapseCommitMessage, Message } from "../../src/protocol/index.ts";
import { commitUntil } from "../../src/context/collapse-commit.ts";
import { countParts, findPlaces, type StagedCollapse } from "../../src/context/collapse-staged.ts";
import type { Pass, World } from "../../src/context/layer.ts";
import { requestTokens, wholeTokens } from "../../src/context/measure.ts";
import { SpanFinder } from "../../src/context/spans.ts";
import { isPrompt } from "../../src/context/trajectories.ts";
import { foldMessage } from "../../src/transcript/index.ts";
import {
  collapseInput,
  collapsing,
  finished,
  fit,
  high,
  low,
  never,
  stageAll,
  staged,
  uuidsOf,
} from "./collapse-support.ts";
import {
  assistant,
  conversation,
  drive,
  fixture,
  modelInfo,
  namesOf,
  requestProblems,
  result,
  timestamp,
  unboundModel,
  use,
  user,
} from "./support.ts";

/** A tenth of the window is free. */
const room = 73_600;

const commits = (records: readonly Message[]): CollapseCommitMessage[] =>
  records.filter((record) => record.type === "collapse_commit");
const said = (messages: readonly Message[]): string => JSON.stringify(messages);

test("above the threshold, the oldest spans are committed until a tenth of the window is free", async () => {
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
  expect(records.reduce((folded, record) => foldMessage(folded, record), messages)).toEqual(next);
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

test("keeps the cache for auto-compact if the staged summaries would not free enough room", async () => {
  const messages = finished(high);
  const made = collapsing({ restored: [staged(messages, "one-a0", "one-r3")] });
  const { records } = await fit(made, messages);
  expect(records.map(({ type }) => type)).toEqual(["compact_boundary"]);
  expect(made.requests.map(({ key }) => key)).toEqual(["t1.compact.0"]);
  expect(JSON.stringify(made.requests[0]!.messages)).not.toContain("summary of one-a0");
});

test("a compaction's summary request leaves out thinking that a later mark has stripped", async () => {
  const stripped: Message = { type: "thinking_stripped", uuid: "mark", timestamp, reason: "rewritten" };
  const made = collapsing({ policy: { contextCollapse: false } });
  const { records } = await fit(made, [...finished(high), stripped, user("r", "go on")]);
  expect(records).toMatchObject([{ type: "compact_boundary", lastSummarizedUuid: "four-r5" }]);
  expect(made.requests.map(({ key }) => key)).toEqual(["t1.compact.0"]);
  expect(JSON.stringify(made.requests[0]!.messages).includes("thought")).toBe(false);
});

test("without auto-compact, staged spans are committed all the same and more are staged", async () => {
  const messages = finished(high);
  const made = collapsing({ restored: [staged(messages, "one-a0", "one-r7")], policy: { autoCompact: false } });
  const { records } = await fit(made, messages);
  expect(commits(records)).toHaveLength(1);
  expect(made.requests.map(({ key }) => key)).toEqual(["t1.collapse"]);
  const little = collapsing({ restored: [staged(messages, "one-a0", "one-r2")], policy: { autoCompact: false } });
  expect((await fit(little, messages)).records).toEqual([]);
});

test("stages no more spans if the consumer cancels on the compacting event", async () => {
  const messages = finished(high);
  const made = collapsing({ restored: [staged(messages, "one-a0", "one-r7")], policy: { autoCompact: false } });
  const user = new AbortController();
  const steps = made.context.fit(collapseInput(messages), user.signal);
  for (let step = await steps.next(); step.done !== true; step = await steps.next())
    if (step.value.type === "compacting") user.abort();
  expect([user.signal.aborted, made.requests]).toEqual([true, []]);
});

test("keeps the answer that the user has read, without the thinking before it", async () => {
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

/** What remains of the first turn's response if the turn ended with `last` and was summarised completely. */
async function leftOf(last: Message[]) {
  const messages = finished(high).flatMap((message) => (message.uuid === "one-a" ? last : [message]));
  const restored = [staged(messages, "one-a0", last.at(-1)!.uuid)];
  const { value } = await drive(collapsing({ restored }).context.drain(collapseInput(messages), never));
  if (value.kind !== "shrunk") throw new Error(value.why);
  const between = value.messages.slice(
    2,
    value.messages.findIndex(({ uuid }) => uuid === "two-p"),
  );
  expect(between[0]).toMatchObject({ type: "user", origin: "compaction" });
  return between.slice(1).map((message) => message.type === "assistant" && message.content);
}

test.each<[string, Message[]]>([
  [
    "words before a call",
    [assistant("x", "mx", [{ type: "text", text: "I look" }, use("u")]), result("xr", "u", "read")],
  ],
  ["no words", [assistant("x", "mx", [{ type: "text", text: " " }])]],
])("keeps only the summary of a turn that ended with %s", async (_, last) => {
  expect(await leftOf(last)).toEqual([]);
});

test("keeps the text before an API error, which is no answer itself", async () => {
  const failure: Message = {
    ...assistant("f", "mf", [{ type: "text", text: "overloaded" }]),
    apiError: { kind: "overloaded" },
  };
  expect(await leftOf([assistant("x", "mx", [{ type: "text", text: "done" }]), failure])).toEqual([
    [{ type: "text", text: "done" }],
  ]);
});

// Seen: a session that was closed after a collapse was not told that its background work had ended with it.
test.each<[string, string[], Record<string, object>]>([
  ["a span whose background work still runs stays", ["one"], { "one-r0": { backgroundTaskId: "b1" } }],
  [
    "a span whose background agent still runs stays",
    ["one"],
    { "one-r0": { status: "async_launched", agentId: "a1" } },
  ],
  [
    "a span is committed if a later message reports the end of its work",
    [],
    { "one-r0": { backgroundTaskId: "b1" }, "two-r0": { task_id: "b1" } },
  ],
  ["a span that reports the end of earlier work stays", ["two"], { ctx: {}, "two-r0": { task_id: "b1" } }],
])("a span counts as finished only if its background work is finished too: %s", async (_, stays, outputs) => {
  const listed = { kind: "reminder", name: "background", text: 'Running:\n- b1: "make"; no output' } as const;
  const messages = finished(low).flatMap((message): Message[] => {
    const toolUseResult = outputs[message.uuid];
    if (toolUseResult === undefined) return [message];
    if (message.uuid === "ctx") return [message, { type: "attachment", uuid: "l", timestamp, attachment: listed }];
    return [{ ...message, toolUseResult } as Message];
  });
  const restored = ["one", "two", "three"].map((name) => staged(messages, `${name}-a0`, `${name}-a`));
  const { value } = await drive(collapsing({ restored }).context.drain(collapseInput(messages), never));
  if (value.kind !== "shrunk") throw new Error(value.why);
  const left = uuidsOf(value.messages);
  expect(["one", "two", "three"].filter((name) => left.includes(`${name}-a0`))).toEqual(stays);
  expect(value.committed).toBe(3 - stays.length);
});

test("after a refusal all staged spans are committed", async () => {
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
  expect(value.records.reduce((folded, record) => foldMessage(folded, record), messages)).toEqual(value.messages);
  expect(requestProblems(value.messages, { boundThinkingFrom: 0 })).toEqual([]);
  expect([made.context.canDrain(value.messages), made.forgotten()]).toEqual([false, 1]);
  expect((await drive(made.context.drain(collapseInput(value.messages), never))).value).toMatchObject({
    kind: "no_progress",
    why: "no collapse was staged",
  });
});

test("marks about earlier messages stay when the span around them is replaced", async () => {
  const mark = (uuid: string): Message => ({ type: "thinking_stripped", uuid, timestamp, reason: "model_changed" });
  const messages = finished(low).flatMap((message) =>
    message.uuid === "one-r4" ? [message, mark("mark")] : [message],
  );
  const made = collapsing({ restored: [staged(messages, "one-a0", "one-a")] });
  const { value } = await drive(made.context.drain(collapseInput(messages, { model: unboundModel }), never));
  if (value.kind !== "shrunk") throw new Error(value.why);
  expect(uuidsOf(value.messages)).toContain("mark");
  expect(uuidsOf(value.messages)).not.toContain("one-r4");
});

test("a drain that would save less than a twentieth makes no progress and changes nothing", async () => {
  const messages = finished(low);
  const made = collapsing({ restored: [staged(messages, "one-a0", "one-r2")] });
  expect((await drive(made.context.drain(collapseInput(messages), never))).value).toMatchObject({
    kind: "no_progress",
    why: expect.stringContaining("less than 5 %") as string,
  });
  expect([made.context.canDrain(messages), made.forgotten()]).toEqual([true, 0]);
});

test("does nothing if the layer is switched off, and only does not drain if the drain is switched off", async () => {
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

test("strips thinking only if it is bound to its prefix, also if a turn is collapsed in part", async () => {
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
  expect(await strips({ ...unboundModel, id: "another" }, whole)).toBe(1);
  expect(await strips(unboundModel, parts)).toBe(0);
  expect(await strips(unboundModel, parts.slice(0, 1))).toBe(0);
});

test("any commit keeps the user's words, leaves a valid request, and matches its records", () => {
  let total = 0;
  const { deps } = fixture();
  const memory = { windows: new Map(), scale: 1, failures: 0, hasSaidStopped: false, hasWarned: false };
  const world = { ...deps, memory } as unknown as World;
  fc.assert(
    fc.property(conversation, fc.nat(20_000), fc.boolean(), fc.nat(30), (messages, target, isBound, summaryWords) => {
      const model = isBound ? modelInfo : unboundModel;
      const { spans } = new SpanFinder({ minTokens: 200, maxTokens: 2_000 }).findSpans(messages, 500);
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
      const made = commitUntil(pass, findPlaces(messages, summaries), target);
      total += made.count;
      expect(made.records.reduce((folded, record) => foldMessage(folded, record), messages)).toEqual(made.messages);
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

test("tokens of a span that a later response has counted are subtracted from that count only once", async () => {
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
