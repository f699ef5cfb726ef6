/** Which part of a conversation is finished work. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Message } from "../../src/protocol/index.ts";
import { findPlaces, readStaged, countParts, type StagedCollapse } from "../../src/context/collapse-staged.ts";
import { messageTokens } from "../../src/context/measure.ts";
import { SpanFinder, type WorkSpan } from "../../src/context/spans.ts";
import { cutPoints } from "../../src/context/trajectories.ts";
import { userTurn } from "./collapse-support.ts";
import { assistant, conversation, readLoop, result, timestamp, use, user } from "./support.ts";

const limits = { minTokens: 1_000, maxTokens: 5_000 };

function found(messages: readonly Message[], kept = 0, { minTokens, maxTokens } = limits): WorkSpan[] {
  return new SpanFinder({ minTokens, maxTokens }).findSpans(messages, kept).spans;
}

const names = (messages: readonly Message[], { start, end: to }: WorkSpan) =>
  messages.slice(start, to).map(({ uuid }) => uuid);

/** A response that writes the todo list, and its result as the tool gives it to clients. */
function todoWrite(id: string, before: string[], after: string[]): Message[] {
  const list = (states: string[]) =>
    states.map((status, item) => ({ content: `item ${item}`, status, activeForm: "" }));
  const toolUseResult = { oldTodos: list(before), newTodos: list(after) };
  return [
    assistant(`${id}-a`, `${id}-m`, [use(`${id}-c`, "TodoWrite", { todos: list(after) })]),
    { ...result(`${id}-r`, `${id}-c`, "The list is updated."), toolUseResult },
  ];
}

test("a user turn is finished once the next has begun, except its prompt", () => {
  const messages = [user("ctx", "memory", { origin: "context", isMeta: true }), ...userTurn("one", 3)];
  expect(found(messages)).toEqual([]);
  const more = [...messages, user("next", "and now?")];
  const [span, ...others] = found(more);
  expect(others).toEqual([]);
  expect(names(more, span!)).toEqual(names(more, { ...span!, start: 2, end: more.length - 1 }));
  expect(span).toMatchObject({ from: "one-a0", to: "one-a", prompt: 1 });
});

test("a span is cut when it becomes too large, and never inside a turn of the model", () => {
  const messages = [...userTurn("one", 12), user("next", "and now?")];
  const spans = found(messages);
  expect(spans.length).toBeGreaterThan(2);
  for (const { tokens } of spans) expect(tokens).toBeLessThanOrEqual(limits.maxTokens + 100);
  for (const [at, { start }] of spans.entries()) expect(start).toBe(at === 0 ? 1 : spans[at - 1]!.end);
  const large = [...userTurn("large", 1, 60_000), user("next", "and now?")];
  expect(found(large)).toMatchObject([{ from: "large-a0", to: "large-a" }]);
});

test("within a user turn, the work before a completed todo item is finished", () => {
  const messages = [
    user("p", "do it"),
    ...todoWrite("t1", [], ["in_progress", "pending"]),
    ...readLoop(3, 3_500).slice(2),
    ...todoWrite("t2", ["in_progress", "pending"], ["completed", "in_progress"]),
    ...userTurn("later", 3).slice(1, -1),
  ];
  const [span, ...others] = found(messages);
  expect(others).toEqual([]);
  expect(names(messages, span!)).toEqual(["t1-a", "t1-r", "a0", "r0", "a1", "r1", "a2", "r2"]);
  const unchanged = messages.filter(({ uuid }) => !uuid.startsWith("t2"));
  expect(found([...unchanged, ...todoWrite("t3", ["in_progress"], ["in_progress"])])).toEqual([]);
});

test("too little work, text without work, and recent work are in no span", () => {
  expect(found([...userTurn("one", 1, 500), user("next", "?")])).toEqual([]);
  const talk = [user("p", "?"), assistant("a", "m", [{ type: "text", text: "word ".repeat(9_000) }]), user("q", "?")];
  expect(found(talk)).toEqual([]);
  // The answer stays, so that it is no saving.
  const short = userTurn("one", 1, 1_500);
  const said = assistant("long", "one-ma", [{ type: "text", text: "word ".repeat(2_000) }]);
  expect(found([...short, said, user("next", "?")])).toEqual([]);
  const messages = [...userTurn("one", 3), ...userTurn("two", 3), user("next", "?")];
  const recent = userTurn("two", 3).reduce((sum, message) => sum + messageTokens(message).total, 0);
  expect(found(messages, recent - 100)).toHaveLength(1);
  expect(found(messages, recent + 100)).toHaveLength(0);
});

test("queued prompts stay outside of spans, and so does a response with unanswered calls", () => {
  const queued: Message = {
    type: "attachment",
    uuid: "queued",
    timestamp,
    attachment: { kind: "queued_command", prompt: [{ type: "text", text: "faster" }], sourceUuid: "s" },
  };
  const [prompt, ...work] = userTurn("one", 6);
  const messages = [prompt!, ...work.slice(0, 6), queued, ...work.slice(6), user("next", "?")];
  const spans = found(messages);
  expect(spans.map(({ from, to }) => [from, to])).toEqual([
    ["one-a0", "one-r2"],
    ["one-a3", "one-a"],
  ]);
  const open = [...userTurn("one", 3).slice(0, 7), assistant("o", "mo", [use("open")]), user("next", "?")];
  expect(found(open)).toMatchObject([{ from: "one-a0", to: "one-r2" }]);
});

test("a response that begins before the previous one's results arrived belongs to the same span", () => {
  const big = "x y z ".repeat(900);
  const messages = [
    user("p", "do it"),
    assistant("a1", "m1", [use("c1")]),
    assistant("a2", "m2", [use("c2")]),
    result("r1", "c1", big),
    result("r2", "c2", big),
    assistant("a3", "m3", [use("c3")]),
    result("r3", "c3", big),
    user("next", "?"),
  ];
  expect(found(messages, 0, { minTokens: 200, maxTokens: 300 }).map(({ from, to }) => [from, to])).toEqual([
    ["a1", "r2"],
    ["a3", "r3"],
  ]);
});

test("a summary of other work is in no span", () => {
  const summary = user("s", "<finished_work>", { isMeta: true, origin: "compaction" });
  const [prompt, ...work] = userTurn("one", 6);
  const messages = [prompt!, ...work.slice(0, 6), summary, ...work.slice(6), user("next", "?")];
  for (const span of found(messages)) expect(names(messages, span)).not.toContain("s");
});

/** Sizes at which small conversations have spans. */
const small = { minTokens: 200, maxTokens: 2_000 };

test("spans of any conversation are whole turns without the user's words or recent work, and are found again", () => {
  let total = 0;
  fc.assert(
    fc.property(conversation, fc.nat(3_000), (messages, kept) => {
      const points = new Set([...cutPoints(messages), messages.length]);
      const spans = found(messages, kept, small);
      let free = messages[0]?.uuid === "ctx" ? 2 : 1;
      total += spans.length;
      for (const { start, end: to, from } of spans) {
        expect(points.has(start)).toBe(true);
        expect(points.has(to)).toBe(true);
        expect(start).toBeGreaterThanOrEqual(free);
        free = to;
        const span = messages.slice(start, to);
        expect(span[0]?.uuid).toBe(from);
        expect(span.some((message) => message.type === "user" && message.isMeta !== true && isWord(message))).toBe(
          false,
        );
        const after = messages.slice(to).reduce((sum, message) => sum + messageTokens(message).total, 0);
        expect(after).toBeGreaterThanOrEqual(kept);
      }
      const staged = spans.map(({ start, end: to, from, to: last }): StagedCollapse => {
        return { from, to: last, count: countParts(messages.slice(start, to)), summary: "s" };
      });
      const places = findPlaces(messages, staged.toReversed());
      expect(places.map((place) => [place.start, place.end])).toEqual(spans.map((span) => [span.start, span.end]));
    }),
    { numRuns: 500 },
  );
  expect(total).toBeGreaterThan(100);
});

function isWord(message: Extract<Message, { type: "user" }>): boolean {
  return !message.content.some((block) => block.type === "tool_result");
}

test("searching any conversation step by step finds the same spans as searching once", () => {
  fc.assert(
    fc.property(conversation, fc.array(fc.nat(60), { maxLength: 8 }), fc.nat(3_000), (messages, steps, kept) => {
      const finder = new SpanFinder(small);
      for (const step of steps.toSorted((one, other) => one - other))
        expect(finder.findSpans(messages.slice(0, step), kept).hasRestarted).toBe(false);
      const last = finder.findSpans(messages, kept);
      expect(last).toEqual({ spans: found(messages, kept, small), hasRestarted: false });
      expect(finder.findSpans(messages, kept)).toEqual(last);
    }),
    { numRuns: 300 },
  );
});

test("the search starts over if the past has changed", () => {
  const finder = new SpanFinder(limits);
  const messages = [...userTurn("one", 3), user("next", "?")];
  finder.findSpans(messages, 0);
  const other = [...userTurn("two", 2, 5_000), user("next", "?")];
  expect(finder.findSpans(other, 0)).toEqual({ spans: found(other), hasRestarted: true });
});

test("a further search looks only at new messages", () => {
  const seen = (messages: readonly Message[]) => {
    let count = 0;
    const counting = new Proxy(messages, {
      get(target, key, receiver) {
        if (typeof key === "string" && /^\d+$/.test(key)) count++;
        return Reflect.get(target, key, receiver) as unknown;
      },
    });
    return { counting, count: () => count };
  };
  const past = Array.from({ length: 200 }, (_, at) => userTurn(`u${at}`, 3)).flat();
  const finder = new SpanFinder(limits);
  finder.findSpans(past, 0);
  const { counting, count } = seen([...past, user("next", "?")]);
  expect(finder.findSpans(counting, 0).spans.length).toBeGreaterThan(190);
  expect(count()).toBeLessThan(20);
});

const staged: StagedCollapse = { from: "one-a0", to: "one-r2", count: 6, summary: "done" };

test.each<[string, (messages: Message[]) => Message[], Partial<StagedCollapse>]>([
  ["its first message is gone", (messages) => messages.filter(({ uuid }) => uuid !== "one-a0"), {}],
  ["its last message is gone", (messages) => messages.filter(({ uuid }) => uuid !== "one-r2"), {}],
  [
    "a message inside it is gone",
    (messages) => messages.filter(({ uuid }) => uuid !== "one-r1" && uuid !== "one-a1"),
    {},
  ],
  ["a message was inserted into it", (messages) => messages.toSpliced(3, 0, user("new", "x", { isMeta: true })), {}],
  ["a user message was inserted into it", (messages) => messages.toSpliced(3, 0, user("new", "x")), { count: 7 }],
  ["it begins between a tool call and its result", (messages) => messages, { from: "one-r0", count: 5 }],
  ["it ends between a tool call and its result", (messages) => messages, { to: "one-a2", count: 5 }],
  ["its first and last message have changed places", (messages) => messages, { from: "one-r2", to: "one-a0" }],
])("a staged span has no place if %s", (_name, change, more) => {
  const messages = [...userTurn("one", 3), user("next", "?")];
  expect(findPlaces(messages, [staged])).toMatchObject([{ start: 1, end: 7 }]);
  expect(findPlaces(change(messages), [{ ...staged, ...more }])).toEqual([]);
});

test("the older of two overlapping spans keeps its place", () => {
  const messages = [...userTurn("one", 3), user("next", "?")];
  const other = { ...staged, from: "one-a1", to: "one-a", count: 5 };
  expect(findPlaces(messages, [other, staged])).toMatchObject([{ staged }]);
});

test("reads staged spans from a transcript field by field, and only the newest ones", () => {
  const bad = [null, 7, {}, { ...staged, from: 1 }, { ...staged, to: "" }, { ...staged, count: 0.5 }];
  const worse = [
    { ...staged, summary: " " },
    { ...staged, summary: "x".repeat(20_000) },
    { ...staged, from: "u".repeat(200) },
  ];
  const more = { ...staged, from: "two", extra: { deep: true } };
  expect(readStaged([...bad, staged, ...worse, more], 5)).toEqual([staged, { ...staged, from: "two" }]);
  expect(readStaged([staged, more], 1)).toEqual([{ ...staged, from: "two" }]);
  expect(readStaged({ 0: staged }, 5)).toEqual([]);
});
