// Old sessions go by themselves: while an answer comes, once a process, and never where that could be wrong.
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import { put } from "../support/put.ts";
import {
  clearGroundsAfterwards,
  disposeAll,
  impatientClock,
  layGround,
  listed,
  openOn,
  scripted,
  turn,
  type Ground,
} from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const day = 24 * 60 * 60 * 1000;
const oldId = "00000000-0000-4000-8000-000000000001";
const newId = "00000000-0000-4000-8000-000000000002";

function layOld(ground: Ground): void {
  const folder = join(ground.pawlHome, "projects", "-somewhere");
  mkdirSync(folder, { recursive: true });
  for (const [id, age] of [
    [oldId, 40],
    [newId, 3],
  ] as const) {
    const path = join(folder, `${id}.jsonl`);
    writeFileSync(path, "{}\n");
    const at = (Date.now() - age * day) / 1000;
    utimesSync(path, at, at);
  }
}

const kept = (ground: Ground): string[] =>
  [oldId, newId].filter((id) => listed(ground.pawlHome).some((name) => name.includes(id)));

/** Turns until nothing is left to wait for: the sweep goes on between them. */
async function talk(ground: Ground, options: EngineOptions, turns = 30): Promise<string[]> {
  const lines: string[] = [];
  const engine = await openOn(ground, scripted({ fallback: "." }), { ...options, debug: (line) => lines.push(line) });
  for (let count = 0; count < turns; count++) {
    await turn(engine, "Hi.");
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  await engine.dispose();
  return lines;
}

test("drafts of settings left by a dead process are removed by a later session, but not those of a living one", async () => {
  const ground = layGround();
  const draftOf = (pid: number): string => `.pawl-${pid}-0123456789abcdef01.tmp`;
  const [dead, unseen] = [4_000_000, 4_000_001];
  for (const pid of [dead, unseen, process.pid]) put(join(ground.pawlHome, draftOf(pid)), "half of");
  const old = (Date.now() - day) / 1000;
  for (const pid of [dead, process.pid]) utimesSync(join(ground.pawlHome, draftOf(pid)), old, old);
  await talk(ground, {}, 1);
  const drafts = readdirSync(ground.pawlHome).filter((name) => name.endsWith(".tmp"));
  // Of another container, or another machine with this home, no process is seen.
  expect(drafts.toSorted()).toEqual([draftOf(unseen), draftOf(process.pid)].toSorted());
});

describe("a session that was not used for a long time", () => {
  test("is removed with a line in the debug log, and newer ones stay", async () => {
    const ground = layGround();
    layOld(ground);
    const lines = await talk(ground, {});
    expect(kept(ground)).toEqual([newId]);
    expect(lines).toContain(`sweep removed 1 sessions: ${oldId}`);
  });

  test("is removed also if every session ends with its first answer, as in scripts", async () => {
    const ground = layGround();
    layOld(ground);
    // However long it takes, the moment that a session takes for it is not over.
    const clock = { ...impatientClock, elapsed: () => 0 };
    const engine = await openOn(ground, scripted({ fallback: "." }), { clock });
    await turn(engine, "Hi.");
    await engine.dispose();
    expect(kept(ground)).toEqual([newId]);
  });

  test("is kept for the period that settings give", async () => {
    const ground = layGround();
    layOld(ground);
    await talk(ground, { settings: JSON.stringify({ cleanupPeriodDays: 50 }) });
    expect(kept(ground)).toEqual([oldId, newId]);
  });

  test("is kept if settings give an invalid period", async () => {
    const ground = layGround();
    layOld(ground);
    await talk(ground, { settings: JSON.stringify({ cleanupPeriodDays: "forever" }), onNotice: () => undefined });
    expect(kept(ground)).toEqual([oldId, newId]);
  });

  test("is not removed by a session that is not saved itself", async () => {
    const ground = layGround();
    layOld(ground);
    await talk(ground, { persistSession: false });
    expect(kept(ground)).toEqual([oldId, newId]);
  });
});

test("the sweep starts once the model answers, and only once per process", async () => {
  const ground = layGround();
  layOld(ground);
  const idle = await openOn(ground, scripted({ fallback: "." }));
  await idle.dispose();
  await talk(ground, {}, 0);
  expect(kept(ground)).toEqual([oldId, newId]);
  await talk(ground, {});
  expect(kept(ground)).toEqual([newId]);
  layOld(ground);
  await talk(ground, {});
  expect(kept(ground)).toEqual([oldId, newId]);
});

test("a sweep that a session did not finish is continued by the next one", async () => {
  const ground = layGround();
  layOld(ground);
  // The moment that a session takes for it is over at once.
  let elapsed = 0;
  const clock = { ...impatientClock, elapsed: () => (elapsed += 1_000) };
  const engine = await openOn(ground, scripted({ fallback: "." }), { clock });
  const messages = engine.submitMessage("Hi.");
  for await (const message of messages) if (message.type === "assistant") break;
  await engine.dispose();
  expect(kept(ground)).toEqual([oldId, newId]);
  await talk(ground, {});
  expect(kept(ground)).toEqual([newId]);
});
