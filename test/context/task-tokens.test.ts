import { expect, test } from "vitest";
import { taskTokensLost } from "../../src/context/task-tokens.ts";
import { assistant, readLoop, result, use, user } from "./support.ts";

const work = (count: number) => readLoop(count, 3_500).slice(2);
const prompt = user("p", "go");

test("work on earlier prompts, prompts and what the loop wrote do not count", () => {
  const before = [user("p0", "first"), ...work(3), prompt, ...work(1), user("m", "x".repeat(9_000), { isMeta: true })];
  expect(taskTokensLost(before, [prompt, ...work(1)], 1)).toBe(0);
  expect(taskTokensLost(before, before, 1)).toBe(0);
});

test("work on this prompt that is gone counts, whatever stands for it", () => {
  const [before, kept] = [[prompt, ...work(4)], work(4).slice(-2)];
  const summary = user("s", "summary", { isMeta: true, origin: "compaction", isCompactSummary: true });
  const lost = taskTokensLost(before, [summary, ...kept], 1);
  expect(lost).toBeGreaterThan(3_000);
  expect(taskTokensLost(before, [summary, ...kept], 2)).toBe(lost * 2);
  expect(
    taskTokensLost(before, [summary, ...kept, assistant("x", "mx", [use("cx")]), result("rx", "cx", "")], 1),
  ).toBeLessThan(lost);
});
