import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { McpServer } from "@modelcontextprotocol/server";
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import { Connection } from "../../src/mcp/connection.ts";
import { StdioTransport } from "../../src/mcp/stdio.ts";
import { calls, clearGroundsAfterwards, disposeAll, layGround, openSession, turn } from "../session/support.ts";
import { calling, serverOf, toolNamed } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

function withServer(behaviour: Record<string, unknown>, more: EngineOptions = {}): EngineOptions {
  return { mcpServers: { test: serverOf(behaviour) }, allowedTools: ["mcp__test"], ...more };
}

/** What the model is told of calls of these tools, one after another. */
async function toldOf(behaviour: Record<string, unknown>, ...names: string[]): Promise<unknown[]> {
  const script = calling(...names.map((name) => ({ tool: `mcp__test__${name}` })));
  const { engine } = await openSession(script, withServer(behaviour));
  const { messages } = await turn(engine, "call them");
  return messages.flatMap((message) => {
    if (message.type !== "user" || typeof message.message.content === "string") return [];
    return message.message.content.flatMap((block) => (block.type === "tool_result" ? [block.content] : []));
  });
}

describe("an answer that is not as the protocol has it", () => {
  test("is shown as far as it can be: one part of a new kind, or one bad picture, hid all that a call had done", async () => {
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

  test("is shown where its tool said that it would be structured: the call was made, and told as failed", async () => {
    const tools = [toolNamed("structures", { outputSchema: { type: "object", required: ["a"] } })];
    const answers = { structures: { content: [{ type: "text", text: "words" }] } };
    expect(await toldOf({ tools, answers }, "structures")).toEqual(["words"]);
  });

  test("is taken for one where its message is not quite right: the call waited for half an hour", async () => {
    const result = { content: [{ type: "text", text: "said" }] };
    const messages = {
      both: { jsonrpc: "2.0", result, error: null },
      bare: { result },
      meta: { jsonrpc: "2.0", result: { ...result, _meta: null } },
      nothing: { jsonrpc: "2.0", result: null },
      word: { jsonrpc: "2.0", result: "done" },
      failed: { jsonrpc: "2.0", result: null, error: { code: "E_NO", message: "no such thing" } },
      text: { jsonrpc: "2.0", error: "out of order" },
    };
    const names = Object.keys(messages);
    const told = await toldOf({ tools: names.map((name) => toolNamed(name)), messages }, ...names);
    const [nothing, word] = ["(The tool answered nothing.)", "The MCP server test failed: its answer is not an object"];
    const failed = ["The MCP server test failed: no such thing", "The MCP server test failed: out of order"];
    expect(told).toEqual(["said", "said", "said", nothing, word, ...failed]);
  });

  test("is put into a file where it is of bytes: nobody could have it", async () => {
    const sound = { type: "audio", mimeType: "audio/mpeg", data: Buffer.from([0xff, 0xfb, 0, 1]).toString("base64") };
    const [told] = await toldOf({ tools: [toolNamed("sings")], answers: { sings: { content: [sound] } } }, "sings");
    const [, path = ""] = /It is in (\S+\.mp3)\./u.exec(JSON.stringify(told)) ?? [];
    expect([...readFileSync(path)]).toEqual([0xff, 0xfb, 0, 1]);
  });

  test("to what is read says where there is nothing", async () => {
    const answers = { "resources/read": { contents: [] } };
    const script = calling({ tool: "ReadMcpResourceTool", input: { server: "test", uri: "note://1" } });
    const { engine } = await openSession(
      script,
      withServer({ resources: [], answers }, { allowedTools: ["ReadMcpResourceTool"] }),
    );
    expect((await turn(engine, "read it")).result).toMatchObject({ result: "It said: (It holds nothing.)" });
  });

  test("of resources and prompts is used as far as it can be", async () => {
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

describe("a tool whose input is described oddly", () => {
  const tools = (inputSchema: unknown) => [toolNamed("input", { inputSchema })];

  test("is called with the fields that its server knows, whatever the API takes for names", async () => {
    const schema = { properties: { $filter: { type: "string" } }, required: ["$filter"], additionalProperties: false };
    const script = calling({ tool: "mcp__test__input", input: { _filter: "x" } });
    const { engine } = await openSession(script, withServer({ tools: tools(schema) }));
    expect((await turn(engine, "call it")).result).toMatchObject({ result: 'It said: {"$filter":"x"}' });
  });

  test("may be given a text that another reader of its format would not take: its server takes local times", async () => {
    const schema = { properties: { at: { type: "string", format: "date-time" } }, required: ["at"] };
    const script = calling({ tool: "mcp__test__input", input: { at: "2026-01-01T00:00" } });
    const { engine, model } = await openSession(script, withServer({ tools: tools(schema) }));
    expect((await turn(engine, "call it")).result).toMatchObject({ result: 'It said: {"at":"2026-01-01T00:00"}' });
    expect(JSON.stringify(calls(model).at(-1)?.body?.tools)).toContain('"format":"date-time"');
  });
});

describe("a server that does not keep what it says", () => {
  test.each([
    [
      "and ends before it is asked is heard of with its last words: the reason was that a pipe was broken",
      "exit 3",
      true,
    ],
    ["and goes on without listening is told to do so", "exec sleep 60", false],
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
      // Whoever asked something hears of the end first.
      expect([isClosed, lines[0]]).toEqual([isOver, "its last words"]);
    } finally {
      await transport.close();
    }
  });

  test("and says too much at once is told with that to the model, which had it do so again", async () => {
    const answers = { big: { content: [{ type: "text", text: "x".repeat(17 * 1024 * 1024) }] } };
    const tools = [toolNamed("big")];
    const ground = layGround();
    const path = ground.file("answers.json", JSON.stringify(answers));
    const [told] = await toldOf({ tools, answersFile: path }, "big");
    expect(told).toMatch(/ended during the call .*more than 16 MiB.*may have had an effect/u);
  });

  test("and cannot be had is told to whoever runs the session: the model worked on without it, and nobody knew", async () => {
    const notices: string[] = [];
    const mcpServers = {
      gone: { type: "stdio" as const, command: "no-such-program-here" },
      placeless: { ...serverOf(), cwd: "no/such/folder" },
      ends: serverOf({ exits: true }),
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
      "null for nothing",
      { protocolVersion: version, serverInfo, capabilities: { tools: {}, prompts: null }, instructions: null },
    ],
    [
      "a number for its version",
      { protocolVersion: 1, serverInfo: { name: "test", version: 1 }, capabilities: { tools: true } },
    ],
    [
      "a flag that is none",
      { protocolVersion: version, serverInfo, capabilities: { tools: { listChanged: "yes" }, experimental: { a: 1 } } },
    ],
    ["neither name nor version", { capabilities: { tools: {} }, serverInfo: null }],
    ["none of what it can do", { protocolVersion: version, serverInfo }],
    ["an empty list of what it can do", { protocolVersion: version, serverInfo, capabilities: [] }],
  ])("and introduces itself with %s is there: it was not, and nor were its tools", async (_, initialize) => {
    const script = calling({ tool: "mcp__test__echo", input: { text: "here" } });
    const { engine } = await openSession(script, withServer({ answers: { initialize } }));
    expect((await turn(engine, "call it")).result).toMatchObject({ result: "It said: here" });
  });

  test("and numbers what it lists has its tools", async () => {
    const tools = { 0: toolNamed("echo"), 2: toolNamed("input") };
    const { engine } = await openSession(calling(), withServer({ answers: { "tools/list": { tools } } }));
    await turn(engine, "hi");
    expect(engine.mcpServerStatus()).toMatchObject([{ tools: [{ name: "echo" }, { name: "input" }] }]);
  });

  test("and can do nothing at all is there", async () => {
    const answers = { initialize: { protocolVersion: version, serverInfo, capabilities: {} } };
    const { engine } = await openSession(calling(), withServer({ answers, hasNoTools: true }));
    await turn(engine, "hi");
    expect(engine.mcpServerStatus()).toMatchObject([{ status: "connected", tools: [] }]);
  });

  test("and has no list of prompts has its tools: it was not there at all", async () => {
    const { engine, model } = await openSession(calling(), withServer({ prompts: [] }));
    await turn(engine, "hi");
    expect(engine.mcpServerStatus()).toMatchObject([{ status: "connected", tools: [{ name: "echo" }] }]);
    expect(JSON.stringify(calls(model).at(-1)?.body?.tools)).toContain("mcp__test__echo");
  });
});

test("what is typed for a server is taken as it is meant: quotes were cut apart, and a full stop was part of the address", async () => {
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

test("a server is told the folder it works for as an address, whatever the folder is called", async () => {
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

test("what a server has logged is in the log, and the folder it works for has its name", async () => {
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
