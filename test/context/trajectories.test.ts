import fc from "fast-check";
import { expect, test } from "vitest";
import type { Message } from "../../src/protocol/index.ts";
import { cutPoints, headLength } from "../../src/context/trajectories.ts";
import { planCompaction } from "../../src/context/plan.ts";
import { spanTokens } from "../../src/context/measure.ts";
import { assistant, conversation, end, readLoop, result, thinking, use, user } from "./support.ts";

const idsIn = (messages: readonly Message[], kind: "tool_use" | "tool_result") =>
  new Set(
    messages
      .flatMap((message) => (message.type === "user" || message.type === "assistant" ? message.content : []))
      .flatMap((block) =>
        block.type === "tool_use" && kind === "tool_use"
          ? [block.id]
          : block.type === "tool_result" && kind === "tool_result"
            ? [block.tool_use_id]
            : [],
      ),
  );

const responsesIn = (messages: readonly Message[]) =>
  new Set(
    messages.flatMap((message) =>
      message.type === "assistant" || message.type === "response_end" ? [message.messageId] : [],
    ),
  );

test("a cut never separates a call from its result, or blocks of one response", () => {
  fc.assert(
    fc.property(conversation, (messages) => {
      for (const cut of cutPoints(messages)) {
        const [before, after] = [messages.slice(0, cut), messages.slice(cut)];
        expect(idsIn(before, "tool_use")).toEqual(idsIn(before, "tool_result"));
        expect(idsIn(after, "tool_use")).toEqual(idsIn(after, "tool_result"));
        const shared = [...responsesIn(before)].filter((id) => responsesIn(after).has(id));
        expect(shared).toEqual([]);
      }
    }),
    { numRuns: 500 },
  );
});

test("every border between whole turns is a cut point", () => {
  const messages = [
    user("p", "hi"),
    assistant("a", "m1", [thinking("t"), use("c")]),
    result("r", "c", "x"),
    assistant("b", "m2", [use("d")]),
    end("e", "m2", 1),
    result("s", "d", "x"),
    user("q", "more"),
  ];
  expect(cutPoints(messages)).toEqual([1, 3, 6]);
});

test("a call without a result does not prevent later cuts", () => {
  const messages = [
    user("p", "hi"),
    assistant("a", "m1", [use("lost")]),
    user("q", "again"),
    assistant("b", "m2", [use("d")]),
    result("s", "d", "x"),
  ];
  expect(cutPoints(messages)).toEqual([1, 2, 3]);
});

test("a plan keeps the head, whole turns within the tail's tokens, and always the last turn", () => {
  fc.assert(
    fc.property(conversation, fc.nat(8_000), (messages, tailTokens) => {
      const plan = planCompaction(messages, tailTokens);
      if (plan === undefined) {
        expect(cutPoints(messages).filter((point) => point > headLength(messages))).toEqual([]);
        return;
      }
      expect([...plan.head, ...plan.older, ...plan.tail]).toEqual(messages);
      expect(plan.tail.length).toBeGreaterThan(0);
      expect(plan.older.length).toBeGreaterThan(0);
      const last = cutPoints(messages).at(-1)!;
      if (plan.tail.length > messages.length - last) expect(spanTokens(plan.tail)).toBeLessThanOrEqual(tailTokens);
    }),
    { numRuns: 500 },
  );
});

test("prefers a cut at a prompt to one within work", () => {
  const messages = [
    ...readLoop(3, 100),
    user("p1", `Now the tests${" please".repeat(60)}`),
    assistant("b", "n", [use("d")]),
    result("s", "d", "x"),
  ];
  const plan = planCompaction(messages, 300);
  expect(plan).toMatchObject({ firstPrompt: "Find the bug" });
  expect(plan?.tail[0]).toMatchObject({ uuid: "p1" });
});

test("limits the length of the reference to the user's first message", () => {
  const plan = planCompaction(readLoop(3, 100, `start ${"x".repeat(50_000)} end`), 10);
  expect(plan?.firstPrompt?.length).toBeLessThanOrEqual(4_000);
  expect(plan?.firstPrompt).toMatch(/^start .* … .* end$/s);
});
