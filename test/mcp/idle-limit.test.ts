// A call whose server says nothing ends; one that says how it gets on, or asks a person, goes on.
import type { ServerResponse } from "node:http";
import { afterAll, expect, test } from "vitest";
import { IdleLimit, idleLimitMs } from "../../src/mcp/idle-limit.ts";
import type { McpWorld } from "../../src/mcp/world.ts";
import { clearGroundsAfterwards, disposeAll, openSession, turn } from "../session/support.ts";
import { RemoteServer, unanswered } from "./remote-server.ts";
import { calling } from "./support.ts";

clearGroundsAfterwards();
afterAll(disposeAll);

test.each<[Parameters<typeof idleLimitMs>[0], Pick<McpWorld, "idleMs" | "callMs">, number]>([
  [{ type: "stdio" }, {}, 1_800_000],
  [{ type: "http" }, {}, 300_000],
  [{ type: "sse" }, {}, 300_000],
  [{ type: "sdk" }, { idleMs: 5000 }, 0],
  [{ type: "http" }, { idleMs: 0 }, 0],
  [{ type: "http" }, { idleMs: 5 }, 1_000],
  [{ type: "stdio" }, { idleMs: 50_000, callMs: 20_000 }, 20_000],
  [{ type: "http", timeoutMs: 900_000 }, {}, 900_000],
  [{ type: "http", timeoutMs: 10_000 }, { idleMs: 50_000 }, 50_000],
])("the idle limit of %j with %j is %d ms", (server, world, ms) => {
  expect(idleLimitMs(server, world as McpWorld)).toBe(ms);
});

test("counts silence from the last message, and not while a person is asked", async () => {
  let now = 0;
  let isAsking = false;
  const timers: { at: number; fire: () => void }[] = [];
  const clock = {
    elapsed: () => now,
    timer(ms: number, fire: () => void) {
      timers.push({ at: now + ms, fire });
      return () => undefined;
    },
  };
  const pass = (): void => {
    const next = timers.shift();
    now = next?.at ?? now;
    next?.fire();
  };
  const limit = new IdleLimit({ clock, isAsking: () => isAsking }, 1000);
  const { promise, resolve } = Promise.withResolvers<void>();
  const call = limit.during(promise);
  now = 600;
  limit.noteActivity();
  pass();
  expect([now, limit.signal.aborted]).toEqual([1000, false]);
  isAsking = true;
  pass();
  expect([now, limit.signal.aborted]).toEqual([1600, false]);
  isAsking = false;
  pass();
  expect([now, limit.signal.aborted]).toEqual([2600, true]);
  resolve();
  await call;
});

test("leaves no timer after a call has ended", async () => {
  let now = 0;
  const timers = new Set<() => void>();
  const clock = {
    elapsed: () => now,
    timer(_ms: number, fire: () => void) {
      timers.add(fire);
      return () => void timers.delete(fire);
    },
  };
  const limit = new IdleLimit({ clock }, 1000);
  await limit.during(Promise.resolve());
  expect(timers.size).toBe(0);
  const { promise, resolve } = Promise.withResolvers<void>();
  const call = limit.during(promise);
  now = 600;
  limit.noteActivity();
  now = 1000;
  const [first] = timers;
  timers.clear();
  first?.();
  expect(timers.size).toBe(1);
  resolve();
  await call;
  expect([timers.size, limit.signal.aborted]).toEqual([0, false]);
});

test("tells the model that a server did not answer", async () => {
  const server = await new RemoteServer().start();
  try {
    server.onCall = () => unanswered;
    const options = {
      mcpServers: { far: { type: "http" as const, url: server.url("http") } },
      allowedTools: ["mcp__far"],
      env: { CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT: "1" },
    };
    const script = calling({ tool: "mcp__far__echo" });
    const { engine } = await openSession(script, options);
    const { result } = await turn(engine, "call it");
    expect(result).toMatchObject({
      result: expect.stringMatching(/The MCP server far did not answer: it has said nothing for 1 s/u),
    });
  } finally {
    await server.stop();
  }
});

test.each([
  [202, "", "took the request and gave no answer to it"],
  [200, '{"jsonrpc":"2.0","id":"another","result":{"content":[]}}', "answered another request"],
])("tells the model at once if a call is answered with status %d and the body %s", async (status, body, why) => {
  const server = await new RemoteServer().start();
  try {
    let last: ServerResponse | undefined;
    server.hasStream = false;
    server.door = (request, response) => {
      if (request.method === "POST") last = response;
      return true;
    };
    server.onCall = () => {
      last?.writeHead(status, body === "" ? {} : { "content-type": "application/json" }).end(body);
      return unanswered;
    };
    const { engine } = await openSession(calling({ tool: "mcp__far__echo" }), {
      mcpServers: { far: { type: "http", url: server.url("http") } },
      allowedTools: ["mcp__far"],
    });
    const { result } = await turn(engine, "call it");
    expect(result).toMatchObject({ result: expect.stringContaining(why) });
  } finally {
    await server.stop();
  }
});
