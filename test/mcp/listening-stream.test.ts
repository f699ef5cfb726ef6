// The stream on which a client of a server over HTTP listens.
import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { toolNamed } from "./support.ts";
import { HandClock, until } from "./hand-clock.ts";
import { connectTo, RemoteServer } from "./remote-server.ts";

// Seen: no stream was opened, so list changes were never noticed.
test.each([
  ["200 and no body", 200, {}, ""],
  ["200 and JSON", 200, { "content-type": "application/json" }, '{"jsonrpc":"2.0","result":{},"id":null}'],
  ["200 and a text", 200, { "content-type": "text/plain" }, "ok"],
  ["200 and a stream", 200, { "content-type": "text/event-stream" }, ""],
  ["204", 204, {}, ""],
])("is opened if the server answers notifications with %s", async (_how, status, headers, body) => {
  const server = await new RemoteServer().start();
  server.acceptNotification = (response) => void response.writeHead(status, headers).end(body);
  const connection = await connectTo(server, "http", { clock: new HandClock() });
  await until(() => server.streams.size === 1);
  server.tools = [toolNamed("echo"), toolNamed("late")];
  server.notify("notifications/tools/list_changed");
  await until(() => connection.inventory.tools.length === 2);
  expect(connection.inventory.tools.map(({ name }) => name)).toEqual(["echo", "late"]);
});

// Seen: it was asked for again and again as long as the session ran.
test.each([
  ["application/json", '{"status":"ok"}'],
  ["text/xml", "<ok/>"],
])("is not asked for again if the server answers with a page of its own (%s)", async (type, page) => {
  const server = await new RemoteServer().start();
  const clock = new HandClock();
  let pages = 0;
  server.door = ({ method }, response) => {
    if (method !== "GET") return true;
    pages += 1;
    response.writeHead(200, { "content-type": type }).write(page);
    response.end();
    return false;
  };
  const connection = await connectTo(server, "http", { clock });
  await until(() => pages === 1);
  const { signal } = new AbortController();
  for (let call = 0; call < 3; call += 1)
    await connection.use(signal, (client) => client.callTool({ name: "echo", arguments: {} }));
  expect([connection.status, clock.waits(60_000)]).toEqual(["connected", []]);
});

// Seen: such a stream had been read, and was then taken for a page, so list changes went unnoticed.
test.each([
  ["without a type", {}],
  ["as text/plain", { "content-type": "text/plain" }],
])("is read if the server sends it %s", async (_how, headers) => {
  const server = await new RemoteServer().start();
  let stream: ServerResponse | undefined;
  server.door = ({ method }, response) => {
    if (method !== "GET") return true;
    stream = response.writeHead(200, headers);
    stream.flushHeaders();
    return false;
  };
  const connection = await connectTo(server, "http", { clock: new HandClock() });
  await until(() => stream !== undefined);
  server.tools = [toolNamed("echo"), toolNamed("late")];
  stream?.write('data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n');
  await until(() => connection.inventory.tools.length === 2);
  expect(connection.inventory.tools.map(({ name }) => name)).toEqual(["echo", "late"]);
});
