import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { SilentServers } from "../../src/mcp/silent-servers.ts";
import type { McpWorld } from "../../src/mcp/world.ts";
import { bodyOf, connectionTo, RemoteServer } from "./remote-server.ts";

type Refuse = (response: ServerResponse, id: unknown) => void;
type Attempt = Parameters<NonNullable<McpWorld["onAttempt"]>>[0];

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const odd: Record<string, (response: ServerResponse) => void> = {
  "has a fault at": (response) => void response.writeHead(500).end("Internal Server Error"),
  "breaks off at": (response) => void response.destroy(),
  refuses: (response) => void response.writeHead(403).end(),
  "shows a page at": (response) => void response.writeHead(200, { "content-type": "text/html" }).end("<html>"),
  "does not answer": () => {},
  "begins to answer": (response) =>
    void response.writeHead(200, { "content-type": "text/event-stream" }).write(":\n\n"),
};

/** What came of a connection to a server that answers the question so, and how often it was asked. */
async function connected(
  answer: (response: ServerResponse) => void,
  waitedMs = 20_000,
  {
    silences,
    server: given,
    isGone = false,
    refuse,
  }: { silences?: SilentServers; server?: RemoteServer; isGone?: boolean; refuse?: Refuse } = {},
): Promise<[string, string | undefined, number]> {
  const server = given ?? (await new RemoteServer().start());
  closing.push(() => server.stop());
  const timers = new Map<() => void, number>();
  const pass = (limit: number): void => {
    for (const [onFire, ms] of timers) if (ms <= limit && timers.delete(onFire)) onFire();
  };
  const asked = Promise.withResolvers<void>();
  let count = 0;
  server.door = async (request, response) => {
    const isQuestion = request.headers["mcp-method"] === "server/discover";
    if (isGone) response.writeHead(404).end();
    if (refuse !== undefined && !isQuestion) {
      const { id } = JSON.parse(await bodyOf(request)) as { id?: unknown };
      refuse(response, id);
      return false;
    }
    if (!isQuestion) return !isGone;
    count += 1;
    answer(response);
    asked.resolve();
    return false;
  };
  const clock: McpWorld["clock"] = {
    elapsed: () => 0,
    timer(ms, onFire) {
      const fire = (): void => onFire();
      timers.set(fire, ms);
      return () => void timers.delete(fire);
    },
  };
  const kept = silences === undefined ? {} : { silences, onAttempt: (each: Attempt) => silences.noteAttempt(each) };
  const connection = connectionTo(server, "http", { clock, ...kept });
  closing.unshift(() => connection.close());
  const connecting = connection.connect();
  await Promise.race([asked.promise, connecting]);
  pass(waitedMs);
  await connecting;
  return [connection.status, connection.error, count];
}

test.each(Object.entries(odd))(
  "falls back to the older protocol if the server %s the protocol-version question",
  async (_, answer) => expect(await connected(answer)).toEqual(["connected", undefined, 1]),
);

test("reports a server that supports only other protocol versions instead of falling back", async () => {
  const [status, error] = await connected((response) => {
    const data = { supported: ["2099-01-01"], requested: "2026-07-28" };
    const refusal = { code: -32_022, message: "Unsupported protocol version", data };
    response
      .writeHead(400, { "content-type": "application/json" })
      .end(JSON.stringify({ jsonrpc: "2.0", id: null, error: refusal }));
  }, 0);
  expect([status, error]).toEqual(["failed", expect.stringContaining("Unsupported protocol version")]);
});

// Seen: each start of each session waited for it, 20 s.
test("does not ask a server again for a week if it was silent, unless it failed meanwhile", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pawl-silent-"));
  closing.push(async () => rmSync(folder, { recursive: true }));
  const path = join(folder, "mcp-silent.json");
  let now = Date.parse("2026-01-01");
  const server = await new RemoteServer().start();
  const next = async (isGone = false): Promise<[string, number]> => {
    // Each is another session.
    const silences = new SilentServers({ path, now: () => now, debug: () => {} });
    const [status, , count] = await connected(() => {}, 20_000, { silences, server, isGone });
    return [status, count];
  };
  expect(await next()).toEqual(["connected", 1]);
  expect(await next()).toEqual(["connected", 0]);
  expect(readFileSync(path, "utf8")).not.toContain("127.0.0.1");
  now += 8 * 24 * 60 * 60 * 1_000;
  expect(await next()).toEqual(["connected", 1]);
  expect(await next(true)).toEqual(["failed", 0]);
  expect(await next()).toEqual(["connected", 1]);
});

// Seen: the first session after its update had none of its tools.
test.each<[string, number, object]>([
  ["an error", 200, { code: -32_601, message: "there is no initialize" }],
  ["status 400", 400, { code: -32_600, message: "which version?" }],
])("asks a formerly silent server at once if it refuses the older protocol with %s", async (_how, status, error) => {
  const folder = mkdtempSync(join(tmpdir(), "pawl-silent-"));
  closing.push(async () => rmSync(folder, { recursive: true }));
  const server = await new RemoteServer().start();
  const silences = new SilentServers({ path: join(folder, "mcp-silent.json"), now: () => 10, debug: () => {} });
  expect(await connected(() => {}, 20_000, { silences, server })).toEqual(["connected", undefined, 1]);
  const refuse: Refuse = (response, id) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, error }));
  };
  const [, , asked] = await connected((response) => response.writeHead(405).end(), 0, { silences, server, refuse });
  expect(asked).toBe(1);
  expect(silences.has(server.url("http"))).toBe(false);
});
