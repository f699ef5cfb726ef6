// Memory has a bound, whatever a collector does: of what waits the oldest goes.
import { setImmediate } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { Counters } from "../../src/telemetry/counters.ts";
import { readPlan } from "../../src/telemetry/plan.ts";
import { BoundedQueue } from "../../src/telemetry/queue.ts";
import { Telemetry } from "../../src/telemetry/telemetry.ts";
import { closeCollectors, startCollector, takes } from "./collector.ts";

afterEach(closeCollectors);

test("a queue is limited in records and characters, and drops the oldest", () => {
  const queue = new BoundedQueue<number>({ records: 3, characters: 10 });
  for (const each of [1, 2, 3, 4]) queue.push(each, 1);
  expect([queue.size, queue.dropped]).toEqual([3, 1]);
  queue.push(5, 9);
  expect(queue.take(9).records).toEqual([4, 5]);
  queue.push(6, 1_000);
  expect(queue.size).toBe(1);
});

test("records that could not be sent return to the front of the queue, within the same limits", () => {
  const queue = new BoundedQueue<number>({ records: 3, characters: 100 });
  for (const each of [1, 2]) queue.push(each, 1);
  const { putBack } = queue.take(2);
  for (const each of [3, 4]) queue.push(each, 1);
  putBack();
  expect([queue.take(9).records, queue.dropped]).toEqual([[2, 3, 4], 1]);
});

const about = { name: "n", unit: "u", description: "d" };

test("deltas that could not be sent are added to the next ones", () => {
  const counters = new Counters(false, 0);
  counters.add(about, 2, { a: 1, b: 2 }, 1);
  const { points, putBack } = counters.collect(5);
  expect(points).toMatchObject([{ value: 2, fromMs: 0, atMs: 5 }]);
  counters.add(about, 3, { b: 2, a: 1 }, 6);
  putBack();
  expect(counters.collect(9).points).toMatchObject([{ value: 5, fromMs: 0, atMs: 9 }]);
  expect(counters.size).toBe(0);
});

test("cumulative counters keep their values after a collection", () => {
  const counters = new Counters(true, 0);
  counters.add(about, 2, {}, 1);
  expect(counters.collect(5).points).toMatchObject([{ value: 2 }]);
  counters.add(about, 3, {}, 6);
  expect(counters.collect(9).points).toMatchObject([{ value: 5, fromMs: 0 }]);
});

test("points beyond the limit are counted in one overflow point", () => {
  const counters = new Counters(false, 0);
  for (let at = 0; at < 3_000; at++) counters.add(about, 1, { at }, 1);
  const { points } = counters.collect(2);
  expect(points).toHaveLength(2_001);
  expect(points.at(-1)).toMatchObject({ value: 1_000, attributes: { "otel.metric.overflow": true } });
});

test("sends many events early, but not to a collector that is down", async () => {
  const { promise: complained, resolve } = Promise.withResolvers<void>();
  let isDown = true;
  const collector = await startCollector((response, request) => {
    if (isDown) response.writeHead(503).end();
    else takes(response, request);
  });
  const env = { ...collector.env, OTEL_METRICS_EXPORTER: "none", OTEL_TRACES_EXPORTER: "none" };
  const telemetry = new Telemetry(readPlan(env, { service: "s", version: "1" }, []), {
    now: () => 0,
    every: () => () => undefined,
    after: () => () => undefined,
    randomHex: (bytes) => "1".repeat(bytes * 2),
    print: () => undefined,
    notice: () => resolve(),
    debug: () => undefined,
    proxies: {},
    version: "1",
  });
  for (let at = 0; at < 600; at++) telemetry.log("event", { at });
  await collector.asked;
  await complained;
  // Until that attempt is over, one that was asked for would be the same.
  await setImmediate();
  for (let at = 600; at < 3_000; at++) telemetry.log("event", { at });
  isDown = false;
  await telemetry.close();
  // One that was refused, and what the queue still held: 2,048 in batches.
  expect(collector.taken).toHaveLength(5);
  const numbers = collector.events("event").map(({ attributes }) => Number(attributes["at"]));
  expect(numbers.slice(512)).toEqual(Array.from({ length: 2_048 }, (_, at) => at + 952));
});

test("cuts a long text, and reports no failure if everything could be printed", async () => {
  const [printed, notices]: [string[], string[]] = [[], []];
  const env = { OTEL_LOGS_EXPORTER: "console" };
  const telemetry = new Telemetry(readPlan(env, { service: "s", version: "1" }, []), {
    now: () => 0,
    every: () => () => undefined,
    after: () => () => undefined,
    randomHex: (bytes) => "1".repeat(bytes * 2),
    print: (text) => void printed.push(text),
    notice: (text) => void notices.push(text),
    debug: () => undefined,
    proxies: {},
    version: "1",
  });
  telemetry.log("event", { body: "x".repeat(100_000), rest: "y" });
  await telemetry.close();
  expect(printed.map((text) => [/x+/u.exec(text)?.[0].length, text.includes('"rest":"y"')])).toEqual([[61_440, true]]);
  expect(notices).toEqual([]);
});
