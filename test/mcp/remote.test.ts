import { afterEach, describe, expect, test } from "vitest";
import type { Connection } from "../../src/mcp/connection.ts";
import { createMcpTool } from "../../src/mcp/tool.ts";
import type { McpWorld } from "../../src/mcp/world.ts";
import type { ToolContext, ToolProgress, ToolResult } from "../../src/protocol/tool.ts";
import type { RemoteServer as FarServer } from "../../src/mcp/server.ts";
import { HandClock, until } from "./hand-clock.ts";
import { connectionTo, RemoteServer, unanswered } from "./remote-server.ts";
import { toolNamed } from "./support.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface Opened {
  connection: Connection;
  clock: HandClock;
  log: string[];
}

async function open(server: RemoteServer, type: "http" | "sse", more: Partial<McpWorld> = {}): Promise<Opened> {
  const opened = await tried(server, type, more);
  expect(opened.connection.error).toBeUndefined();
  return opened;
}

/** `meanwhile`: what happens while it is looked for. */
async function tried(
  server: RemoteServer,
  type: "http" | "sse",
  more: Partial<McpWorld> = {},
  meanwhile: (clock: HandClock) => Promise<void> = () => Promise.resolve(),
): Promise<Opened> {
  const clock = new HandClock();
  const log: string[] = [];
  const debug = (line: string): void => void log.push(line);
  const connection = connectionTo(server, type, { clock, debug, ...more });
  closing.push(async () => {
    const closed = connection.close();
    await until(() => {
      clock.pass(1_000);
      return true;
    });
    await closed;
  });
  await Promise.all([connection.connect(), meanwhile(clock)]);
  return { connection, clock, log };
}

async function started(): Promise<RemoteServer> {
  const server = await new RemoteServer().start();
  closing.unshift(() => server.stop());
  return server;
}

type OnProgress = (progress: ToolProgress) => void;

function call(
  { connection, clock }: Opened,
  input: Record<string, unknown> = {},
  { signal = new AbortController().signal, onProgress }: { signal?: AbortSignal; onProgress?: OnProgress } = {},
): Promise<ToolResult> {
  const definition = connection.inventory.tools[0]!;
  const world = { clock, callMs: 1_000_000 } as unknown as McpWorld;
  const current = () => connection.inventory.tools.find(({ name }) => name === definition.name);
  const tool = createMcpTool(definition, { name: "mcp__far__echo", connection, current, world, maxResultChars: 1_000 });
  return tool.call(input as never, { signal, toolUseId: "t1" } as ToolContext, onProgress ?? (() => {}));
}

describe.each(["http", "sse"] as const)("a server over %s", (type) => {
  test("is called, and changes of its lists are noticed", async () => {
    const server = await started();
    const opened = await open(server, type);
    expect(await call(opened, { a: 1 })).toEqual({ content: '{"a":1}' });
    await until(() => server.streams.size === 1);
    server.tools = [toolNamed("echo"), toolNamed("fresh")];
    server.notify("notifications/tools/list_changed");
    server.notify("notifications/resources/list_changed");
    const { inventory } = opened.connection;
    await until(() => inventory.tools.length === 2 && inventory.resourceChanges === 1);
  });

  test("that is lost is retried with growing delays, and a call retries at once", async () => {
    const server = await started();
    const opened = await open(server, type);
    const { connection, clock } = opened;
    await until(() => server.streams.size === 1);
    await server.stop();
    for (const wait of [1_000, 2_000, 4_000]) {
      // Streamable HTTP first takes up its stream, and finds that nobody is there.
      if (type === "http" && wait === 1_000) {
        await until(() => clock.waits().length === 1);
        clock.pass(2_000);
      }
      await until(() => clock.waits().length === 1);
      expect(connection.status).toBe("pending");
      expect(clock.waits()).toEqual([wait]);
      expect((await call(opened)).content).toContain(
        "The MCP server far cannot be used: nobody answers at its address",
      );
      expect(clock.waits()).toEqual([wait]);
      clock.pass(wait);
    }
    await until(() => clock.waits().length === 1);
    await server.start();
    server.tools = [toolNamed("echo"), toolNamed("since")];
    expect(await call(opened, { b: 2 })).toEqual({ content: '{"b":2}' });
    expect(clock.waits()).toEqual([]);
    expect(connection.inventory.tools).toHaveLength(2);
  });

  test("that is not there at first is retried without delaying the session", async () => {
    const server = await started();
    await server.stop();
    const opened = await tried(server, type);
    const { connection, clock } = opened;
    for (const wait of [1_000, 2_000]) {
      await until(() => clock.waits().length === 1);
      expect([connection.status, clock.waits()]).toEqual(["failed", [wait]]);
      clock.pass(wait);
    }
    await until(() => clock.waits().length === 1);
    await server.start();
    clock.pass(4_000);
    await until(() => connection.status === "connected");
    expect([connection.error, clock.waits()]).toEqual([undefined, []]);
    expect(await call(opened, { d: 4 })).toEqual({ content: '{"d":4}' });
  });

  test("that is disabled while it reconnects stays disabled", async () => {
    const server = await started();
    const { connection, clock } = await open(server, type);
    await until(() => server.streams.size === 1);
    const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>();
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    server.door = async ({ method }, response) => {
      if (method === "DELETE") return true;
      isAsked();
      await answered;
      response.writeHead(503).end();
      return false;
    };
    const again = connection.reconnect();
    await asked;
    const off = connection.disable("the host has removed it");
    answer();
    await Promise.all([again, off]);
    server.door = () => true;
    clock.pass(2_000);
    expect([connection.status, connection.error, clock.waits()]).toEqual(["disabled", "the host has removed it", []]);
  });

  test("that does not answer fails at the time limit, and is retried", async () => {
    const server = await started();
    const silent = Promise.withResolvers<boolean>();
    server.door = () => silent.promise;
    const { connection, clock } = await tried(server, type, {}, async (time) => {
      await until(() => time.waits(40_000).length > 0);
      time.pass(30_000);
    });
    expect([connection.status, connection.error]).toEqual(["failed", "it did not answer within 30 s."]);
    expect(clock.waits()).toEqual([1_000]);
    silent.resolve(true);
    server.door = () => true;
    clock.pass(1_000);
    await until(() => connection.status === "connected");
  });

  test("that answers 401 needs a login", async () => {
    const server = await started();
    server.door = (_, response) => {
      response.writeHead(401).end();
      return false;
    };
    expect((await tried(server, type)).connection.status).toBe("needs-auth");
  });

  test("with an invalid header is reported with the header's name, without its value", async () => {
    const server = await started();
    for (const [name, value, why] of [
      ["X-Key", "secret\nline", /^its header "X-Key" cannot be sent/u],
      ["X-Key", "secret \u65e5", /^its header "X-Key" cannot be sent/u],
      ["X Key", "secret", /^"X Key" is not a valid header name/u],
    ] as const) {
      const { connection } = await tried(server, type);
      await connection.replace({ ...(connection.server as FarServer), headers: { [name]: value } });
      expect(connection).toMatchObject({ status: "failed", error: expect.stringMatching(why) });
      expect(connection.error).not.toContain("secret");
    }
  });

  test("that stays away is given up, and a later call finds it again", async () => {
    const server = await started();
    const opened = await open(server, type);
    const { connection, clock } = opened;
    await until(() => server.streams.size === 1);
    await server.stop();
    await until(() => {
      for (const wait of clock.waits().slice(0, 1)) clock.pass(wait);
      return connection.status === "failed" && clock.waits().length === 0;
    });
    await server.start();
    expect((await call(opened)).content).toContain("cannot be used");
    clock.pass(10_000);
    expect(await call(opened, { c: 3 })).toEqual({ content: '{"c":3}' });
  });

  test("is told of a cancelled call, and may report progress", async () => {
    const server = await started();
    const opened = await open(server, type);
    const interrupt = new AbortController();
    const progress: unknown[] = [];
    let asked: unknown;
    let told: unknown;
    server.onCall = ({ params, id }, stream) => {
      [asked, told] = [id, Object.keys(params["_meta"] ?? {})];
      const { progressToken } = params["_meta"] as { progressToken: unknown };
      const said = { progressToken, progress: 1, total: 4, message: "one\u202e of four" };
      stream.send({ method: "notifications/progress", params: said });
      return unanswered;
    };
    const onProgress = (each: ToolProgress): void => {
      progress.push(each);
      interrupt.abort();
    };
    expect(await call(opened, {}, { signal: interrupt.signal, onProgress })).toMatchObject({ isError: true });
    expect(asked).toBeDefined();
    expect(told, "nothing of the session").toEqual(["progressToken"]);
    expect(progress).toMatchObject([{ text: "one of four\n", data: { progress: 1, total: 4 } }]);
    await until(() => server.seen.some((each) => each.startsWith("notifications/cancelled")));
  });

  test("may ask its user during a call", async () => {
    const server = await started();
    const asked: unknown[] = [];
    const opened = await open(server, type, {
      elicit: async (question) => {
        asked.push(question);
        return { action: "accept", content: { name: "Ada" } };
      },
    });
    server.onCall = async (_, stream) => {
      const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
      stream.send({ id: "q1", method: "elicitation/create", params: { message: "Who?", requestedSchema } });
      await until(() => server.answers.length === 1);
      return { content: [{ type: "text", text: JSON.stringify(server.answers[0]?.result) }] };
    };
    expect(await call(opened)).toEqual({ content: '{"action":"accept","content":{"name":"Ada"}}' });
    expect(asked).toMatchObject([{ serverName: "far", message: "Who?" }]);
  });

  test("whose answer breaks off fails that call, and works for the next one", async () => {
    const server = await started();
    const opened = await open(server, type);
    await until(() => server.streams.size === 1);
    for (const how of ["end", "break"] as const) {
      server.onCall = ({ params }, stream) => {
        if (JSON.stringify(params).includes("fine")) return { content: [{ type: "text", text: "fine" }] };
        stream.send({ method: "notifications/message", params: { level: "info", data: "working" } });
        setImmediate(() => stream.end(how));
        return unanswered;
      };
      const failed = await call(opened);
      expect(failed.isError).toBe(true);
      expect(failed.content).toMatch(/^The .*far (?:ended during|was lost before) .*; it may have had an effect\./u);
      expect(await call(opened, { fine: true })).toEqual({ content: "fine" });
      if (type === "sse") await until(() => server.streams.size === 1);
    }
  });
});

test("lists the tools once more if they change during the first listing", async () => {
  const server = await started();
  const asked = Promise.withResolvers<void>();
  server.listed = asked.promise;
  const opening = open(server, "sse");
  await until(() => server.seen.some((each) => each.startsWith("tools/list")));
  server.tools = [toolNamed("echo"), toolNamed("fresh")];
  server.notify("notifications/tools/list_changed");
  asked.resolve();
  const { connection } = await opening;
  await until(() => connection.inventory.tools.length === 2);
});

test("a call waits a little for a change of the tools that is announced after its answer", async () => {
  const server = await started();
  const opened = await open(server, "http", { lateChangeMs: 30 });
  const { connection, clock } = opened;
  const calling = call(opened);
  await until(() => clock.waits().includes(30));
  server.tools = [toolNamed("echo"), toolNamed("fresh")];
  server.notify("notifications/tools/list_changed");
  await calling;
  expect(connection.inventory.tools.length).toBe(2);
});

test("a server over http may report progress with an unknown total", async () => {
  const server = await started();
  const told = Promise.withResolvers<unknown>();
  server.onCall = async ({ params }, stream) => {
    const { progressToken } = params["_meta"] as { progressToken: unknown };
    stream.send({ method: "notifications/progress", params: { progressToken, progress: 2, total: null } });
    await told.promise;
    return { content: [{ type: "text", text: "done" }] };
  };
  const opened = await open(server, "http");
  const onProgress = ({ data }: ToolProgress): void => told.resolve(data);
  expect(await call(opened, {}, { onProgress })).toEqual({ content: "done" });
  expect(await told.promise).toEqual({ progress: 2 });
});

describe("a session of a server over http", () => {
  test.each([404, 400, 410, 200])(
    "that is forgotten with status %d is replaced, and the refused calls are repeated",
    async (status) => {
      const server = await started();
      server.hasStream = false;
      server.forgottenStatus = status;
      const opened = await open(server, "http");
      expect(await call(opened, { one: 1 })).toEqual({ content: '{"one":1}' });
      server.forget();
      const [first, second] = await Promise.all([call(opened, { two: 2 }), call(opened, { three: 3 })]);
      expect([first, second]).toEqual([{ content: '{"two":2}' }, { content: '{"three":3}' }]);
      const made = server.seen.filter((each) => each.startsWith("tools/call"));
      expect(made).toEqual(["tools/call s1", "tools/call s1", "tools/call s1", "tools/call s2", "tools/call s2"]);
      expect(server.seen.filter((each) => each.startsWith("initialize"))).toHaveLength(2);
      expect(opened.connection.status).toBe("connected");
    },
  );

  test("that is forgotten with the words of a restarted server is replaced", async () => {
    const server = await started();
    server.hasStream = false;
    server.forgottenStatus = 400;
    server.forgottenWords = "Bad Request: Server not initialized";
    const opened = await open(server, "http");
    server.forget();
    expect(await call(opened, { one: 1 })).toEqual({ content: '{"one":1}' });
    expect(server.seen.filter((each) => each.startsWith("tools/call"))).toEqual(["tools/call s1", "tools/call s2"]);
  });

  test("that is forgotten while idle is replaced once its stream is resumed", async () => {
    const server = await started();
    const { connection, clock } = await open(server, "http");
    await until(() => server.streams.size === 1);
    server.forget();
    server.dropStreams();
    await until(() => clock.waits().length === 1);
    clock.pass(2_000);
    await until(() => connection.status === "pending" && clock.waits().length === 1);
    clock.pass(2_000);
    await until(() => connection.status === "connected" && server.streams.has("s2"));
  });

  test("that replaces another lists its own tools, while the old one still waits for its list", async () => {
    const server = await started();
    const opened = await open(server, "http", { connectMs: 10 ** 9 });
    await until(() => server.streams.size === 1);
    const slow = Promise.withResolvers<void>();
    server.onCall = async ({ params }) => {
      if (JSON.stringify(params).includes("slow")) await slow.promise;
      return { content: [{ type: "text", text: "done" }] };
    };
    const before = call(opened, { slow: true });
    server.listed = slow.promise;
    server.notify("notifications/tools/list_changed");
    await until(() => server.seen.filter((each) => each === "tools/list s1").length === 2);
    server.listed = Promise.resolve();
    server.tools = [toolNamed("echo"), toolNamed("fresh")];
    server.forget();
    expect(await call(opened)).toEqual({ content: "done" });
    expect(opened.connection.inventory.tools).toHaveLength(2);
    slow.resolve();
    expect(await before).toEqual({ content: "done" });
    expect(opened.connection.inventory.tools).toHaveLength(2);
  });

  test("that replaces another ignores a pending list change of the old one", async () => {
    const server = await started();
    const opened = await open(server, "http");
    const { connection, clock } = opened;
    await until(() => server.streams.size === 1);
    const listings = (session: string) => server.seen.filter((each) => each === `tools/list ${session}`).length;
    server.notify("notifications/tools/list_changed");
    await until(() => listings("s1") === 2);
    server.notify("notifications/tools/list_changed");
    await until(() => clock.waits().includes(200));
    const asked = Promise.withResolvers<void>();
    server.listed = asked.promise;
    server.tools = [toolNamed("echo"), toolNamed("fresh")];
    server.forget();
    const answer = call(opened, { a: 1 });
    await until(() => listings("s2") === 1);
    clock.pass(200);
    asked.resolve();
    expect(await answer).toEqual({ content: '{"a":1}' });
    expect(connection.inventory.tools).toHaveLength(2);
    await until(() => server.streams.has("s2"));
    server.tools = [...server.tools, toolNamed("late")];
    server.notify("notifications/tools/list_changed");
    await until(() => connection.inventory.tools.length === 3);
  });

  test("is terminated when it is closed", async () => {
    const server = await started();
    const { connection } = await open(server, "http");
    await connection.close();
    expect(server.seen.filter((each) => each.startsWith("DELETE"))).toEqual(["DELETE s1"]);
  });
});

describe("a stream of a server over http", () => {
  test("that ends is resumed, and changes are noticed as before", async () => {
    const server = await started();
    const { connection, clock } = await open(server, "http");
    await until(() => server.streams.size === 1);
    server.dropStreams("break");
    await until(() => clock.waits().length === 1);
    expect(clock.waits()[0]).toBeGreaterThanOrEqual(1_000);
    clock.pass(2_000);
    await until(() => server.streams.size === 1);
    server.tools = [toolNamed("echo"), toolNamed("fresh")];
    server.notify("notifications/tools/list_changed");
    await until(() => connection.inventory.tools.length === 2);
    expect(server.seen.filter((each) => each.startsWith("initialize"))).toHaveLength(1);
  });

  test("that ends each time is resumed with growing delays", async () => {
    const server = await started();
    const { clock } = await open(server, "http");
    const waits: number[] = [];
    while (waits.length < 7) {
      await until(() => server.streams.size === 1);
      server.dropStreams();
      await until(() => clock.waits(50_000).length === 1);
      const [wait = 0] = clock.waits(50_000);
      waits.push(wait);
      clock.pass(wait);
    }
    expect(waits.map((ms) => ms / 1.125)).toEqual([1_000, 1_000, 2_000, 4_000, 8_000, 16_000, 16_000]);
  });

  test("that cannot be resumed is a lost connection, which is made again", async () => {
    const server = await started();
    const { connection, clock } = await open(server, "http");
    await until(() => server.streams.size === 1);
    server.door = ({ method }, response) => method !== "GET" || !response.writeHead(503).end();
    server.dropStreams();
    await until(() => {
      for (const wait of clock.waits(40_000).slice(0, 1)) clock.pass(connection.status === "connected" ? wait : 0);
      return connection.status === "pending";
    });
    expect(connection.error).toContain("its stream has ended, and cannot be resumed");
    server.door = () => true;
    await connection.connect();
    expect([connection.status, server.seen.filter((each) => each.startsWith("initialize"))]).toMatchObject([
      "connected",
      { length: 2 },
    ]);
  });

  test("that ends before an answer is resumed at its last event", async () => {
    const server = await started();
    const opened = await open(server, "http");
    const { clock } = opened;
    await until(() => server.streams.size === 1);
    let id: unknown;
    server.onCall = (asked, stream) => {
      id = asked.id;
      stream.send({ method: "notifications/message", params: { level: "info", data: "working" } }, "e1");
      setImmediate(() => stream.end("end"));
      return unanswered;
    };
    const called = call(opened);
    await until(() => clock.waits().length === 1);
    server.streams.clear();
    clock.pass(2_000);
    await until(() => server.streams.size === 1);
    const late = { jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "late" }] } };
    for (const stream of server.streams.values()) stream.write(`data: ${JSON.stringify(late)}\n\n`);
    expect(await called).toEqual({ content: "late" });
  });
});

test.each(["http", "sse"] as const)("leaves no timer after a call over %s", async (type) => {
  const server = await started();
  const opened = await open(server, type);
  const before = opened.clock.waits(Infinity);
  expect((await call(opened, { a: 1 })).isError).not.toBe(true);
  expect(opened.clock.waits(Infinity)).toEqual(before);
  const controller = new AbortController();
  server.onCall = () => {
    controller.abort("user");
    return unanswered;
  };
  await call(opened, {}, { signal: controller.signal });
  expect(opened.clock.waits(Infinity)).toEqual(before);
});
