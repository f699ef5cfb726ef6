// A prompt that the budget does not cover stays for a session with more of it, and keeps no later prompt of this one from its answer.
import { afterEach, expect, test } from "vitest";
import type { SDKMessage } from "../../src/protocol/sdk.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  expectSame,
  layGround,
  linesOf,
  openSession,
  turn,
  type Opened,
} from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const paste = "lorem ipsum ".repeat(40_000);
const model = "claude-sonnet-5-5";

function open(maxBudgetUsd: number, extra: object = {}, ground = layGround()): Promise<Opened> {
  return openSession({ fallback: "Here." }, { maxBudgetUsd, model, ...extra }, ground);
}

function toldOf(messages: readonly SDKMessage[]): string {
  return messages.flatMap((each) => (each.type === "system" && "content" in each ? [each.content] : [])).join("\n");
}

test("one that is too dear is refused, and the next that is not is answered without it", async () => {
  const { engine, model: server } = await open(0.2);
  expect((await turn(engine, "One.")).result.subtype).toBe("success");
  for (let time = 0; time < 2; time++)
    expect((await turn(engine, paste)).result.terminal_reason).toBe("budget_exhausted");
  const { result, messages } = await turn(engine, "Two.");
  expect(result.subtype).toBe("success");
  expect(toldOf(messages)).toMatch(
    /was taken out of the conversation: with it this prompt could cost \$0\.\d+, and \$0\.20 is left/u,
  );
  const sent = JSON.stringify(calls(server).at(-1)?.body);
  expect([sent.includes("lorem"), sent.includes("One."), sent.includes("Two.")]).toEqual([false, true, true]);
  expect(linesOf(engine).filter(({ type }) => type === "tombstone")).toHaveLength(1);
  expectSame(engine);
  expect((await turn(engine, "Three.")).result.subtype).toBe("success");
});

test("it stays where the next would not be covered without it either, and for a session with a budget of its own", async () => {
  const ground = layGround();
  const { engine } = await open(0.000_1, {}, ground);
  for (const prompt of [paste, "And now?"])
    expect((await turn(engine, prompt)).result.terminal_reason).toBe("budget_exhausted");
  const resume = engine.getSessionId();
  await engine.dispose();
  const again = await open(5, { resume }, ground);
  expect((await turn(again.engine, "Go on.")).result.subtype).toBe("success");
  expect(JSON.stringify(calls(again.model).at(-1)?.body)).toContain("lorem");
});

test("it stays where another model is asked, which may be cheaper", async () => {
  const { engine, model: server } = await open(0.3);
  expect((await turn(engine, paste)).result.terminal_reason).toBe("budget_exhausted");
  engine.setModel("claude-haiku-4-5");
  expect((await turn(engine, "Go on.")).result.subtype).toBe("success");
  expect(JSON.stringify(calls(server).at(-1)?.body)).toContain("lorem");
});

test("what was answered after all stays, whatever the budget does not cover later", async () => {
  const { engine, model: server } = await open(0.3);
  expect((await turn(engine, paste)).result.terminal_reason).toBe("budget_exhausted");
  engine.setModel("claude-haiku-4-5");
  expect((await turn(engine, "Go on.")).result.subtype).toBe("success");
  engine.setModel(model);
  for (const prompt of ["And now?", "And now?"])
    expect((await turn(engine, prompt)).result.terminal_reason).toBe("budget_exhausted");
  expect(JSON.stringify(engine.getMessages())).toContain("lorem");
  expect(calls(server)).toHaveLength(1);
});
