// What a server may say is bounded and looked at: its lists, its tools' names, its questions, and what its helper prints.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { quoteForShell } from "../../src/lib/shell-quote.ts";
import { Connection } from "../../src/mcp/connection.ts";
import { answerElicitation } from "../../src/mcp/elicit.ts";
import { runHeadersHelper } from "../../src/mcp/headers-helper.ts";
import { Inventory } from "../../src/mcp/inventory.ts";
import { listAllPages } from "../../src/mcp/list.ts";
import { nameTools } from "../../src/mcp/names.ts";
import { StdioTransport } from "../../src/mcp/stdio.ts";
import type { McpElicitation } from "../../src/protocol/mcp.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openSession, turn } from "../session/support.ts";
import { calling, offered, serverOf, toolNamed } from "./support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const limits = { signal: new AbortController().signal, timeout: 1_000 };

describe("a list", () => {
  test("of several pages is read completely", async () => {
    const tools = ["one", "two", "three", "four", "five"].map((name) => toolNamed(name));
    const { engine, model } = await openSession(calling(), { mcpServers: { test: serverOf({ tools, perPage: 2 }) } });
    await turn(engine, "hi");
    const names = offered(model).flatMap(({ name }) => (name.startsWith("mcp__") ? [name.slice(11)] : []));
    expect(names).toEqual(["five", "four", "one", "three", "two"]);
  });

  test("without an end is read up to a limit, and one that repeats a page only once", async () => {
    const asked: unknown[] = [];
    const listing = (cursorAfter: (page: number) => string | number, items = 1) => ({
      request: async ({ params }: { params: { cursor?: string | number } }) => {
        asked.push(params.cursor);
        const tools = Array.from({ length: items }, () => toolNamed("t"));
        return { tools, nextCursor: cursorAfter(asked.length) };
      },
    });
    const list = async (...given: Parameters<typeof listing>) => {
      asked.length = 0;
      const client = listing(...given) as unknown as Client;
      const { items, isCut } = await listAllPages(client, "tools/list", "tools", limits);
      return [items.length, isCut, asked.length];
    };
    expect(await list((page) => `p${page}`)).toEqual([50, true, 50]);
    expect(await list((page) => `p${page}`, 300)).toEqual([1_000, true, 4]);
    expect(await list(() => "again")).toEqual([2, false, 2]);
    expect(asked).toEqual([undefined, "again"]);
    expect(await list((page) => (page < 3 ? page : ""))).toEqual([3, false, 3]);
    expect(asked).toEqual([undefined, 1, 2]);
    expect(await list(() => 1)).toEqual([2, false, 2]);
    for (const none of [0, -1]) expect(await list(() => none)).toEqual([1, false, 1]);
    expect(await list(() => "", 1_000)).toEqual([1_000, false, 1]);
  });
});

test("leaves out only the tools whose schema is too deep or has too many alternatives", async () => {
  const deep: unknown = JSON.parse(`${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`);
  const anyOf = Array.from({ length: 200_000 }, (_, at) => ({ required: [`a${at}`] }));
  const tools = [
    toolNamed("deep", { inputSchema: { type: "object", properties: { a: { default: deep } } } }),
    toolNamed("many", { inputSchema: { type: "object", anyOf } }),
    toolNamed("plain"),
  ];
  const client = { getServerCapabilities: () => ({ tools: {} }), request: () => Promise.resolve({ tools }) };
  const inventory = new Inventory({ name: "test" } as never, { debug: () => {} } as never);
  await inventory.refresh(client as never, limits);
  expect(inventory.tools.map(({ name }) => name)).toEqual(["plain"]);
  expect(inventory.remarks).toEqual([
    'its tool "deep" was left out: its definition cannot be read',
    'its tool "many" was left out: its input schema is longer than 64 KiB',
  ]);
});

test("reports tools with the same name, and the first one counts", () => {
  const tools = [
    { name: "a", at: 1 },
    { name: "a.b", at: 2 },
    { name: "a", at: 3 },
    { name: "a b", at: 4 },
  ];
  const { byName, remarks } = nameTools("s", tools);
  expect([...byName].map(([name, { at }]) => [name.replace(/_[0-9a-f]{8}$/u, "_#"), at])).toEqual([
    ["mcp__s__a", 1],
    ["mcp__s__a_b", 4],
    ["mcp__s__a_b_#", 2],
  ]);
  expect(remarks).toMatchObject([expect.stringContaining("twice"), expect.stringContaining("another has that name")]);
});

describe("a server's question", () => {
  async function asked(params: unknown): Promise<McpElicitation | string> {
    const seen: McpElicitation[] = [];
    const answer = await answerElicitation(
      "crm",
      params,
      async (question) => (seen.push(question), { action: "accept" }),
      limits.signal,
    );
    return seen[0] ?? answer.action;
  }

  test("may lead to web addresses only", async () => {
    const url = { mode: "url", message: "Log\u202e in", elicitationId: "e1" };
    expect(await asked({ ...url, url: "https://a.test/x" })).toMatchObject({
      serverName: "crm",
      mode: "url",
      url: "https://a.test/x",
      elicitationId: "e1",
    });
    for (const bad of [
      "file:///etc/passwd",
      "javascript:alert(1)",
      "not a url",
      "ssh://-oProxyCommand=x",
      7,
      undefined,
    ])
      expect(await asked({ ...url, url: bad }), String(bad)).toBe("decline");
  });

  test("is declined with more than 50 fields, and an accepted answer always has an object as content", async () => {
    const form = (fields: number) => ({
      message: "Who?",
      requestedSchema: {
        type: "object",
        properties: Object.fromEntries(Array.from({ length: fields }, (_, at) => [`f${at}`, { type: "string" }])),
      },
    });
    expect(await asked(form(50))).toMatchObject({ mode: "form", message: "Who?" });
    expect(await asked(form(51))).toBe("decline");
    expect(await asked({ message: "Who?" })).toBe("decline");
    const accept = async () => ({ action: "accept" as const });
    expect(await answerElicitation("crm", form(1), accept, limits.signal)).toEqual({ action: "accept", content: {} });
    const broken = () => Promise.reject(new Error("the terminal is gone"));
    expect(await answerElicitation("crm", form(1), broken, limits.signal)).toEqual({ action: "cancel" });
    expect(await answerElicitation("crm", form(1), undefined, limits.signal)).toEqual({ action: "decline" });
  });
});

// Seen: a host that answers every question in the same way sent an empty form with a page that had been visited.
test("an answer to a question about a page has no content", async () => {
  const page = { mode: "url", message: "Pay?", url: "https://a.test/pay", elicitationId: "e1" };
  const accept = async () => ({ action: "accept" as const, content: {} });
  expect(await answerElicitation("crm", page, accept, limits.signal)).toEqual({ action: "accept" });
});

describe("a headersHelper", () => {
  const timerOf = () => (_ms: number, _fire: () => void) => () => {};
  function printed(command: string | undefined, timer = timerOf(), signal = limits.signal) {
    const server = { type: "http", name: "far", url: "https://a.test/", cwd: "/", headersHelper: command };
    const environment = () => ({ PATH: process.env["PATH"] ?? "" });
    return runHeadersHelper(server as never, { clock: { timer, elapsed: () => 0 }, environment } as never, signal);
  }

  test("gets the server's name and URL, and prints an object of strings", async () => {
    const command = `printf '{"x-for":"%s %s"}' "$CLAUDE_CODE_MCP_SERVER_NAME" "$CLAUDE_CODE_MCP_SERVER_URL"`;
    expect(await printed(command)).toEqual({ "x-for": "far https://a.test/" });
    expect(await printed(undefined)).toEqual({});
  });

  test.each([
    ["echo '[]'", "does not print a JSON object of strings"],
    ["echo null", "does not print a JSON object of strings"],
    [`echo '{"a":1}'`, "does not print a JSON object of strings"],
    ["echo oops", "does not print a JSON object of strings"],
    ["echo '{}'; exit 3", "ended with code 3"],
    ["head -c 70000 /dev/zero; sleep 60", "prints too much"],
  ])("that fails is reported: %s", async (command, why) => {
    await expect(printed(command)).rejects.toThrow(`its headersHelper ${why}`);
  });

  test("is killed after its time limit", async () => {
    const late = printed("sleep 60", (_ms, fire) => (setImmediate(fire), () => {}));
    await expect(late).rejects.toThrow("its headersHelper took longer than 10 s");
  });

  test("is killed when its session is closed", async () => {
    const folder = temporaryFolder();
    const marks = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void marks.close());
    const begun = new Promise<Socket>((resolve) => marks.once("connection", resolve));
    await once(marks, "listening");
    const script = join(folder, "helper.mjs");
    const { port } = marks.address() as AddressInfo;
    writeFileSync(script, `import { connect } from "node:net"; connect(${port}, "127.0.0.1").resume();`);
    const nobody = { elapsed: () => 0, timer: () => () => {} };
    const world = { clock: nobody, debug: () => {}, connectMs: 1, environment: () => ({}) };
    const headersHelper = [process.execPath, script].map(quoteForShell).join(" ");
    const server = { type: "http", name: "far", url: "http://127.0.0.1:1/", cwd: "/", headers: {}, headersHelper };
    for (const end of ["close", "killNow"] as const) {
      const connection = new Connection(server as never, world as never);
      const connected = connection.connect();
      const socket = await (end === "close" ? begun : once(marks, "connection").then(([next]) => next as Socket));
      const gone = once(socket.resume(), "close");
      socket.on("error", () => {});
      await connection[end]();
      await Promise.all([connected, gone]);
      expect(connection.status).not.toBe("connected");
    }
  });

  // Seen: a header of the same name in another spelling was sent too, and the server received a mix of both.
  test.each([{}, { "X-Key": "old" }])("adds what it prints to each request, and overrides %j", async (headers) => {
    const seen: unknown[] = [];
    const far = createServer((request, response) => {
      seen.push(request.headers["x-key"]);
      response.writeHead(404).end();
    });
    far.listen(0, "127.0.0.1");
    onTestFinished(() => void far.close());
    await new Promise((resolve) => far.once("listening", resolve));
    const url = `http://127.0.0.1:${(far.address() as AddressInfo).port}/mcp`;
    const mcpServers = { far: { type: "http" as const, url, headers, headersHelper: `echo '{"x-key":"k1"}'` } };
    const { engine } = await openSession(calling(), { mcpServers: mcpServers as never, onNotice: () => {} });
    await turn(engine, "hi");
    expect(seen.length).toBeGreaterThan(0);
    expect(new Set(seen)).toEqual(new Set(["k1"]));
  });
});

test("a server that sends an endless line is reported once and dropped", async () => {
  const { command, args = [] } = serverOf({ neverEndsALine: true });
  const said: string[] = [];
  const clock = { timer: (_ms: number, fire: () => void) => (setImmediate(fire), () => {}) };
  const tag = `m${randomUUID()}`;
  const start = { command, args, cwd: "/", env: { PAWL_TASK: tag }, tag, clock };
  const transport = new StdioTransport({ ...start, log: () => {} });
  const failed = new Promise<void>((resolve) => {
    transport.onerror = ({ message }) => (said.push(message), resolve());
  });
  await transport.start();
  await failed;
  await transport.close();
  expect(said).toEqual(["it sent a line of more than 16 MiB"]);
});

test("disposing of a session waits until its servers have ended", async () => {
  const ground = layGround();
  const [begun, ended] = ["begun", "ended"].map((name) => join(ground.home, name)) as [string, string];
  const write = (file: string): string => `require("node:fs").writeFileSync(${JSON.stringify(file)}, "")`;
  const script = `process.stdin.on("end", () => ${write(ended)}).resume(); ${write(begun)}`;
  const test = { type: "stdio" as const, command: process.execPath, args: ["-e", script] };
  const { engine } = await openSession({ fallback: "." }, { mcpServers: { test } }, ground);
  await expect.poll(() => existsSync(begun)).toBe(true);
  await engine.dispose();
  expect(existsSync(ended)).toBe(true);
});
