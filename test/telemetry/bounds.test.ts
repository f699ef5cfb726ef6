// Memory has a bound, whatever a collector does: of what waits the oldest goes.
import { expect, test } from "vitest";
import { Counters } from "../../src/telemetry/counters.ts";
import { BoundedQueue } from "../../src/telemetry/queue.ts";

test("a queue holds so many records and so many characters, the newest", () => {
  const queue = new BoundedQueue<number>({ records: 3, characters: 10 });
  for (const each of [1, 2, 3, 4]) queue.push(each, 1);
  expect([queue.size, queue.dropped]).toEqual([3, 1]);
  queue.push(5, 9);
  expect(queue.take(9).records).toEqual([4, 5]);
  queue.push(6, 1_000);
  expect(queue.size).toBe(1);
});

test("what could not be sent comes back before what came since, within the same bound", () => {
  const queue = new BoundedQueue<number>({ records: 3, characters: 100 });
  for (const each of [1, 2]) queue.push(each, 1);
  const { putBack } = queue.take(2);
  for (const each of [3, 4]) queue.push(each, 1);
  putBack();
  expect([queue.take(9).records, queue.dropped]).toEqual([[2, 3, 4], 1]);
});

const about = { name: "n", unit: "u", description: "d" };

test("differences that could not be sent are added to the next", () => {
  const counters = new Counters(false, 0);
  counters.add(about, 2, { a: 1, b: 2 }, 1);
  const { points, putBack } = counters.collect(5);
  expect(points).toMatchObject([{ value: 2, fromMs: 0, atMs: 5 }]);
  counters.add(about, 3, { b: 2, a: 1 }, 6);
  putBack();
  expect(counters.collect(9).points).toMatchObject([{ value: 5, fromMs: 0, atMs: 9 }]);
  expect(counters.size).toBe(0);
});

test("cumulative counters go on", () => {
  const counters = new Counters(true, 0);
  counters.add(about, 2, {}, 1);
  expect(counters.collect(5).points).toMatchObject([{ value: 2 }]);
  counters.add(about, 3, {}, 6);
  expect(counters.collect(9).points).toMatchObject([{ value: 5, fromMs: 0 }]);
});

test("kinds of a point have a bound: the rest is one point", () => {
  const counters = new Counters(false, 0);
  for (let at = 0; at < 3_000; at++) counters.add(about, 1, { at }, 1);
  const { points } = counters.collect(2);
  expect(points).toHaveLength(2_001);
  expect(points.at(-1)).toMatchObject({ value: 1_000, attributes: { "otel.metric.overflow": true } });
});
