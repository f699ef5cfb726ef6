// One event at a time, in an order that only the choices decide; time moves where nothing is due.
import { expect, test } from "vitest";
import { Choices } from "./choices.ts";
import { Scheduler } from "./scheduler.ts";
import { Trace } from "./trace.ts";

const owner = { name: "p", isDead: false };

function scheduler(seed: number): Scheduler {
  return new Scheduler(new Choices(seed), new Trace(false));
}

test("events that are due at once happen in every order", async () => {
  const orders = new Set<string>();
  for (let seed = 0; seed < 60; seed++) {
    const events = scheduler(seed);
    const order: string[] = [];
    for (const name of ["a", "b", "c"]) events.schedule(0, name, owner, () => order.push(name));
    expect(await events.runUntil(() => order.length === 3, 10)).toBe("done");
    orders.add(order.join(""));
  }
  expect(orders.size).toBe(6);
});

test("everything that can settle settles between two events", async () => {
  const events = scheduler(1);
  const seen: string[] = [];
  events.schedule(0, "a", owner, () => {
    const late = async (): Promise<void> => {
      await Promise.resolve();
      await Promise.resolve();
      seen.push("settled");
    };
    late().catch(() => seen.push("failed"));
  });
  events.schedule(1, "b", owner, () => seen.push("b"));
  await events.runUntil(() => seen.length === 2, 10);
  expect(seen).toEqual(["settled", "b"]);
  expect(events.elapsed).toBe(1);
});

test("a wait that nothing ends is detected, and so is an endless chain of events", async () => {
  expect(await scheduler(1).runUntil(() => false, 10)).toBe("nothing can happen");
  const endless = scheduler(1);
  const again = (): void => void endless.schedule(1, "again", owner, again);
  again();
  expect(await endless.runUntil(() => false, 50)).toBe("too many events");
});

test("events of a dead process never happen", async () => {
  const events = scheduler(1);
  const dying = { name: "d", isDead: false };
  let isReached = false;
  events.schedule(5, "late", dying, () => {
    isReached = true;
  });
  events.dropEvents(dying);
  expect(await events.runUntil(() => isReached, 10)).toBe("nothing can happen");
});
