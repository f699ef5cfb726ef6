import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { McpServer } from "@modelcontextprotocol/server";
import { afterEach, describe, expect, test } from "vitest";
import { Connection } from "../../src/mcp/connection.ts";
import { StdioTransport } from "../../src/mcp/stdio.ts";
import { calls, clearGroundsAfterwards, disposeAll, layGround, openSession, turn } from "../session/support.ts";
import { calling, serverOf, toolNamed, withServer } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

/** The results that the model gets for calls of these tools, in order. */
async function toldOf(behaviour: Record<string, unknown>, ...names: string[]): Promise<unknown[]> {
  const script = calling(...names.map((name) => ({ tool: `mcp__test__${name}` })));
  const { engine } = await openSession(script, withServer(behaviour));
  const { messages } = await turn(engine, "call them");
  return messages.flatMap((message) => {
    if (message.type !== "user" || typeof message.message.content === "string") return [];
    return message.message.content.flatMap((block) => (block.type === "tool_result" ? [block.content] : []));
  });
}

describe("an invalid answer", () => {
  test("is shown as far as possible, if one part is unknown or broken", async () => {
    const said = { type: "text", text: "said" };
    const answers = {
      parts: { content: [said, 7, null, { type: "text" }, { type: "hologram", size: 3 }] },
      picture: { content: [said, { type: "image", data: "no base64!", mimeType: "image/png" }] },
      words: { content: "only words" },
      list: { content: [], structuredContent: [1, 2] },
    };
    const tools = Object.keys(answers).map((name) => toolNamed(name));
    const [parts, picture, words, list] = await toldOf({ tools, answers }, "parts", "picture", "words", "list");
    expect(parts).toBe('said\n{"type":"hologram","size":3}');
    expect(JSON.stringify(picture)).toMatch(/said.*picture|said.*image/u);
    expect([words, list]).toEqual(["only words", "[1,2]"]);
  });

  test("is shown if it does not match the declared output schema", async () => {
    const tools = [toolNamed("structures", { outputSchema: { type: "object", required: ["a"] } })];
    const answers = { structures: { content: [{ type: "text", text: "words" }] } };
    expect(await toldOf({ tools, answers }, "structures")).toEqual(["words"]);
  });

  test("is accepted if its message is slightly malformed", async () => {
    const result = { content: [{ type: "text", text: "said" }] };
    const messages = {
      both: { jsonrpc: "2.0", result, error: null },
      bare: { result },
      meta: { jsonrpc: "2.0", result: { ...result, _meta: null } },
      nothing: { jsonrpc: "2.0", result: null },
      word: { jsonrpc: "2.0", result: "done" },
      failed: { jsonrpc: "2.0", result: null, error: { code: "E_NO", message: "no such thing" } },
      text: { jsonrpc: "2.0", error: "out of order" },
      none: { jsonrpc: "2.0", result, error: false },
    };
    const names = Object.keys(messages);
    const told = await toldOf({ tools: names.map((name) => toolNamed(name)), messages }, ...names);
    const [nothing, word] = ["(The tool answered nothing.)", "The MCP server test failed: its answer is not an object"];
    const failed = ["The MCP server test failed: no such thing", "The MCP server test failed: out of order"];
    expect(told).toEqual(["said", "said", "said", nothing, word, ...failed, "said"]);
  });

  test("with binary data is stored in a file", async () => {
    const sound = { type: "audio", mimeType: "audio/mpeg", data: Buffer.from([0xff, 0xfb, 0, 1]).toString("base64") };
    const [told] = await toldOf({ tools: [toolNamed("sings")], answers: { sings: { content: [sound] } } }, "sings");
    const [, path = ""] = /It is in (\S+\.mp3)\./u.exec(JSON.stringify(told)) ?? [];
    expect([...readFileSync(path)]).toEqual([0xff, 0xfb, 0, 1]);
  });

  test("without contents is described as empty", async () => {
    const answers = { "resources/read": { contents: [] } };
    const script = calling({ tool: "ReadMcpResourceTool", input: { server: "test", uri: "note://1" } });
    const { engine } = await openSession(
      script,
      withServer({ resources: [], answers }, { allowedTools: ["ReadMcpResourceTool"] }),
    );
    expect((await turn(engine, "read it")).result).toMatchObject({ result: "It said: (It holds nothing.)" });
  });

  test("for resources and prompts is used as far as possible", async () => {
    const { engine, model } = await openSession(
      { fallback: { content: ["done"] } },
      withServer({
        prompts: [null, "a prompt", { description: "no name" }, { name: "review", arguments: [null, {}] }],
        resources: [],
        answers: {
          "resources/read": { contents: [null, { uri: "note://1" }, { uri: "note://1", text: "the note" }] },
          "prompts/get": { messages: [{ role: "user", content: [{ type: "text", text: "the prompt" }] }, 5] },
        },
      }),
    );
    await turn(engine, "/mcp__test__review and @test:note://1");
    const sent = JSON.stringify(calls(model).at(-1)?.body?.messages);
    expect(sent).toContain("the note");
    expect(sent).toContain("the prompt");
  });
});

describe("a tool with an unusual input schema", () => {
  const tools = (inputSchema: unknown) => [toolNamed("input", { inputSchema })];

  test("is called with the field names of its server", async () => {
    const schema = { properties: { $filter: { type: "string" } }, required: ["$filter"], additionalProperties: false };
    const script = calling({ tool: "mcp__test__input", input: { _filter: "x" } });
    const { engine } = await openSession(script, withServer({ tools: tools(schema) }));
    expect((await turn(engine, "call it")).result).toMatchObject({ result: 'It said: {"$filter":"x"}' });
  });

  test("may get a text that does not match its format", async () => {
    const schema = { properties: { at: { type: "string", format: "date-time" } }, required: ["at"] };
    const script = calling({ tool: "mcp__test__input", input: { at: "2026-01-01T00:00" } });
    const { engine, model } = await openSession(script, withServer({ tools: tools(schema) }));
    expect((await turn(engine, "call it")).result).toMatchObject({ result: 'It said: {"at":"2026-01-01T00:00"}' });
    expect(JSON.stringify(calls(model).at(-1)?.body?.tools)).toContain('"format":"date-time"');
  });
});

describe("a misbehaving server", () => {
  test.each([
    ["that ends before any request is reported with its last output", "exit 3", true],
    ["that keeps running without reading its input is reported as such", "exec sleep 60", false],
  ])("%s", async (_, end, isOver) => {
    const lines: string[] = [];
    const clock = {
      timer(ms: number, onFire: () => void) {
        const timer = setTimeout(onFire, ms);
        return () => clearTimeout(timer);
      },
    };
    const args = ["-c", `exec 0<&-; echo '{}'; echo its last words >&2; ${end}`];
    const env = { PATH: process.env["PATH"] ?? "" };
    const log = (line: string): void => void lines.push(line);
    const transport = new StdioTransport({ command: "sh", args, cwd: "/", env, tag: `m${randomUUID()}`, clock, log });
    const said = new Promise<void>((resolve) => (transport.onmessage = () => resolve()));
    let isClosed = false;
    transport.onclose = () => (isClosed = true);
    try {
      await transport.start();
      await said;
      await expect(transport.send({})).rejects.toThrow(/no longer takes input|has ended/u);
      // Open requests learn of the end first.
      expect([isClosed, lines[0]]).toEqual([isOver, "its last words"]);
    } finally {
      await transport.close();
    }
  });

  test("that sends too much at once is reported to the model as ended", async () => {
    const answers = { big: { content: [{ type: "text", text: "x".repeat(17 * 1024 * 1024) }] } };
    const tools = [toolNamed("big")];
    const ground = layGround();
    const path = ground.file("answers.json", JSON.stringify(answers));
    const [told] = await toldOf({ tools, answersFile: path }, "big");
    expect(told).toMatch(/ended during the call .*more than 16 MiB.*may have had an effect/u);
  });

  test("that does not start is reported to the host", async () => {
    const notices: string[] = [];
    const mcpServers = {
      gone: { type: "stdio" as const, command: "no-such-program-here" },
      placeless: { ...serverOf(), cwd: "no/such/folder" },
      ends: serverOf({ exits: true }),
      silent: { type: "stdio" as const, command: process.execPath, args: ["-e", "process.exit(9)"] },
      fine: serverOf(),
    };
    const { engine } = await openSession(calling(), { mcpServers, onNotice: (text) => void notices.push(text) });
    await turn(engine, "hi");
    expect(notices.toSorted()).toEqual([
      "The MCP server ends did not start: it ended before it answered. It said: no licence.",
      "The MCP server gone did not start: its command no-such-program-here was not found.",
      expect.stringMatching(
        /^The MCP server placeless did not start: the folder \/.*\/work\/no\/such\/folder in which it should start does not exist, or is not a folder\.$/u,
      ),
      "The MCP server silent did not start: it ended with exit code 9 before it answered.",
    ]);
  });

  const version = "2025-06-18";
  const serverInfo = { name: "test", version: "1" };
  test.each([
    [
      "lists for empty tables",
      { protocolVersion: version, serverInfo, capabilities: { tools: [], logging: [], experimental: [] } },
    ],
    [
      "null for absent fields",
      { protocolVersion: version, serverInfo, capabilities: { tools: {}, prompts: null }, instructions: null },
    ],
    [
      "a number for its version",
      { protocolVersion: 1, serverInfo: { name: "test", version: 1 }, capabilities: { tools: true } },
    ],
    [
      "a flag that is not a boolean",
      { protocolVersion: version, serverInfo, capabilities: { tools: { listChanged: "yes" }, experimental: { a: 1 } } },
    ],
    ["neither name nor version", { capabilities: { tools: {} }, serverInfo: null }],
    ["no capabilities", { protocolVersion: version, serverInfo }],
    ["an empty list of capabilities", { protocolVersion: version, serverInfo, capabilities: [] }],
  ])("that introduces itself with %s is connected", async (_, initialize) => {
    const script = calling({ tool: "mcp__test__echo", input: { text: "here" } });
    const { engine } = await openSession(script, withServer({ answers: { initialize } }));
    expect((await turn(engine, "call it")).result).toMatchObject({ result: "It said: here" });
  });

  test("that lists its tools with numeric keys has its tools", async () => {
    const tools = { 0: toolNamed("echo"), 2: toolNamed("input") };
    const { engine } = await openSession(calling(), withServer({ answers: { "tools/list": { tools } } }));
    await turn(engine, "hi");
    expect(engine.mcpServerStatus()).toMatchObject([{ tools: [{ name: "echo" }, { name: "input" }] }]);
  });

  test("that offers nothing is connected", async () => {
    const answers = { initialize: { protocolVersion: version, serverInfo, capabilities: {} } };
    const { engine } = await openSession(calling(), withServer({ answers, hasNoTools: true }));
    await turn(engine, "hi");
    expect(engine.mcpServerStatus()).toMatchObject([{ status: "connected", tools: [] }]);
  });

  test("that does not know the prompts request has its tools", async () => {
    const { engine, model } = await openSession(calling(), withServer({ prompts: [] }));
    await turn(engine, "hi");
    expect(engine.mcpServerStatus()).toMatchObject([{ status: "connected", tools: [{ name: "echo" }] }]);
    expect(JSON.stringify(calls(model).at(-1)?.body?.tools)).toContain("mcp__test__echo");
  });
});

test("keeps quoted arguments of a typed prompt together, and ignores a full stop after a resource", async () => {
  const resources = [{ uri: "note:one" }];
  const prompts = [{ name: "review", arguments: [{ name: "what" }, { name: "how" }] }];
  const { engine, model } = await openSession(calling(), withServer({ resources, prompts }));
  await turn(engine, `/mcp__test__review "two words" what's "this" about`);
  await turn(engine, "/mcp__test__review 'one' \"and the rest\"");
  await turn(engine, "(see @test:note:one, then @test:note:one.)");
  const told = JSON.stringify(calls(model).at(-1)?.body?.messages);
  const said = (values: object): string => JSON.stringify(JSON.stringify(values)).slice(1, -1);
  expect(told).toContain(said({ what: "two words", how: `what's "this" about` }));
  expect(told).toContain(said({ what: "one", how: "and the rest" }));
  expect(told.split("what is in note:one").length).toBe(2);
});

test("a server gets the working folder as a valid file URL", async () => {
  const server = new McpServer({ name: "asks", version: "1" });
  server.registerTool("where", {}, async () => {
    const { roots } = await server.server.listRoots();
    return { content: [{ type: "text", text: fileURLToPath(roots[0]?.uri ?? "") }] };
  });
  const cwd = join(layGround().work, "c# 100%?");
  mkdirSync(cwd);
  const mcpServers = { test: { type: "sdk" as const, instance: server as never } };
  const { engine } = await openSession(calling({ tool: "mcp__test__where" }), {
    mcpServers,
    cwd,
    allowedTools: ["mcp__test"],
  });
  const { result } = await turn(engine, "call it");
  expect(result).toMatchObject({ result: `It said: ${cwd}` });
});

test("a server's log messages go to the log, and its root has the folder's name", async () => {
  const server = new McpServer({ name: "logs", version: "1" }, { capabilities: { logging: {} } });
  server.registerTool("say", {}, async () => {
    const { roots } = await server.server.listRoots();
    await server.server.sendLoggingMessage({ level: "warning", data: `in ${roots[0]?.name ?? ""}\u202e` });
    await server.server.sendLoggingMessage({ level: "info", data: { a: 1 } });
    return { content: [] };
  });
  const log: string[] = [];
  const clock = { timer: () => () => {}, elapsed: () => 0 };
  const about = { clock, random: () => 0, version: "0", cwd: "/some/where", environment: () => ({}), newTag: () => "" };
  const world = { ...about, connectMs: 1_000, debug: (line: string) => void log.push(line) };
  const config = { name: "logs", scope: "sdk", source: "test", alwaysLoad: false, type: "sdk" } as const;
  const connection = new Connection({ ...config, instance: server as never }, world);
  await connection.connect();
  await connection.use(new AbortController().signal, (client) => client.callTool({ name: "say" }));
  await connection.close();
  expect(log.slice(0, 2)).toEqual(['mcp "logs" warning: in where', 'mcp "logs" info: {"a":1}']);
});
