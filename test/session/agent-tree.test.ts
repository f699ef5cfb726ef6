// How many agents a session may have, how many at once, and how many responses they have together.
import { afterEach, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import { AgentTree, defaultTurns, type ReservationAnswer } from "../../src/session/agents/tree.ts";
import { calls, clearGroundsAfterwards, disposeAll, openSession, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

function reserved(answer: ReservationAnswer) {
  if (!answer.ok) throw new Error(answer.message);
  return answer.reservation;
}

test("the agent tree reserves responses before an agent starts and gets unused ones back once", () => {
  const tree = new AgentTree({ turns: 10 });
  const first = reserved(tree.reserve(6));
  expect(first.turns).toBe(6);
  const second = reserved(tree.reserve(undefined));
  expect(second.turns).toBe(4);
  expect(tree.reserve(1)).toMatchObject({ ok: false, isBusy: true });
  expect(tree.spentReason).toBeNull();
  first.release(2);
  first.release(0);
  const third = reserved(tree.reserve(defaultTurns));
  expect(third.turns).toBe(4);
  // One that had more than was set aside for it gives nothing back, and takes nothing of others.
  second.release(9);
  third.release(4);
  const refused = tree.reserve(1);
  expect(refused).toMatchObject({ ok: false, message: expect.stringContaining("Subagent turn limit reached") });
  expect(refused).not.toHaveProperty("isBusy");
  expect(tree.spentReason).toBe(refused.ok ? "" : refused.message);
});

test("the agent tree limits agents running at once and in total, without counting a resumed one again", () => {
  const tree = new AgentTree({ concurrent: 1, count: 2 });
  const left: string[] = [];
  const stop = tree.onRelease(() => left.push("left"));
  const first = reserved(tree.reserve(1));
  expect(tree.reserve(1)).toMatchObject({ ok: false, isBusy: true, message: expect.stringContaining("Concurrent") });
  first.release(1);
  expect(left).toEqual(["left"]);
  stop();
  reserved(tree.reserve(1)).release(1);
  expect(left).toHaveLength(1);
  expect(tree.reserve(1)).toMatchObject({ ok: false, message: expect.stringContaining("Subagent limit reached") });
  for (let time = 0; time < 3; time++) reserved(tree.reserve(1, { isNew: false })).release(1);
});

test("the agent tree does not count an agent that is only resumed", () => {
  const tree = new AgentTree({ count: 1 });
  reserved(tree.reserve(1, { isNew: false })).release(1);
  reserved(tree.reserve(1)).release(1);
  expect(tree.reserve(1).ok).toBe(false);
});

test("the agent tree's depth limit comes from the environment, or before that from the host", async () => {
  const offers = async (options: EngineOptions): Promise<boolean | undefined> => {
    const { engine, model } = await openSession({ fallback: "Done." }, options);
    await turn(engine, "Go.");
    return calls(model)[0]?.body?.tools?.some(({ name }) => name === "Agent");
  };
  const env = { CLAUDE_CODE_MAX_SUBAGENT_SPAWN_DEPTH: "0" };
  expect(await offers({})).toBe(true);
  expect(await offers({ env })).toBe(false);
  expect(await offers({ env, agentLimits: { depth: 1 } })).toBe(true);
});

test("a session that a host opened as a subagent reports the denied calls of its own agents in its result", async () => {
  const write = { content: [{ tool: "Write", input: { file_path: "no.txt", content: "x" } }] };
  const start = { content: [{ tool: "Agent", input: { description: "a task", prompt: "Write." } }] };
  const steps = [start, write, "I was not allowed.", "Done."];
  const { engine } = await openSession({ steps }, { subagent: { agentId: "a", agentType: "helper" } });
  expect((await turn(engine, "Go.")).result.permission_denials).toMatchObject([{ tool_name: "Write" }]);
});
