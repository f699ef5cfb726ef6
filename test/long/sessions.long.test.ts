// What two hundred sessions hold, and give back: heap after a collection, with sessions alive and with sessions closed.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, expect, test } from "vitest";
import { openOne, signals } from "../session/many-sessions.ts";
import { clearGrounds, disposeAll, layGround, turn } from "../session/support.ts";

afterAll(clearGrounds);

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

async function heap(): Promise<number> {
  for (let round = 0; round < 4; round++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return process.memoryUsage().heapUsed;
}

const count = 200;
const turns = 20;

test(`${count} sessions of ${turns} turns hold little beyond their messages, and closed ones nothing`, async () => {
  const ground = layGround();
  ground.file("known.txt", "what is known\n");
  const round = async (): Promise<{ alive: number; messages: number }> => {
    const engines = await Promise.all(Array.from({ length: count }, () => openOne(ground, turns)));
    await Promise.all(engines.map((engine) => turn(engine, "Go.")));
    signals.clear();
    const alive = await heap();
    const messages = engines.reduce((sum, engine) => sum + JSON.stringify(engine.getMessages()).length, 0);
    await disposeAll();
    return { alive, messages };
  };
  await round();
  const start = await heap();
  const { alive, messages } = await round();
  const end = await heap();
  const each = (alive - start - messages) / count / 1024;
  console.log(
    `sessions: ${each.toFixed(0)} KB each beyond ${(messages / count / 1024).toFixed(0)} KB of messages; ${((end - start) / 1024).toFixed(0)} KB left of ${count}`,
  );
  expect(each).toBeLessThan(150);
  expect(end - start).toBeLessThan(2 * 1024 * 1024);
});
