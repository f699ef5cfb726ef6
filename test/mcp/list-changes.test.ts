import { expect, test } from "vitest";
import { ListChanges } from "../../src/mcp/list-changes.ts";

/** Stands still until it is put forward. */
function handClock() {
  let now = 0;
  let timers: { at: number; fire: () => void }[] = [];
  return {
    elapsed: () => now,
    timer(ms: number, fire: () => void) {
      const timer = { at: now + ms, fire };
      timers.push(timer);
      return () => void (timers = timers.filter((other) => other !== timer));
    },
    waits: () => timers.map(({ at }) => at - now),
    forward(ms: number) {
      now += ms;
      const due = timers.filter(({ at }) => at <= now);
      timers = timers.filter(({ at }) => at > now);
      for (const { fire } of due) fire();
    },
  };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const ignored = (): void => undefined;

test("reads the lists at once, and then at most five times a second", async () => {
  const clock = handClock();
  const changes = new ListChanges(clock);
  let looks = 0;
  const look = async (): Promise<void> => {
    looks += 1;
    changes.noteChange(look, ignored);
  };
  changes.noteChange(look, ignored);
  changes.noteChange(look, ignored);
  await settle();
  expect(looks).toBe(1);
  clock.forward(199);
  await settle();
  expect(looks).toBe(1);
  clock.forward(1);
  await settle();
  expect(looks).toBe(2);
});

test("waits for a read at most two seconds, or until the caller aborts", async () => {
  const clock = handClock();
  const changes = new ListChanges(clock);
  const never = new AbortController();
  await changes.settled(never.signal);
  let done: () => void = () => undefined;
  changes.noteChange(() => new Promise((resolve) => void (done = resolve)), ignored);
  await settle();
  await changes.settled(AbortSignal.abort());
  let isOver = false;
  const waiting = changes.settled(never.signal).then(() => (isOver = true));
  clock.forward(1_999);
  await settle();
  expect(isOver).toBe(false);
  clock.forward(1);
  await waiting;
  done();
});

test("also waits for a change that is announced a little later, if asked to", async () => {
  const clock = handClock();
  const changes = new ListChanges(clock);
  const { signal } = new AbortController();
  const read = Promise.withResolvers<void>();
  let settledCount = 0;
  const waiting = [changes.settled(signal, 30), changes.settled(signal, 30)].map((each) =>
    each.then(() => (settledCount += 1)),
  );
  clock.forward(29);
  changes.noteChange(() => read.promise, ignored);
  clock.forward(1);
  await settle();
  expect(settledCount).toBe(0);
  read.resolve();
  await Promise.all(waiting);
  const inVain = changes.settled(signal, 30);
  clock.forward(30);
  await inVain;
  await changes.settled(AbortSignal.abort(), 30);
});

test("no longer waits for late changes after ten calls without one, until a change is announced", async () => {
  const clock = handClock();
  const changes = new ListChanges(clock);
  const { signal } = new AbortController();
  const waitInVain = async (calls: number): Promise<void> => {
    const waiting = Array.from({ length: calls }, () => changes.settled(signal, 30));
    expect(clock.waits()).toEqual(waiting.map(() => 30));
    clock.forward(30);
    await Promise.all(waiting);
  };
  for (let batch = 0; batch < 10; batch++) await waitInVain(3);
  await changes.settled(signal, 30);
  changes.noteChange(() => Promise.resolve(), ignored);
  await changes.settled(signal, 30);
  await waitInVain(1);
});

test("after a read that took too long, calls do not wait until one is answered", async () => {
  const clock = handClock();
  const changes = new ListChanges(clock);
  const { signal } = new AbortController();
  let done: () => void = () => undefined;
  const look = (): Promise<void> => new Promise((resolve) => void (done = resolve));
  changes.noteChange(look, ignored);
  await settle();
  const first = changes.settled(signal);
  clock.forward(2_000);
  await first;
  await changes.settled(signal);
  done();
  await settle();
  changes.noteChange(look, ignored);
  await settle();
  let isOver = false;
  const next = changes.settled(signal).then(() => (isOver = true));
  await settle();
  expect(isOver).toBe(false);
  done();
  await next;
});
