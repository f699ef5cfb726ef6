import { expect, test } from "vitest";
import { taskTokensLost } from "../../src/context/task-tokens.ts";
import { assistant, drive, fixture, inputOf, readLoop, result, use, user } from "./support.ts";

const work = (count: number) => readLoop(count, 3_500).slice(2);
const prompt = user("p", "go");

test("work on earlier prompts, prompts, and messages of the loop do not count", () => {
  const before = [user("p0", "first"), ...work(3), prompt, ...work(1), user("m", "x".repeat(9_000), { isMeta: true })];
  expect(taskTokensLost(before, [prompt, ...work(1)], 1)).toBe(0);
  expect(taskTokensLost(before, before, 1)).toBe(0);
});

test("removed work on the current prompt counts, whatever replaces it", () => {
  const [before, kept] = [[prompt, ...work(4)], work(4).slice(-2)];
  const summary = user("s", "summary", { isMeta: true, origin: "compaction", isCompactSummary: true });
  const lost = taskTokensLost(before, [summary, ...kept], 1);
  expect(lost).toBeGreaterThan(3_000);
  expect(taskTokensLost(before, [summary, ...kept], 2)).toBe(lost * 2);
  expect(
    taskTokensLost(before, [summary, ...kept, assistant("x", "mx", [use("cx")]), result("rx", "cx", "")], 1),
  ).toBeLessThan(lost);
});

test("the model's text counts as work", () => {
  const said = assistant("w", "mw", [{ type: "text", text: "word ".repeat(2_000) }]);
  expect(taskTokensLost([prompt, said], [prompt], 1)).toBeGreaterThan(1_500);
});

test("the lost tokens of earlier compactions survive a failed compaction, and a successful one adds to them", async () => {
  const { context } = fixture({ says: [{ fail: { recovery: "none" } }] });
  const tracking = { consecutiveFailures: 1, lastCompactedTurn: 3, taskTokensLost: 70_000_000 };
  const after = async (turnCount: number) => {
    const input = inputOf(readLoop(84, 3_000), { tracking, turnCount });
    const { value } = await drive(context.fit(input, new AbortController().signal));
    return value.kind === "ready" ? value.tracking : undefined;
  };
  expect(await after(8)).toEqual({ ...tracking, consecutiveFailures: 2 });
  const compacted = await after(9);
  expect(compacted).toMatchObject({ consecutiveFailures: 0, lastCompactedTurn: 9 });
  expect(compacted?.taskTokensLost).toBeGreaterThan(70_000_000);
});
