// How many agents a session may have, how many at once, and how many responses they have together.
import { afterEach, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import { AgentTree, defaultTurns, type Reservation } from "../../src/session/agents/tree.ts";
import { calls, clearGroundsAfterwards, disposeAll, openSession, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

function berth(reservation: Reservation) {
  if (!reservation.ok) throw new Error(reservation.message);
  return reservation.berth;
}

test("the agent tree reserves responses before an agent starts and gets unused ones back once", () => {
  const tree = new AgentTree({ turns: 10 });
  const first = berth(tree.reserve(6));
  expect(first.turns).toBe(6);
  const second = berth(tree.reserve(undefined));
  expect(second.turns).toBe(4);
  expect(tree.reserve(1)).toMatchObject({ ok: false, isBusy: true });
  expect(tree.spentReason).toBeNull();
  first.leave(2);
  first.leave(0);
  const third = berth(tree.reserve(defaultTurns));
  expect(third.turns).toBe(4);
  // One that had more than was set aside for it gives nothing back, and takes nothing of others.
  second.leave(9);
  third.leave(4);
  const refused = tree.reserve(1);
  expect(refused).toMatchObject({ ok: false, message: expect.stringContaining("Subagent turn limit reached") });
  expect(refused).not.toHaveProperty("isBusy");
  expect(tree.spentReason).toBe(refused.ok ? "" : refused.message);
});

test("the agent tree limits agents running at once and in total, without counting a resumed one again", () => {
  const tree = new AgentTree({ concurrent: 1, count: 2 });
  const left: string[] = [];
  const stop = tree.onLeave(() => left.push("left"));
  const first = berth(tree.reserve(1));
  expect(tree.reserve(1)).toMatchObject({ ok: false, isBusy: true, message: expect.stringContaining("Concurrent") });
  first.leave(1);
  expect(left).toEqual(["left"]);
  stop();
  berth(tree.reserve(1)).leave(1);
  expect(left).toHaveLength(1);
  expect(tree.reserve(1)).toMatchObject({ ok: false, message: expect.stringContaining("Subagent limit reached") });
  for (let time = 0; time < 3; time++) berth(tree.reserve(1, { isNew: false })).leave(1);
});

test("the agent tree does not count an agent that is only resumed", () => {
  const tree = new AgentTree({ count: 1 });
  berth(tree.reserve(1, { isNew: false })).leave(1);
  berth(tree.reserve(1)).leave(1);
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
