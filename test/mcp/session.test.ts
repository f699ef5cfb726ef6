import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { McpServer } from "@modelcontextprotocol/server";
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions, QueryEngine } from "../../src/index.ts";
import { calls, clearGroundsAfterwards, disposeAll, layGround, openSession, turn } from "../session/support.ts";
import { calling, offered, serverOf, toolNamed, withServer } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const allowed = { allowedTools: ["mcp__test"] };

describe("a session with a stdio server", () => {
  test("offers its tools after the built-in ones and calls them", async () => {
    const script = calling({ tool: "mcp__test__echo", input: { text: "hello there" } });
    const { engine, model } = await openSession(script, withServer({ instructions: "Use echo.\u202e" }));
    const { messages, result } = await turn(engine, "call it");
    expect(result).toMatchObject({ subtype: "success", result: "It said: hello there" });
    expect(messages[0]).toMatchObject({ mcp_servers: [{ name: "test", status: "connected" }] });
    expect(offered(model).at(-1)).toMatchObject({ name: "mcp__test__echo", description: "Says it again" });
    expect(JSON.stringify(calls(model)[0]?.body?.messages)).toContain("its words, not the user's:\\nUse echo.");
    expect(engine.mcpServerStatus()).toMatchObject([{ name: "test", status: "connected", tools: [{ name: "echo" }] }]);
  });

  test("waits for it even if MCP_TIMEOUT is longer than a timer can be", async () => {
    const { engine } = await openSession(calling(), withServer({}, { env: { MCP_TIMEOUT: "9999999999" } }));
    const { messages } = await turn(engine, "hi");
    expect(messages[0]).toMatchObject({ mcp_servers: [{ name: "test", status: "connected" }] });
  });

  test("asks for each call that no rule allows, and a rule for another server allows nothing", async () => {
    const script = calling({ tool: "mcp__test__echo", input: { text: "x" } });
    const { engine } = await openSession(script, withServer({}, { allowedTools: ["mcp__tes", "mcp__test__ech"] }));
    const { result } = await turn(engine, "call it");
    expect(result.permission_denials).toMatchObject([{ tool_name: "mcp__test__echo" }]);
    expect(result).toMatchObject({ result: expect.stringContaining("--allowed-tools mcp__test__echo") });
  });

  test("asks for calls despite a readOnlyHint, and refuses them in plan mode", async () => {
    const annotations = { readOnlyHint: true, destructiveHint: false, openWorldHint: false };
    const tools = [toolNamed("echo", { annotations })];
    for (const permissionMode of ["default", "acceptEdits", "plan"] as const) {
      const asked: string[] = [];
      const ask: EngineOptions["ask"] = async ({ toolName }) => {
        asked.push(toolName);
        return { behavior: "deny" };
      };
      const script = calling({ tool: "mcp__test__echo", input: { text: "x" } });
      const options = { allowedTools: [], permissionMode, ask };
      const { engine } = await openSession(script, withServer({ tools }, options));
      const { result } = await turn(engine, "call it");
      expect(result.permission_denials, permissionMode).toMatchObject([{ tool_name: "mcp__test__echo" }]);
      // In plan mode only what reads would be put to a person.
      expect(asked).toEqual(permissionMode === "plan" ? [] : ["mcp__test__echo"]);
    }
  });

  test("does not offer tools that a rule denies", async () => {
    const behaviour = { tools: [toolNamed("read"), toolNamed("write")] };
    const { engine, model } = await openSession(
      calling(),
      withServer(behaviour, { disallowedTools: ["mcp__test__write"] }),
    );
    await turn(engine, "go");
    expect(offered(model).map(({ name }) => name)).toContain("mcp__test__read");
    expect(offered(model).map(({ name }) => name)).not.toContain("mcp__test__write");
  });

  test("gives it the environment without secrets, except those that its configuration names", async () => {
    const { engine } = await openSession(calling({ tool: "mcp__test__env" }), {
      mcpConfig: [
        JSON.stringify({
          mcpServers: { test: { ...serverOf({ tools: [toolNamed("env")] }), env: { GIVEN: "${MY_TOKEN}" } } },
        }),
      ],
      ...allowed,
      env: { ANTHROPIC_API_KEY: "scripted", MY_TOKEN: "t0ps3cret", OTHER_SECRET: "no", PLAIN: "yes" },
    });
    const { result } = await turn(engine, "call it");
    const text = (result as { result: string }).result;
    expect(text).toContain('"GIVEN":"t0ps3cret"');
    expect(text).toContain('"PLAIN":"yes"');
    expect(text).not.toMatch(/MY_TOKEN|OTHER_SECRET|ANTHROPIC_API_KEY/u);
  });

  test("shows structured answers and failed calls", async () => {
    const script = calling(
      { tool: "mcp__test__structured" },
      { tool: "mcp__test__fails" },
      { tool: "mcp__test__none" },
    );
    const tools = ["structured", "fails", "none"].map((name) => toolNamed(name));
    const { engine, model } = await openSession(script, withServer({ tools }));
    await turn(engine, "call them");
    const results = JSON.stringify(calls(model).at(-1)?.body?.messages);
    expect(results).toContain('{\\"answer\\":42}');
    expect(results).toMatch(/it went wrong[^{}]*"is_error":true/u);
    expect(results).toContain("no tool none");
  });

  test("reports a server's own network errors as its errors, not as a lost connection", async () => {
    const said = ["fetch failed", "terminated"].map((message) => ({ error: { code: -32_603, message } }));
    const messages = Object.fromEntries(said.map((each, at) => [`call${at}`, { jsonrpc: "2.0", ...each }]));
    const tools = Object.keys(messages).map((name) => toolNamed(name));
    const script = calling({ tool: "mcp__test__call0" }, { tool: "mcp__test__call1" });
    const { engine, model } = await openSession(script, withServer({ tools, messages }));
    const { result } = await turn(engine, "call them");
    expect(JSON.stringify(calls(model).at(-1)?.body?.messages)).toContain("The MCP server test failed: fetch failed");
    expect(result).toMatchObject({ result: "It said: The MCP server test failed: terminated" });
  });

  test("stores an answer that is too long in a file", async () => {
    const script = calling({ tool: "mcp__test__big", input: { size: 50_000 } });
    const env = { ANTHROPIC_API_KEY: "scripted", MAX_MCP_OUTPUT_TOKENS: "1000" };
    const { engine, model } = await openSession(script, withServer({ tools: [toolNamed("big")] }, { env }));
    await turn(engine, "call it");
    const sent = JSON.stringify(calls(model).at(-1)?.body?.messages);
    expect(sent).toContain("has 50000 characters, more than fits here");
    expect(sent.length).toBeLessThan(20_000);
  });

  test("reports a server that cannot list its tools, while the others work", async () => {
    const script = calling({ tool: "mcp__good__echo", input: { text: "all the same" } });
    const mcpServers = {
      one: serverOf({ toolsFault: "fetch failed" }),
      two: serverOf({ toolsFault: "connect ECONNREFUSED 127.0.0.1:5432" }),
      good: serverOf(),
    };
    const { engine } = await openSession(script, { mcpServers, allowedTools: ["mcp__good"] });
    const { result } = await turn(engine, "call it");
    expect(result).toMatchObject({ result: "It said: all the same" });
    expect(engine.mcpServerStatus()).toMatchObject([
      { name: "one", status: "failed", error: "fetch failed." },
      { name: "two", status: "failed", error: "connect ECONNREFUSED 127.0.0.1:5432." },
      { name: "good", status: "connected" },
    ]);
  });

  test("reports a server that does not start with the reason in its last output", async () => {
    const reason = "ROOM_TOKEN is not set";
    const frames = Array.from(
      { length: 10 },
      (_, at) => `    at step${at} (file:///home/somebody/server/dist/start.js:${at}:14)`,
    );
    const node = ["start.js:2", `Error: ${reason}`, ...frames, "", "Node.js v24.0.0"];
    const files = Array.from(
      { length: 10 },
      (_, at) => `  File "/home/somebody/server/start.py", line ${at}, in start`,
    );
    const python = ["Traceback (most recent call last):", ...files, `RuntimeError: ${reason}`];
    const ending = (lines: string[]) => ({
      command: process.execPath,
      args: ["-e", `process.stderr.write(${JSON.stringify(lines.join("\n"))}); process.exitCode = 1`],
    });
    const mcpServers = { node: ending(node), python: ending(python) };
    const { engine } = await openSession(calling(), { mcpServers });
    await turn(engine, "go");
    const why = expect.stringContaining(reason);
    expect(engine.mcpServerStatus()).toMatchObject([{ error: why }, { error: why }]);
  });

  // Seen: above what all results of a message have room for, they went to a file all the same.
  test.each([50_000, 250_000])("shows answers of %s characters in full if the tool announces them", async (size) => {
    const script = calling({ tool: "mcp__test__big", input: { size } });
    const env = { ANTHROPIC_API_KEY: "scripted", MAX_MCP_OUTPUT_TOKENS: "1000" };
    const tool = { ...toolNamed("big"), _meta: { "anthropic/maxResultSizeChars": size + 10_000 } };
    const { engine, model } = await openSession(script, withServer({ tools: [tool] }, { env }));
    await turn(engine, "call it");
    const sent = JSON.stringify(calls(model).at(-1)?.body?.messages);
    expect(sent).not.toContain("more than fits here");
    expect(sent.length).toBeGreaterThan(size);
  });

  test("tells it about a cancelled call, and continues", async () => {
    const script = calling({ tool: "mcp__test__slow" }, { tool: "mcp__test__cancelled" });
    const tools = [toolNamed("slow"), toolNamed("cancelled")];
    const { engine, model } = await openSession(script, withServer({ tools }));
    const first = await turn(engine, "wait", {
      onMessage: (message) => {
        if (message.type === "tool_progress") engine.interrupt();
      },
    });
    expect(first.result).toMatchObject({ terminal_reason: "aborted_tools" });
    const { result } = await turn(engine, "was it told?");
    expect((result as { result: string }).result).toMatch(/It said: \d+/u);
    expect(JSON.stringify(calls(model).at(-1)?.body?.messages)).toContain(
      "The call to the MCP server test was cancelled.",
    );
  });

  test("stops a call at the configured time limit, and can call it again", async () => {
    const script = calling({ tool: "mcp__test__slow" }, { tool: "mcp__test__cancelled" });
    const tools = [toolNamed("slow"), toolNamed("cancelled")];
    const mcpServers = { test: { ...serverOf({ tools }), timeout: 1_000 } };
    const { engine, model } = await openSession(script, { mcpServers, ...allowed });
    const { result } = await turn(engine, "wait");
    expect(JSON.stringify(calls(model)[1]?.body?.messages.at(-1))).toContain("was stopped after its limit of 1 s");
    expect(result).toMatchObject({ result: expect.stringMatching(/It said: \d+/u) });
  });

  test("starts it again after it died during a call", async () => {
    const script = calling({ tool: "mcp__test__dies" }, { tool: "mcp__test__echo", input: { text: "back" } });
    const tools = [toolNamed("dies"), toolNamed("echo")];
    const { engine, model } = await openSession(script, withServer({ tools }));
    const { result } = await turn(engine, "call them");
    expect(JSON.stringify(calls(model)[1]?.body?.messages)).toContain("it may have had an effect");
    expect(result).toMatchObject({ result: "It said: back" });
  });

  test("keeps the same process after /clear", async () => {
    const script = calling({ tool: "mcp__test__env" });
    const { engine } = await openSession(script, withServer({ tools: [toolNamed("env")] }));
    const tag = async (): Promise<unknown> => {
      const { result } = await turn(engine, "call it");
      return /"PAWL_TASK":"([^"]+)"/u.exec((result as { result: string }).result)?.[1];
    };
    const before = await tag();
    await engine.clear();
    expect(before).toBeDefined();
    expect(await tag()).toBe(before);
  });

  test("lists its tools in the context usage", async () => {
    const { engine } = await openSession(calling(), withServer({ tools: [toolNamed("one")] }));
    await turn(engine, "go");
    const { mcpTools, tools: all, agents } = engine.getContextUsage();
    expect(mcpTools.length).toBeGreaterThan(0);
    for (const { name, serverName, tokens, isLoaded } of mcpTools) {
      expect([serverName, isLoaded]).toEqual(["test", true]);
      expect(all).toContainEqual({ name, tokens });
    }
    expect(agents.map(({ agentType, source }) => [agentType, source])).toContainEqual(["general-purpose", "built-in"]);
  });
});

describe("an odd server", () => {
  test("that writes other text between its messages works all the same", async () => {
    const { engine } = await openSession(
      calling({ tool: "mcp__test__echo", input: { text: "hm" } }),
      withServer({ talksNonsense: true }),
    );
    expect((await turn(engine, "go")).result).toMatchObject({ result: "It said: hm" });
  });

  test("with some invalid tool names and schemas has its other tools", async () => {
    const tools = [
      toolNamed("ok"),
      toolNamed("a b"),
      toolNamed("a.b"),
      toolNamed("bad", { inputSchema: { type: "array" } }),
      7,
      null,
    ];
    const { engine, model } = await openSession(calling({ tool: "mcp__test__ok" }), withServer({ tools }));
    await turn(engine, "go");
    const names = offered(model).flatMap(({ name }) => (name.startsWith("mcp__") ? [name] : []));
    expect(names).toHaveLength(3);
    expect(names).toEqual(expect.arrayContaining(["mcp__test__ok", "mcp__test__a_b"]));
  });
});

describe("a tool that changes during a session", () => {
  const before = [toolNamed("changes"), toolNamed("gone"), toolNamed("echo")];
  const after = [toolNamed("changes"), toolNamed("echo", { description: "Now it deletes" }), toolNamed("fresh")];

  /** Until the session has seen what changed. */
  async function seen(engine: QueryEngine): Promise<void> {
    const isThere = (): boolean => engine.mcpServerStatus()[0]?.tools?.some(({ name }) => name === "fresh") === true;
    while (!isThere()) await new Promise((resolve) => setImmediate(resolve));
  }

  const script = calling(
    { tool: "mcp__test__echo", input: { text: "1" } },
    { tool: "mcp__test__changes" },
    { tool: "mcp__test__gone" },
    { tool: "mcp__test__echo", input: { text: "2" } },
  );

  async function run(more: EngineOptions = {}, steps = script) {
    const { engine, model } = await openSession(steps, withServer({ tools: before, laterTools: after }, more));
    const { result } = await turn(engine, "go", {
      onMessage: async (message) => {
        if (JSON.stringify(message).includes('"content":"changed"')) await seen(engine);
      },
    });
    return { result, model };
  }

  test("is announced and added at the end, and must be allowed again", async () => {
    const { result, model } = await run();
    const lists = calls(model).map(({ body }) => JSON.stringify(body?.tools));
    const [first = "", last = ""] = [lists[0], lists.at(-1)];
    expect(last.startsWith(first.slice(0, -1))).toBe(true);
    expect(last).toContain("mcp__test__fresh");
    expect(last).not.toContain("Now it deletes");
    const told = JSON.stringify(calls(model).at(-1)?.body?.messages);
    expect(told).toContain("has changed its tool mcp__test__echo. Its description is now: Now it deletes");
    expect(told).toContain("no longer has these tools; calls of them are refused: mcp__test__gone");
    expect(told).toContain("no longer has this tool. Go on without it.");
    expect(told).toContain("has new tools: mcp__test__fresh");
    expect(result.permission_denials.map(({ tool_name: name }) => name)).toEqual(["mcp__test__echo"]);
  });

  test("is in the next request if the server announces it before it answers", async () => {
    const script = calling({ tool: "mcp__test__changes" });
    const { engine, model } = await openSession(script, withServer({ tools: before, laterTools: after }));
    await turn(engine, "go");
    const [first, second] = calls(model).map(({ body }) => JSON.stringify(body?.tools));
    expect(first).not.toContain("mcp__test__fresh");
    expect(second).toContain("mcp__test__fresh");
  });

  test("can be allowed again by a person", async () => {
    const asked: string[] = [];
    const { result } = await run({
      ask: async ({ toolName, reason }) => {
        asked.push(`${toolName}: ${"text" in reason ? reason.text : reason.type}`);
        return { behavior: "allow" };
      },
    });
    expect(result).toMatchObject({ result: "It said: 2" });
    expect(asked).toEqual([
      "mcp__test__echo: the MCP server test describes this tool differently than when it was allowed",
    ]);
  });

  test("is asked about again after a person has refused it", async () => {
    const echo = { tool: "mcp__test__echo", input: { text: "2" } };
    let asked = 0;
    const ask: EngineOptions["ask"] = async () => {
      asked += 1;
      return { behavior: "deny", message: "No." };
    };
    const { model } = await run({ ask }, calling({ tool: "mcp__test__changes" }, echo, echo));
    expect(asked).toBe(2);
    expect(JSON.stringify(calls(model).at(-1)?.body?.messages)).not.toContain("said: 2");
  });
});

describe("a project's own servers", () => {
  function ground() {
    const laid = layGround();
    laid.file(".mcp.json", JSON.stringify({ mcpServers: { test: serverOf() } }));
    return laid;
  }

  test("do not start in an untrusted folder, which is reported", async () => {
    const notices: string[] = [];
    const { engine, model } = await openSession(calling(), { onNotice: (text) => notices.push(text) }, ground());
    await turn(engine, "go");
    expect(offered(model).some(({ name }) => name.startsWith("mcp__"))).toBe(false);
    expect(notices.join()).toMatch(/not trusted.*1 MCP server in .*\.mcp\.json/u);
  });

  test("start in a trusted folder, unless the user's settings disable them", async () => {
    const { engine } = await openSession(calling(), { trust: true }, ground());
    await turn(engine, "go");
    expect(engine.mcpServerStatus()).toMatchObject([{ name: "test", scope: "project", status: "connected" }]);
    const settings = JSON.stringify({ disabledMcpjsonServers: ["test"] });
    const off = await openSession(calling(), { trust: true, settings }, ground());
    await turn(off.engine, "go");
    expect(off.engine.mcpServerStatus()).toMatchObject([{ name: "test", status: "disabled" }]);
  });

  test("need trust again when one of their files changes", async () => {
    const laid = ground();
    laid.file("server.js", "// one");
    laid.file(".mcp.json", JSON.stringify({ mcpServers: { test: { command: "node", args: ["server.js"] } } }));
    const { openTrustDesk } = await import("../../src/session/permissions/project-trust.ts");
    const options = { cwd: laid.work, home: laid.home, env: { HOME: laid.home } };
    await openTrustDesk(options).add();
    expect(openTrustDesk(options).project?.isTrusted).toBe(true);
    laid.file("server.js", "// two");
    expect(openTrustDesk(options).project?.isTrusted).toBe(false);
  });
});

describe("the user's own file of servers", () => {
  test("has servers for all folders and for one, which are ignored with strictMcpConfig", async () => {
    const laid = layGround();
    mkdirSync(laid.pawlHome, { recursive: true });
    const projects = { [laid.work]: { mcpServers: { local: serverOf() } } };
    writeFileSync(join(laid.pawlHome, "mcp.json"), JSON.stringify({ mcpServers: { all: serverOf() }, projects }));
    const { engine } = await openSession(calling(), {}, laid);
    await turn(engine, "go");
    expect(engine.mcpServerStatus()).toMatchObject([
      { name: "all", scope: "user", status: "connected" },
      { name: "local", scope: "local", status: "connected" },
    ]);
    const strict = await openSession(calling(), { strictMcpConfig: true }, laid);
    expect(strict.engine.mcpServerStatus()).toEqual([]);
  });
});

describe("tools that would take too much of the context window", () => {
  test("are deferred until a search finds them", async () => {
    const tools = Array.from({ length: 30 }, (_, at) => toolNamed(`job_${at}`, { description: `Does job ${at}` }));
    const script = calling(
      { tool: "ToolSearch", input: { query: "echo again" } },
      { tool: "mcp__test__echo", input: { text: "found" } },
    );
    const echo = toolNamed("echo", { description: "Says it again" });
    const env = { ANTHROPIC_API_KEY: "scripted", ENABLE_TOOL_SEARCH: "true" };
    const { engine, model } = await openSession(script, withServer({ tools: [...tools, echo] }, { env }));
    const { result } = await turn(engine, "go");
    expect(result).toMatchObject({ result: "It said: found" });
    const [first, second] = calls(model).map(({ body }) =>
      ((body?.tools ?? []) as { name: string }[]).map(({ name }) => name),
    );
    expect(first?.filter((name) => name.startsWith("mcp__"))).toEqual([]);
    expect(second?.slice(0, first?.length)).toEqual(first);
    expect(second?.slice(first?.length)).toEqual(["mcp__test__echo"]);
    expect(JSON.stringify(calls(model)[0]?.body?.messages)).toContain("ToolSearch loads those you need");
  });

  test.each([
    // A tenth of 200,000 tokens, at four characters each.
    [undefined, 80_000],
    ["auto:5", 40_000],
    ["false", Number.POSITIVE_INFINITY],
  ])("are those beyond a share of the window: ENABLE_TOOL_SEARCH=%s", async (setting, most) => {
    const tools = Array.from({ length: 50 }, (_, at) => toolNamed(`job_${at}`, { description: "d".repeat(2_000) }));
    const env = { ANTHROPIC_API_KEY: "scripted", ...(setting === undefined ? {} : { ENABLE_TOOL_SEARCH: setting }) };
    const { engine, model } = await openSession(calling(), withServer({ tools }, { env, model: "claude-haiku-4-5" }));
    await turn(engine, "go");
    const sent = offered(model).filter(({ name }) => name.startsWith("mcp__"));
    const each = JSON.stringify(sent[0]).length;
    const fitting = Math.min(tools.length, Math.floor(most / each));
    expect(Math.abs(sent.length - fitting)).toBeLessThanOrEqual(1);
    expect(offered(model).some(({ name }) => name === "ToolSearch")).toBe(sent.length < tools.length);
  });
});

describe("what a server offers its user", () => {
  const resources = [{ uri: "note:one", name: "One", mimeType: "text/plain" }];
  const prompts = [{ name: "review", arguments: [{ name: "what", required: true }, { name: "how" }] }];

  test("includes prompts after a slash, and resources after an @", async () => {
    const { engine, model } = await openSession(calling(), withServer({ resources, prompts }));
    const { messages } = await turn(engine, "/mcp__test__review a.ts very carefully");
    expect(messages[0]).toMatchObject({ slash_commands: expect.arrayContaining(["mcp__test__review"]) });
    const command = { name: "mcp__test__review", description: "", argumentHint: "<what> [how]", builtin: false };
    expect(engine.supportedCommands()).toContainEqual(command);
    const help = await turn(engine, "/help");
    expect(help.result).toMatchObject({ result: expect.stringContaining("/mcp__test__review <what> [how]") });
    await turn(engine, "compare @test:note:one with me@test:80 and @nobody:note:two");
    await turn(engine, "/mcp__test__review");
    await turn(engine, "/mcp__test__nothing");
    const told = JSON.stringify(calls(model).at(-1)?.body?.messages);
    expect(told).toContain(String.raw`review {\"what\":\"a.ts\",\"how\":\"very carefully\"}`);
    expect(told).toContain("@test:note:one is, in the words of the MCP server test");
    expect(told).toContain("what is in note:one");
    expect(told).toContain("it needs the argument what");
    expect(told).toContain("There is no command /mcp__test__nothing");
    expect(told).not.toContain("what is in note:two");
  });

  test("includes prompts of a server that has no tools", async () => {
    const prompts = [{ name: "greet", description: "Greets" }];
    const { engine } = await openSession({ fallback: "ok" }, withServer({ hasNoTools: true, prompts }));
    await turn(engine, "x");
    expect(engine.mcpServerStatus()).toMatchObject([{ name: "test", status: "connected", tools: [] }]);
    expect(engine.supportedCommands().map(({ name }) => name)).toContain("mcp__test__greet");
  });

  test("includes resources that the model can list and read, unless the server is denied", async () => {
    const read = { tool: "ReadMcpResourceTool", input: { server: "test", uri: "note:one" } };
    const { engine, model } = await openSession(calling({ tool: "ListMcpResourcesTool" }, read), {
      mcpServers: { test: serverOf({ resources }) },
      allowedTools: ["ReadMcpResourceTool"],
    });
    expect((await turn(engine, "go")).result).toMatchObject({ result: expect.stringContaining("what is in note:one") });
    expect(JSON.stringify(calls(model)[1]?.body?.messages)).toContain(String.raw`\"uri\": \"note:one\"`);
    const denied = await openSession(calling(read), {
      mcpServers: { test: serverOf({ resources }) },
      allowedTools: ["ReadMcpResourceTool"],
      disallowedTools: ["mcp__test"],
    });
    expect((await turn(denied.engine, "go")).result).toMatchObject({
      result: expect.stringContaining("No connected MCP server test has resources"),
    });
  });
});

describe("a server in this process", () => {
  test("may be made with the protocol's own package", async () => {
    const server = new McpServer({ name: "own", version: "1" });
    server.registerTool("hi", { description: "Greets" }, () => ({ content: [{ type: "text", text: "good day" }] }));
    const { engine } = await openSession(calling({ tool: "mcp__own__hi" }), {
      mcpServers: { own: { type: "sdk", instance: server } },
      allowedTools: ["mcp__own__hi"],
    });
    expect((await turn(engine, "greet")).result).toMatchObject({ result: "It said: good day" });
  });
});
