// Servers that speak the other HTTP transport than their configuration says: each was waited for until the time limit, or named badly.
import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Connection } from "../../src/mcp/connection.ts";
import { HandClock } from "./hand-clock.ts";
import { connectionTo, RemoteServer } from "./remote-server.ts";

type Door = (request: IncomingMessage, response: ServerResponse) => boolean;

/** `whenAnswered`: runs once pawl has the beginning of the server's first answer. */
async function tryServer(
  type: "http" | "sse",
  door: Door,
  whenAnswered: (clock: HandClock) => void = () => {},
): Promise<Connection> {
  const server = await new RemoteServer().start();
  const clock = new HandClock();
  const answered = Promise.withResolvers<void>();
  server.door = door;
  const connection = connectionTo(server, type, {
    clock,
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      setImmediate(answered.resolve);
      return response;
    },
  });
  onTestFinished(async () => {
    await server.stop();
    await connection.close();
  });
  await Promise.all([connection.connect(), answered.promise.then(() => whenAnswered(clock))]);
  return connection;
}

function openStream(response: ServerResponse, events = ""): false {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  response.write(events);
  return false;
}

const hint = 'for the other kind, set "type": "http".';
const none = "there is no MCP server of type sse at its address";

describe("a server of type sse that speaks streamable HTTP", () => {
  test.each<[number, string, string, string]>([
    [405, "", "", `${none} (status 405); ${hint}`],
    [404, "", "", `${none} (status 404); ${hint}`],
    [400, "application/json", '{"error":{"message":"no session"}}', `it refused that (status 400); ${hint}`],
    [406, "", "", `it refused that (status 406); ${hint}`],
    [200, "application/json", "{}", `${none} (it answers with status 200 and no stream); ${hint}`],
    [204, "", "", `${none} (it answers with status 204 and no stream); ${hint}`],
  ])("is named by its answer with status %d %s", async (status, type, body, why) => {
    const headers = type === "" ? {} : { "content-type": type };
    const { error } = await tryServer("sse", (_, response) => !response.writeHead(status, headers).end(body));
    expect(error).toBe(why);
  });

  test("is named as soon as its stream begins with a message", async () => {
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    const { error } = await tryServer("sse", (_, response) =>
      openStream(response, `event: hello\ndata: you\n\ndata: ${JSON.stringify(ping)}\n\n`),
    );
    expect(error).toBe(`${none} (its stream does not begin with the address for messages); ${hint}`);
  });

  test("is named at the time limit if its stream stays empty, and tried again because it may be slow", async () => {
    const clocks: HandClock[] = [];
    const { error } = await tryServer(
      "sse",
      (_, response) => openStream(response),
      (clock) => {
        clocks.push(clock);
        clock.pass(30_000);
      },
    );
    expect(error).toBe(`its stream does not begin with the address for messages; ${hint}`);
    expect(clocks[0]?.waits(5_000)).toHaveLength(1);
  });
});

// Seen: servers that greeted with JSON or a notification had connected, and were then said to be of the other kind.
test.each([
  ["an event of another name", "event: hello\ndata: you\n\n"],
  ["a text", "data: hello\n\n"],
  ["JSON of its own", 'data: {"type":"connected","id":"c1"}\n\n'],
  [
    "a notification",
    'data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"hi"}}\n\n',
  ],
])("an older server may send %s before it names the address for messages", async (_what, greeting) => {
  const connection = await tryServer("sse", ({ url = "" }, response) => {
    if (url === "/sse") response.write = greetFirst(greeting, response.write.bind(response));
    return true;
  });
  expect([connection.error, connection.status]).toEqual([undefined, "connected"]);
});

// Seen: it was given up after two thirds of the time.
test("an older server may take almost all of the time limit to name the address for messages", async () => {
  let nameAddress = (): unknown => undefined;
  const connection = await tryServer(
    "sse",
    ({ url = "" }, response) => {
      if (url !== "/sse") return true;
      response.write = ((text: string) => {
        Reflect.deleteProperty(response, "write");
        nameAddress = () => response.write(text);
      }) as never;
      return true;
    },
    (clock) => {
      clock.pass(29_999);
      nameAddress();
    },
  );
  expect([connection.error, connection.status]).toEqual([undefined, "connected"]);
});

function greetFirst(greeting: string, write: (text: string) => boolean): typeof ServerResponse.prototype.write {
  return (text: unknown) => {
    const said = `${greeting}${String(text)}`;
    greeting = "";
    return write(said);
  };
}

test("a server of type http that opens the stream of an older server is named at once", async () => {
  const { error } = await tryServer("http", (_, response) =>
    openStream(response, "event: endpoint\ndata: /messages?session=1\n\n"),
  );
  expect(error).toBe(
    'there is no MCP server of type http at its address (it opens the stream of an older server); for the other kind, set "type": "sse".',
  );
});
