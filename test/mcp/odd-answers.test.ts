// Answers over HTTP whose meaning is plain, although their form, status or type is not what the transport reads.
import { expect, test } from "vitest";
import type { Connection } from "../../src/mcp/connection.ts";
import { HandClock, until } from "./hand-clock.ts";
import { bodyOf, connectTo, RemoteServer, unanswered } from "./remote-server.ts";

const result = { content: [{ type: "text", text: "found" }] };
const logged = { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "noted" } };

async function connect(server: RemoteServer, type: "http" | "sse" = "http", log: string[] = []): Promise<Connection> {
  const connection = await connectTo(server, type, { clock: new HandClock(), debug: (line) => void log.push(line) });
  expect(connection.error).toBeUndefined();
  return connection;
}

const callEcho = (connection: Connection) =>
  connection.use(new AbortController().signal, (client) => client.callTool({ name: "echo", arguments: {} }));

// The version 2025-03-26 allows lists. Seen: the connection was said to be lost.
test("a list in one event of a call's stream has all its messages read", async () => {
  const server = await new RemoteServer().start();
  const log: string[] = [];
  server.onCall = ({ id }, stream) => {
    stream.sendText(JSON.stringify([logged, { jsonrpc: "2.0", id, result }]));
    stream.end("end");
    return unanswered;
  };
  expect(await callEcho(await connect(server, "http", log))).toMatchObject(result);
  expect(log.join("\n")).toContain("info: noted");
});

test.each(["http", "sse"] as const)("a list on the one stream of a server of type %s is read", async (type) => {
  const server = await new RemoteServer().start();
  const log: string[] = [];
  const connection = await connect(server, type, log);
  await until(() => server.streams.size === 1);
  server.onCall = ({ id }) => {
    for (const stream of server.streams.values())
      stream.write(`data: ${JSON.stringify([logged, { jsonrpc: "2.0", id, result }])}\n\n`);
    return unanswered;
  };
  expect(await callEcho(connection)).toMatchObject(result);
  expect(log.join("\n")).toContain("info: noted");
});

// Seen: the call waited for its whole time.
test.each(["http", "sse"] as const)("a stream whose lines end with carriage returns is read (%s)", async (type) => {
  const server = await new RemoteServer().start();
  const connection = await connect(server, type);
  await until(() => server.streams.size === 1);
  server.onCall = ({ id }) => {
    for (const stream of server.streams.values())
      stream.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\r\r`);
    return unanswered;
  };
  expect(await callEcho(connection)).toMatchObject(result);
});

// Seen: the server did not start.
test.each([
  ["http", 400],
  ["http", 404],
  ["http", 500],
  ["sse", 400],
] as const)("a server of type %s that refuses the end of the introduction with %i is used", async (type, status) => {
  const server = await new RemoteServer().start();
  server.acceptNotification = (response) => void response.writeHead(status).end("Unknown method");
  server.onCall = () => result;
  expect(await callEcho(await connect(server, type))).toMatchObject(result);
});

test("a server that refuses the end of the introduction for want of a login is not used", async () => {
  const server = await new RemoteServer().start();
  server.acceptNotification = (response) => void response.writeHead(401).end();
  const connection = await connectTo(server, "http", { clock: new HandClock() });
  expect(connection.status).toBe("needs-auth");
});

// Seen: the server was lost with all its tools.
test("a list whose later page is refused is used as far as it goes, unless a longer one is known", async () => {
  const server = await new RemoteServer().start();
  server.onList = ({ cursor }) =>
    cursor === undefined
      ? { result: { tools: server.tools, nextCursor: "2" } }
      : { error: { code: -32_603, message: "no such page" } };
  const log: string[] = [];
  const { inventory } = await connect(server, "http", log);
  expect(inventory.tools.map(({ name }) => name)).toEqual(["echo"]);
  const broken = "it lists only 1 tool and refuses the next page";
  expect(inventory.remarks).toEqual([expect.stringMatching(`^${broken}: .*no such page`)]);
  await until(() => server.streams.size === 1);
  server.tools = [];
  server.notify("notifications/tools/list_changed");
  await until(() => log.some((line) => /no such page/u.test(line) && !line.includes(broken)));
  expect(inventory.tools).toHaveLength(1);
});

// Seen: the type was said to be the one that pawl had put in its place.
test("an answer without a type that cannot be read is said to have none", async () => {
  const server = await new RemoteServer().start();
  const connection = await connect(server);
  server.door = async (request, response) => {
    if (request.method !== "POST") return true;
    await bodyOf(request);
    return !response.writeHead(200).end("hello");
  };
  await expect(callEcho(connection)).rejects.toThrow("content type: null");
});

// Seen: the call failed, because "what is at its address is not an MCP server", or because no answer had been given.
test.each([
  ["without a type", 200, {}],
  ["as text/json", 200, { "content-type": "text/json" }],
  ["as text/plain", 200, { "content-type": "text/plain" }],
  ["with status 202", 202, { "content-type": "application/json" }],
])("an answer %s is read, from the introduction on", async (_how, status, headers) => {
  const server = await new RemoteServer().start();
  server.door = async (request, response) => {
    if (request.method !== "POST") return !response.writeHead(405).end();
    const { id, method } = JSON.parse(await bodyOf(request)) as { id?: number; method: string };
    if (id === undefined) return !response.writeHead(202).end();
    const introduction = { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: "x", version: "1" } };
    const answer =
      method === "initialize" ? { result: introduction } : method === "tools/call" ? { result } : undefined;
    const error = { code: -32_601, message: "unknown" };
    const text = JSON.stringify({ jsonrpc: "2.0", id, ...(answer ?? { error }) });
    return !response.writeHead(status, headers).end(text);
  };
  expect(await callEcho(await connect(server))).toMatchObject(result);
});
