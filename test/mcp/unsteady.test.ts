// Servers whose connection comes to be, and is lost again.
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { quoteForShell } from "../../src/lib/shell-quote.ts";
import type { RemoteServer as Remote } from "../../src/mcp/server.ts";
import { HandClock, until } from "./hand-clock.ts";
import { connectionTo, connectTo, RemoteServer } from "./remote-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** How often a server whose connection holds for so long is looked for before it is given up, in a session of an hour. */
async function timesLookedFor(holdsMs: number, most: number): Promise<number> {
  const server = await new RemoteServer().start();
  onTestFinished(() => server.stop());
  const clock = new HandClock();
  clock.pass(3_600_000);
  const connection = connectionTo(server, "sse", { clock });
  await connection.connect();
  let times = 0;
  for (; times < most && connection.status === "connected"; times += 1) {
    clock.pass(holdsMs);
    server.dropStreams();
    await until(() => connection.status !== "connected");
    for (const wait of clock.waits()) clock.pass(wait);
    await until(() => connection.status !== "pending");
  }
  await connection.close();
  return times;
}

test("gives up a server whose connection is lost at once each time", async () => {
  expect(await timesLookedFor(1_000, 20)).toBe(6);
});

test("always reconnects to a server whose connection holds for a minute", async () => {
  expect(await timesLookedFor(60_000, 20)).toBe(20);
});

// Seen: once the token had expired, calls failed with a request to log in until somebody reconnected by hand.
test.each([401, 403])("runs the headersHelper once more if a server refuses its headers with %d", async (status) => {
  const server = await new RemoteServer().start();
  const folder = temporaryFolder();
  onTestFinished(() => server.stop());
  server.hasStream = false;
  const count = quoteForShell(join(folder, "count"));
  const headersHelper = `echo >> ${count}; n=$(wc -l < ${count}); echo "{\\"x-key\\": \\"k$((n))\\"}"`;
  const taken: string[] = ["k1"];
  const refused: unknown[] = [];
  server.door = ({ headers, method }, response) => {
    const key = headers["x-key"];
    if (method !== "POST" || taken.includes(String(key))) return true;
    refused.push(key);
    return !response.writeHead(status).end();
  };
  const connection = connectionTo(server, "http", { clock: new HandClock() });
  connection.server = { ...(connection.server as Remote), headersHelper };
  onTestFinished(() => connection.close());
  const { signal } = new AbortController();
  const call = () => connection.use(signal, (client) => client.callTool({ name: "echo", arguments: { a: 1 } }));
  const answer = { content: [{ type: "text", text: '{"a":1}' }] };
  expect(await call()).toMatchObject(answer);
  taken.splice(0, 1, "k2");
  expect(await call()).toMatchObject(answer);
  expect(refused).toEqual(["k1"]);
  taken.length = 0;
  const why = status === 401 ? "it refuses what its headersHelper prints, or wants you to log in" : "";
  await expect(call()).rejects.toThrow(why);
  expect(new Set(refused)).toEqual(new Set(["k1", "k2", "k3"]));
});

// Seen: pawl mcp list said "still connecting", and not why, because another server took longer.
test("says why a server does not connect while it is tried again", async () => {
  const server = await new RemoteServer().start();
  const clock = new HandClock();
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  let isBusy = true;
  server.door = async (_request, response) => {
    if (isBusy) return !response.writeHead(500).end();
    asked.resolve();
    await answer.promise;
    return true;
  };
  const connection = await connectTo(server, "http", { clock });
  const failure = { status: "failed", error: expect.stringContaining("status 500") as string };
  expect(connection).toMatchObject(failure);
  isBusy = false;
  clock.pass(1_000);
  await asked.promise;
  expect(connection).toMatchObject(failure);
  answer.resolve();
  await until(() => connection.status === "connected");
  expect(connection.error).toBeUndefined();
});
