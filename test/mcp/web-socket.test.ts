// Servers behind a WebSocket, over real sockets.
import { afterEach, describe, expect, test } from "vitest";
import { openWebSocket } from "../../src/mcp/web-socket.ts";
import type { McpWorld } from "../../src/mcp/world.ts";
import { clearGroundsAfterwards, disposeAll, openSession, turn } from "../session/support.ts";
import { frame, startSocketServer, type SocketPeer, type SocketServer } from "./socket-server.ts";
import { calling } from "./support.ts";

clearGroundsAfterwards();
const servers: SocketServer[] = [];
afterEach(async () => {
  await disposeAll();
  for (const server of servers.splice(0)) await server.close();
});

interface Asked {
  id?: number;
  method: string;
  params?: { protocolVersion?: string; arguments?: { text?: string } };
}

function answer({ id, method, params }: Asked): object | undefined {
  const info = { name: "socket", version: "1" };
  switch (method) {
    case "initialize":
      return {
        id,
        result: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: info },
      };
    case "tools/list":
      return { id, result: { tools: [{ name: "echo", inputSchema: { type: "object" } }] } };
    case "tools/call":
      return { id, result: { content: [{ type: "text", text: params?.arguments?.text }] } };
    default:
      return undefined;
  }
}

type Behaviour = NonNullable<Parameters<typeof startSocketServer>[1]>;

async function serve(onCall?: (asked: Asked, peer: SocketPeer) => void, behaviour?: Behaviour): Promise<SocketServer> {
  const server = await startSocketServer((text, peer) => {
    const asked = JSON.parse(text) as Asked;
    if (asked.method === "tools/call" && onCall !== undefined) return onCall(asked, peer);
    const said = answer(asked);
    if (said !== undefined) peer.send(JSON.stringify({ jsonrpc: "2.0", ...said }));
  }, behaviour);
  servers.push(server);
  return server;
}

function session(url: string, ...texts: string[]) {
  const steps = texts.map((text) => ({ tool: "mcp__far__echo", input: { text } }));
  return openSession(calling(...steps), {
    mcpServers: { far: { type: "ws", url, headers: { "X-Key": "abc" } } },
    allowedTools: ["mcp__far"],
  });
}

const said = (text: string): object => ({ result: `It said: ${text}` });

describe("a server behind a WebSocket", () => {
  test("gets its headers and calls, and a close frame at the end", async () => {
    const server = await serve();
    const long = "long".repeat(17_000);
    const { engine } = await session(server.url, long);
    expect((await turn(engine, "Go.")).result).toMatchObject(said(long));
    expect(server.requests[0]?.headers).toMatchObject({ "x-key": "abc", "sec-websocket-protocol": "mcp" });
    await engine.dispose();
    expect(server.peers[0]?.heard.at(-1)).toBe(8);
  });

  test("may send malformed messages, lists, fragments and pings", async () => {
    const server = await serve((asked, peer) => {
      peer.send("not JSON");
      peer.write(frame(Buffer.from("?"), 0x89));
      const text = JSON.stringify([{ ...answer(asked), error: null }]);
      peer.write(frame(Buffer.from(text.slice(0, 10)), 0x02));
      peer.write(frame(Buffer.from(text.slice(10)), 0x80));
    });
    const { engine } = await session(server.url, "good day");
    expect((await turn(engine, "Go.")).result).toMatchObject(said("good day"));
    await engine.dispose();
    expect(server.peers[0]?.heard).toContain(10);
  });

  test.each<[string, (peer: SocketPeer) => void]>([
    ["drops it", (peer) => peer.drop()],
    ["says goodbye", (peer) => peer.write(frame(Buffer.from("\u0003\u00f3later", "latin1"), 0x88))],
    ["sends bytes that are not a frame", (peer) => peer.write(Buffer.from("HTTP/1.1 500 No"))],
  ])("that %s during a call is reported, and is connected again for the next call", async (_what, end) => {
    let calls = 0;
    const server = await serve((asked, peer) => {
      if (++calls === 1) end(peer);
      else peer.send(JSON.stringify({ jsonrpc: "2.0", ...answer(asked) }));
    });
    const { engine, model } = await session(server.url, "one", "two");
    expect((await turn(engine, "Go.")).result).toMatchObject(said("two"));
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("ended during the call");
    expect(server.requests).toHaveLength(2);
  });

  test.each<[string, () => Promise<string>, string]>([
    [
      "refuses the key",
      async () => (await serve(undefined, { refuses: 401 })).url,
      'it refuses access (status 401): a key goes into its "headers".',
    ],
    [
      "is not a WebSocket server",
      async () => (await serve(undefined, { refuses: 302 })).url,
      "it does not answer as a WebSocket (status 302).",
    ],
    [
      "sends no proof of the upgrade",
      async () => (await serve(undefined, { refuses: 101 })).url,
      "it does not answer as a WebSocket (status 101).",
    ],
    ["is not there", () => Promise.resolve("ws://127.0.0.1:1/"), "nobody answers at its address."],
  ])("that %s is reported with the reason", async (_what, place, why) => {
    const { engine } = await session(await place());
    await turn(engine, "Go.");
    expect(engine.desk.mcpServers()).toEqual([expect.objectContaining({ name: "far", status: "failed", error: why })]);
  });
});

describe("the transport to a WebSocket server", () => {
  async function way(server: SocketServer) {
    const timers: (() => void)[] = [];
    const clock = { elapsed: () => 0, timer: (_ms: number, onFire: () => void) => (timers.push(onFire), () => {}) };
    const about = { name: "far", scope: "user", source: "test", alwaysLoad: false, headers: {}, cwd: "/" } as const;
    const world = { clock, debug: () => {} } as unknown as McpWorld;
    const open = await openWebSocket({ ...about, type: "ws", url: server.url }, world, new AbortController().signal);
    const ended = Promise.withResolvers<void>();
    open.transport.onclose = () => ended.resolve();
    await open.transport.start();
    return { open, timers, ended: ended.promise };
  }

  test("closes in limited time if the server never answers the close frame", async () => {
    const server = await serve(undefined, { isRude: true });
    const { open, timers, ended } = await way(server);
    const closing = open.close();
    await ended;
    expect(timers).toHaveLength(1);
    timers[0]?.();
    await closing;
    await expect(open.transport.send({ jsonrpc: "2.0", method: "x" })).rejects.toThrow("has ended the connection");
  });

  test("ends at a message that is too long, before it has arrived", async () => {
    const server = await serve();
    const { open, ended } = await way(server);
    const head = Buffer.from([0x81, 127, 0, 0, 0, 1, 0, 0, 0, 0]);
    server.peers[0]?.write(head);
    await ended;
    expect(open.lastWords()).toBe("it sent a message of more than 16 MiB");
    await open.close();
  });
});
