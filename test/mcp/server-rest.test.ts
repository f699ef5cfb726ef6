// A server that is asked too often and says when it wants to be asked again.
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Connection } from "../../src/mcp/connection.ts";
import { createMcpTool } from "../../src/mcp/tool.ts";
import type { McpWorld } from "../../src/mcp/world.ts";
import type { ToolContext, ToolResult } from "../../src/protocol/tool.ts";
import { HandClock, until } from "./hand-clock.ts";
import { connectionTo, RemoteServer } from "./remote-server.ts";

interface Refusal {
  status: number;
  headers: Record<string, string>;
}

interface Opened {
  server: RemoteServer;
  clock: HandClock;
  /** How many messages have reached the server since it began to refuse. */
  count(): number;
  call(signal?: AbortSignal, idleMs?: number): Promise<ToolResult>;
  /** Refuses the next call like this. */
  refuse(refusal: Refusal): void;
}

/** A connection to a server that refuses its first calls like this. */
async function open(type: "http" | "sse", ...refusals: Refusal[]): Promise<Opened> {
  const server = await new RemoteServer().start();
  let count = 0;
  server.onCall = () => ({ content: [{ type: "text", text: "done" }] });
  const clock = new HandClock();
  const connection = connectionTo(server, type, { clock, random: () => 0 });
  onTestFinished(async () => {
    const closed = connection.close();
    await until(() => {
      clock.pass(1_000);
      return true;
    });
    await closed;
    await server.stop();
  });
  await connection.connect();
  expect(connection.error).toBeUndefined();
  server.door = (request, response) => {
    if (request.method !== "POST") return true;
    count += 1;
    const refusal = refusals.shift();
    if (refusal === undefined) return true;
    // Read to its end, so that the connection can be used again.
    request.resume().on("end", () => response.writeHead(refusal.status, refusal.headers).end('{"error":"not now"}'));
    return false;
  };
  const definition = connection.inventory.tools[0]!;
  const call = (signal = new AbortController().signal, idleMs?: number) => {
    const world = { clock, idleMs } as unknown as McpWorld;
    const binding = { name: "mcp__far__echo", connection, current: () => definition, world, maxResultChars: 1_000 };
    return createMcpTool(definition, binding).call({}, { signal, toolUseId: "t1" } as ToolContext, () => {});
  };
  return { server, clock, count: () => count, call, refuse: (refusal) => void refusals.push(refusal) };
}

const waitsFor = (clock: HandClock, ms: number) => until(() => clock.waits(70_000).includes(ms));

test.each(["http", "sse"] as const)(
  "a call that a server of type %s refuses is made again when it wants it",
  async (type) => {
    const date = "Tue, 01 Dec 2026 10:00:00 GMT";
    const at = { date, "retry-after": "Tue, 01 Dec 2026 10:00:03 GMT" };
    const opened = await open(type, { status: 429, headers: { "retry-after": "2" } }, { status: 503, headers: at });
    const called = opened.call();
    await waitsFor(opened.clock, 2_000);
    opened.clock.pass(1_999);
    expect(opened.count()).toBe(1);
    opened.clock.pass(1);
    await waitsFor(opened.clock, 3_000);
    expect(opened.count()).toBe(2);
    opened.clock.pass(3_000);
    expect(await called).toEqual({ content: "done" });
  },
);

test("a call that was interrupted while it waited is not made again", async () => {
  const opened = await open("http", { status: 429, headers: { "retry-after": "5" } });
  const stop = new AbortController();
  const called = opened.call(stop.signal);
  await waitsFor(opened.clock, 5_000);
  stop.abort();
  expect(await called).toMatchObject({ isError: true, content: expect.stringContaining("cancelled") });
  expect(opened.clock.waits(70_000)).not.toContain(5_000);
  expect(opened.server.seen.filter((seen) => seen.startsWith("tools/call"))).toEqual([]);
});

test.each([
  ["does not say when", [{ status: 429, headers: {} }], 0, /asked too often \(status 429\): not now$/u],
  ["wants a long rest", [{ status: 503, headers: { "retry-after": "600" } }], 0, /wait 10 min before the next try$/u],
  [
    "refuses again and again",
    Array.from({ length: 4 }, () => ({ status: 429, headers: { "retry-after": "1" } })),
    3,
    /wait 1 s before/u,
  ],
])("a server that %s gets no further call", async (_how, refusals, rests, why) => {
  const opened = await open("http", ...(refusals as Refusal[]));
  const called = opened.call();
  for (let rest = 0; rest < rests; rest += 1) {
    await waitsFor(opened.clock, 1_000);
    opened.clock.pass(1_000);
  }
  expect(await called).toMatchObject({ isError: true, content: expect.stringMatching(why) });
  expect(opened.count()).toBe(rests + 1);
});

// Seen: three more calls at once, because it had named a time long before.
test("a server that said when once, and then no more, gets no further call", async () => {
  const opened = await open("http", { status: 429, headers: { "retry-after": "1" } });
  const called = opened.call();
  await waitsFor(opened.clock, 1_000);
  opened.clock.pass(1_000);
  expect(await called).toEqual({ content: "done" });
  opened.clock.pass(60_000);
  opened.refuse({ status: 429, headers: {} });
  expect(await opened.call()).toMatchObject({ isError: true });
  expect(opened.count()).toBe(3);
});

// Seen: a call that came after a refusal without a time lost its own rest, or took over that of another.
test("each of several calls waits as long as its own refusal says", async () => {
  const all: Record<string, string>[] = [{ "retry-after": "3" }, {}, { "retry-after": "1" }];
  const refusals = all.map((headers) => ({ status: 429, headers }));
  const opened = await open("http", ...refusals);
  const called = refusals.map(() => opened.call());
  await waitsFor(opened.clock, 3_000);
  await waitsFor(opened.clock, 1_000);
  opened.clock.pass(1_000);
  await until(() => opened.count() === 4);
  opened.clock.pass(2_000);
  const results = await Promise.all(called);
  expect(results.filter(({ isError }) => isError === true)).toHaveLength(1);
  expect(opened.count()).toBe(5);
});

// Seen: the call ended for silence, although the server had said how long it would be silent.
test("a rest does not count as silence of the server", async () => {
  const opened = await open("http", { status: 429, headers: { "retry-after": "30" } });
  const called = opened.call(undefined, 10_000);
  await waitsFor(opened.clock, 30_000);
  opened.clock.pass(15_000);
  opened.clock.pass(15_000);
  expect(await called).toEqual({ content: "done" });
});

// Seen: after one long rest, no call was made again until it was over, although the server was ready for it.
test("what a server said last counts", async () => {
  const opened = await open("http", { status: 429, headers: { "retry-after": "600" } });
  expect(await opened.call()).toMatchObject({ isError: true });
  opened.refuse({ status: 429, headers: { "retry-after": "1" } });
  const called = opened.call();
  await waitsFor(opened.clock, 1_000);
  opened.clock.pass(1_000);
  expect(await called).toEqual({ content: "done" });
});

/** A connection, not awaited, to a server that refuses the first request for this method like this. */
async function connectWhileRefused(
  type: "http" | "sse",
  method: string,
  headers: Record<string, string>,
  connectMs = 30_000,
): Promise<{ connection: Connection; connecting: Promise<void>; clock: HandClock; server: RemoteServer }> {
  const server = await new RemoteServer().start();
  let isRefused = false;
  server.intercept = (asked, response) => {
    if (asked !== method || isRefused) return true;
    isRefused = true;
    response.writeHead(429, headers).end('{"error":"not now"}');
    return false;
  };
  const clock = new HandClock();
  const connection = connectionTo(server, type, { clock, random: () => 0, connectMs });
  onTestFinished(async () => {
    await connection.close();
    await server.stop();
  });
  return { connection, connecting: connection.connect(), clock, server };
}

describe("a server that is asked too often while it is connected to", () => {
  // Seen: it was given up, and its tools were missing, although it was ready a second later.
  test.each([
    ["http", "server/discover"],
    ["http", "initialize"],
    ["http", "notifications/initialized"],
    ["http", "tools/list"],
    ["sse", "initialize"],
    ["sse", "tools/list"],
  ] as const)("of type %s is asked for %s again when it wants it", async (type, method) => {
    const { connection, connecting, clock } = await connectWhileRefused(type, method, { "retry-after": "3" });
    await waitsFor(clock, 3_000);
    clock.pass(3_000);
    await connecting;
    expect(connection).toMatchObject({ status: "connected", error: undefined });
    expect(connection.inventory.tools).toHaveLength(1);
  });

  test.each([
    ["there is time for", 40, 30_000],
    ["a request waits for", 90, 600_000],
  ])("and wants a longer rest than %s is tried again after the rest", async (_, seconds, connectMs) => {
    const headers = { "retry-after": String(seconds) };
    const { connection, connecting, clock } = await connectWhileRefused("http", "initialize", headers, connectMs);
    await connecting;
    expect(connection).toMatchObject({
      status: "failed",
      error: expect.stringMatching(
        /^it is asked too often \(status 429\): not now; it asks to wait .* before the next/u,
      ),
    });
    expect(clock.waits(200_000)).toEqual([seconds * 1_000]);
    clock.pass(seconds * 1_000);
    await until(() => connection.status === "connected");
  });

  // Seen: it was connected without its tools for good, because the rest outlasted the time that an optional list has.
  test("while it lists what it has not announced is given the time for its answer after the rest", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const rest = { "retry-after": "8" };
    const { connection, connecting, clock, server } = await connectWhileRefused("http", "tools/list", rest);
    server.capabilities = {};
    await waitsFor(clock, 8_000);
    vi.advanceTimersByTime(8_000);
    clock.pass(8_000);
    await connecting;
    expect(connection.status).toBe("connected");
    expect(connection.inventory.tools).toHaveLength(1);
  });

  // Seen: the model was not told for an hour that the tools were gone.
  test("and was connected before counts as failed while it wants a long rest", async () => {
    const { connection, connecting, clock, server } = await connectWhileRefused("http", "none", {});
    await connecting;
    server.forget();
    server.intercept = (method, response) =>
      method !== "initialize" || !response.writeHead(503, { "retry-after": "3600" }).end();
    const call = connection.use(new AbortController().signal, (client) => client.listTools());
    await expect(call).rejects.toThrow("it asks to wait");
    expect(clock.waits(4_000_000)).toContain(3_600_000);
    expect(connection.status).toBe("failed");
    expect(connection.error).toContain("it asks to wait 60 min");
  });
});
