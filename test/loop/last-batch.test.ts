// Which batch is the last of its run: what `decide` concludes from it, and what `act` asks before it takes queued prompts, must agree.
import { describe, expect, test } from "vitest";
import { isLastBatch } from "../../src/loop/decide.ts";
import { expectSound } from "./support/after.ts";
import { facts, limitsWith, says, stateWith, verdictOf } from "./support/facts.ts";
import { noticeNames, runWith } from "./support/harness.ts";
import { call, toolUse } from "./support/script.ts";

const hookStopped = { event: "PostToolUse", message: "Enough." };
const mayGoOn = {};
const mayNotGoOn = { maxTurns: 1 };

describe("after a batch", () => {
  test.each([
    ["the next turn follows", { hookStopped: null, endsTurn: false }, mayGoOn, "again next_turn"],
    ["no turn follows the last", { hookStopped: null, endsTurn: false }, mayNotGoOn, "stop max_turns"],
    ["the end is judged if a tool ended the turn", { hookStopped: null, endsTurn: true }, mayGoOn, "on"],
    ["the end is judged even in the last turn", { hookStopped: null, endsTurn: true }, mayNotGoOn, "on"],
    ["a hook stops the run", { hookStopped, endsTurn: false }, mayGoOn, "stop hook_stopped"],
    ["a hook stops the run before its end is judged", { hookStopped, endsTurn: true }, mayGoOn, "stop hook_stopped"],
  ])("%s, and queued prompts are taken only for a next turn", (_, end, limits, expected) => {
    const at = { turnCount: 1 };
    expect(says(verdictOf("batch_settled", end, at, limits))).toBe(expected);
    const isLast = isLastBatch(stateWith(at), { ...facts.batch_settled, ...end }, limitsWith(limits));
    expect(isLast).toBe(expected !== "again next_turn");
  });
});

test("a turn that a tool ended is not one in which the model said nothing", async () => {
  const tools = { Last: { body: async () => ({ content: "Taken.", endsTurn: true as const }) } };
  const ran = await runWith({ model: [call(toolUse("Last"))], tools });
  expect(ran.terminal).toEqual({ reason: "completed" });
  expect(noticeNames(ran.events)).toEqual([]);
  expectSound(ran);
});
