// Every error of the library says which it is, whether to try again, and what was behind it; docs/library.md names them all.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import {
  createEngine,
  createSdkMcpServer,
  PawlError,
  query,
  SessionError,
  SnipError,
  snipReplay,
  tool,
  UsageError,
  type EngineOptions,
  type SDKFailureCode,
  type SessionErrorCode,
  type SnipErrorCode,
  type UsageErrorCode,
} from "../../src/index.ts";
import * as library from "../../src/index.ts";
import { failureOf } from "../../src/session/turn/failure-code.ts";
import type { FailureKind } from "../../src/protocol/stop.ts";
import type { FaultKind, Script } from "../../src/testing/index.ts";
import {
  clearGroundsAfterwards,
  disposeAll,
  layGround,
  openOn,
  optionsFor,
  scripted,
  turn,
} from "../session/support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const unknown = "0b0b0b0b-1111-4222-8333-444444444444";

/** What `act` throws. */
function unreadable(): never {
  throw new Error("not for you");
}

async function thrown(act: () => unknown): Promise<PawlError> {
  try {
    await act();
  } catch (error) {
    if (error instanceof PawlError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

async function engineOf(script: Script = { steps: ["One.", "Two."] }, extra: EngineOptions = {}) {
  return await openOn(layGround(), scripted(script), extra);
}

const usage: Record<UsageErrorCode, () => Promise<unknown>> = {
  usage: () => engineOf({}, { maxTurns: 0 }),
  no_credentials: () => engineOf({}, { env: { ANTHROPIC_API_KEY: "" } }),
  session_not_found: () => engineOf({}, { resume: unknown }),
  async session_ambiguous() {
    const ground = layGround();
    for (const text of ["1", "2"]) {
      const engine = await openOn(ground, scripted({ steps: [text] }));
      engine.desk.setTitle("the same");
      await turn(engine, text);
      await engine.dispose();
    }
    await openOn(ground, scripted({}), { resume: "the same" });
  },
  async session_locked() {
    const ground = layGround();
    const engine = await openOn(ground, scripted({ steps: ["1"] }));
    await turn(engine, "1");
    await openOn(ground, scripted({}), { resume: engine.getSessionId() });
  },
  async session_exists() {
    const ground = layGround();
    const engine = await openOn(ground, scripted({ steps: ["1"] }));
    await turn(engine, "1");
    await engine.dispose();
    await openOn(ground, scripted({}), { sessionId: engine.getSessionId() });
  },
  async session_unreadable() {
    const ground = layGround();
    mkdirSync(ground.pawlHome);
    writeFileSync(join(ground.pawlHome, "projects"), "no folder");
    const engine = await openOn(ground, scripted({ steps: ["1"] }), { resume: unknown });
    await turn(engine, "1");
  },
};

const session: Record<SessionErrorCode, () => Promise<unknown>> = {
  async turn_running() {
    const engine = await engineOf();
    await turn(engine, "1", { onMessage: () => engine.append("no") });
  },
  async session_clearing() {
    const engine = await engineOf();
    const cleared = engine.clear();
    try {
      engine.append("no");
    } finally {
      await cleared;
    }
  },
  async files_rewinding() {
    const write = { content: [{ tool: "Write", input: { file_path: "new.txt", content: "new" } }] };
    const engine = await engineOf({ steps: [write, "1"] }, { permissionMode: "acceptEdits" });
    await turn(engine, "1", { uuid: unknown });
    const rewound = engine.rewindFiles(unknown);
    try {
      engine.append("no");
    } finally {
      await rewound;
    }
  },
  async session_closed() {
    const running = query({ prompt: "x", options: optionsFor(layGround(), scripted({})) });
    await running.close();
    await running.setModel("opus");
  },
  async call_refused() {
    const server = createSdkMcpServer({ name: "s", tools: [tool("t", "", { type: "object" }, async () => "x")] });
    const engine = await engineOf({ steps: ["1"] }, { mcpServers: { s: server }, disallowedTools: [] });
    await engine.desk.callMcpTool("mcp__s__t", {});
  },
  not_recorded: async () => (await engineOf()).branch(),
  no_such_server: async () => (await engineOf()).desk.reconnectMcpServer("none"),
  async server_not_connected() {
    const mcpServers = { lost: { command: "/nowhere/server" } };
    const options = optionsFor(layGround(), scripted({ steps: ["1"] }), { mcpServers });
    const running = query({ prompt: "x", options });
    await running.toggleMcpServer("lost", false);
    await expect(running.toggleMcpServer("lost", true)).rejects.toThrow("lost is not connected");
    await running.reconnectMcpServer("lost");
  },
  file_unreadable: async () => (await engineOf()).desk.readFile("none.txt"),
};

describe("an error that is thrown", () => {
  test.each<[string, unknown]>([
    ["is empty", ""],
    ["has no block", []],
    ["has an invalid block", [null]],
    ["has a text that is not a string", [{ type: "text", text: Symbol("x") }]],
    ["does not let itself be read", [Object.defineProperty({}, "type", { enumerable: true, get: () => unreadable() })]],
  ])("is not retryable if an appended prompt %s", async (_how, prompt) => {
    const engine = await engineOf();
    const error = await thrown(() => engine.append(prompt as string));
    expect([error.name, error.code, error.retryable]).toEqual(["UsageError", "usage", false]);
  });

  test.each(Object.entries(usage))("may be a UsageError %s", async (code, act) => {
    const error = await thrown(act);
    expect(error).toBeInstanceOf(UsageError);
    expect([error.name, error.code, error.retryable]).toEqual(["UsageError", code, code === "session_locked"]);
  });

  test.each(Object.entries(session))("may be a SessionError %s", async (code, act) => {
    const error = await thrown(act);
    expect(error).toBeInstanceOf(SessionError);
    expect([error.name, error.code]).toEqual(["SessionError", code]);
  });

  test("may be a SnipError", async () => {
    const without = await engineOf();
    const span = { fromUuid: unknown, toUuid: unknown, reason: "x" };
    const error = await thrown(() => without.snip(span));
    expect(error).toBeInstanceOf(SnipError);
    expect([error.name, error.code, error.retryable]).toEqual(["SnipError", "no_callback", false]);
    const engine = await engineOf({}, { snipReplay });
    expect((await thrown(() => engine.snip(span))).code).toBe("unknown_message");
  });

  test("has the system's error as its cause if a file cannot be read", async () => {
    expect((await thrown(session.file_unreadable)).cause).toMatchObject({ code: "ENOENT" });
  });

  test("says of a page of a server that cannot be read whether the server was reached", async () => {
    const server = createSdkMcpServer({ name: "docs", tools: [tool("t", "", { type: "object" }, async () => "x")] });
    const { desk } = await engineOf({}, { mcpServers: { docs: server } });
    const read = () => thrown(() => desk.readMcpResource("docs", "ui://docs/page"));
    expect((await read()).code).toBe("file_unreadable");
    await desk.toggleMcpServer("docs", false);
    expect(await read()).toMatchObject({
      code: "server_not_connected",
      message: "The MCP server docs cannot be used: it is switched off",
    });
  });

  test("reports a closed session for every method that would change it", async () => {
    const engine = await engineOf();
    const { desk } = engine;
    await turn(engine, "x");
    await engine.dispose();
    const changes: Record<string, () => unknown> = {
      submitMessage: () => engine.submitMessage("y").next(),
      enqueue: () => engine.enqueue("y"),
      setModel: () => engine.setModel("opus"),
      setPermissionMode: () => engine.setPermissionMode("plan"),
      setEffort: () => engine.setEffort("low"),
      setTitle: () => desk.setTitle("A title"),
      switchModel: () => desk.switchModel("opus"),
      setMaxThinkingTokens: () => desk.setMaxThinkingTokens(0),
      applyFlagSettings: () => desk.applyFlagSettings({ model: "opus" }),
      addDirectory: () => desk.addDirectory("/"),
      updateSettings: () => desk.updateSettings("user", { effortLevel: "low" }),
      reconnectMcpServer: () => desk.reconnectMcpServer("docs"),
      toggleMcpServer: () => desk.toggleMcpServer("docs", false),
      callMcpTool: () => desk.callMcpTool("mcp__docs__now", {}),
      readMcpResource: () => desk.readMcpResource("docs", "ui://docs/page"),
      reloadSkills: () => desk.reloadSkills(),
      reloadPlugins: () => desk.reloadPlugins(),
      seedReadState: () => desk.seedReadState("app.toml", 0),
    };
    for (const [name, change] of Object.entries(changes))
      expect([name, (await thrown(change)).code]).toEqual([name, "session_closed"]);
    await engine.dispose();
    expect([desk.title, engine.getPermissionMode()]).toEqual([undefined, "default"]);
  });

  test("is the same from createEngine() and query()", async () => {
    const options = optionsFor(layGround(), scripted({}), { maxTurns: 0 });
    expect((await thrown(() => createEngine(options))).code).toBe("usage");
    expect((await thrown(() => query({ prompt: "x", options }).next())).code).toBe("usage");
  });
});

describe("the failure of a result", () => {
  test.each([
    ["bad_request", "invalid_request", false, 400],
    ["unauthenticated", "authentication_failed", false, 401],
  ] as [FaultKind, FailureKind, boolean, number][])(
    "names the API error: %s",
    async (fault, code, retryable, status) => {
      const engine = await engineOf({ steps: [{ fault }] });
      const { result } = await turn(engine, "x");
      expect(result).toMatchObject({
        failure: { code, retryable, status, request_id: expect.stringMatching(/^req/u) },
      });
    },
  );

  test("names an interrupt, a limit, or missing structured output", async () => {
    const interrupted = await engineOf();
    const { result } = await turn(interrupted, "x", { onMessage: () => interrupted.interrupt() });
    expect(result).toMatchObject({ failure: { code: "interrupted", retryable: true } });
    const todo = { content: [{ tool: "TodoWrite", input: { todos: [] } }] };
    const short = await engineOf({ fallback: todo }, { maxTurns: 1 });
    expect((await turn(short, "x")).result).toMatchObject({ failure: { code: "max_turns" } });
    const poor = await engineOf({}, { maxBudgetUsd: 0.000_001 });
    expect((await turn(poor, "x")).result).toMatchObject({ failure: { code: "max_budget_usd", retryable: false } });
    const schema = { type: "object", required: ["a"] };
    const formless = await engineOf({ fallback: "no" }, { outputFormat: { type: "json_schema", schema } });
    expect((await turn(formless, "x")).result).toMatchObject({ failure: { code: "structured_output" } });
  });
});

const snips: Record<SnipErrorCode, true> = {
  no_callback: true,
  switched_off: true,
  not_recorded: true,
  not_executed: true,
  unknown_message: true,
  reversed: true,
  holds_head: true,
  not_whole: true,
  holds_end: true,
};
const failures: Record<SDKFailureCode, boolean> = {
  authentication_failed: false,
  billing_error: false,
  permission_denied: false,
  model_not_found: false,
  invalid_request: false,
  rate_limit: true,
  overloaded: true,
  server_error: true,
  connection: true,
  stalled: true,
  truncated_stream: true,
  refusal: false,
  prompt_too_long: false,
  media: false,
  max_output_tokens: false,
  thinking_rejected: false,
  compaction_refused: false,
  aborted: true,
  transcript: true,
  not_configured: false,
  internal: false,
  interrupted: true,
  max_turns: true,
  max_budget_usd: false,
  structured_output: true,
};

test("docs/library.md names every code once for each kind, and whether it is retryable", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/library.md"), "utf8");
  const rows = [...page.matchAll(/^\| (`\w+`(?:, `\w+`)*) \| (`\w+`(?:, `\w+`)*) \| (yes|no)/gmu)];
  const told = rows.flatMap(([, codes = "", kinds = "", retryable]) =>
    codes
      .split(", ")
      .flatMap((code) => kinds.split(", ").map((kind) => `${kind} ${code} ${retryable}`.replaceAll("`", ""))),
  );
  const retryable = (isIt: boolean): string => (isIt ? "yes" : "no");
  const wanted = [
    ...Object.keys(usage).map(
      (code) => `UsageError ${code} ${retryable(new UsageError("", { code: code as UsageErrorCode }).retryable)}`,
    ),
    ...Object.keys(session).map(
      (code) => `SessionError ${code} ${retryable(new SessionError(code as SessionErrorCode, "").retryable)}`,
    ),
    ...Object.keys(snips).map(
      (code) => `SnipError ${code} ${retryable(new SnipError(code as SnipErrorCode, "").retryable)}`,
    ),
    ...Object.entries(failures).map(([code, isIt]) => `failure ${code} ${retryable(isIt)}`),
  ];
  expect(told.toSorted()).toEqual(wanted.toSorted());
  for (const [kind, isIt] of Object.entries(failures)) {
    if (["interrupted", "max_turns", "max_budget_usd", "structured_output"].includes(kind)) continue;
    const terminal = { reason: "model_error" as const, error: { kind: kind as FailureKind, message: "" } };
    expect(failureOf(terminal)).toEqual({ code: kind, retryable: isIt });
  }
});

describe("a wrong argument is named in the error", () => {
  type Loose = Record<string, (...values: unknown[]) => unknown>;
  const loose = { ...library } as unknown as Loose;
  const aSchema = { "~standard": { validate: () => ({ value: 1 }) } };
  const schemaOfT = "The inputSchema of the tool t";
  const toolWith = (options: object): unknown[] => ["t", "", { type: "object" }, () => "", options];
  test.each<[string, unknown[], string]>([
    ["query", [], "The argument of query() must be an object, not undefined."],
    ["query", [{}], "prompt must be a string or an async iterable of prompts, not undefined."],
    ["query", [{ prompt: 3 }], "prompt must be a string or an async iterable of prompts, not a number."],
    ["query", [{ prompt: ["a"] }], "prompt must be a string or an async iterable of prompts, not a list."],
    ["query", [{ prompt: "a", maxBudgetUsd: 1 }], "query() has no parameter maxBudgetUsd: put it into options."],
    ["query", [{ promt: "a" }], "query() has no parameter promt: did you mean prompt?"],
    ["startup", [{ cwd: "/" }], "startup() has no parameter cwd: put it into options."],
    ["query", [{ prompt: "a", options: 3 }], "options must be an object, not a number."],
    ["tool", ["", 3], "description must be a string, not a number."],
    ["tool", toolWith({ readOnlyHnt: true }), "The tool t has no option readOnlyHnt: did you mean readOnlyHint?"],
    ["createSdkMcpServer", [{ name: "s", tool: [] }], "createSdkMcpServer() has no option tool: did you mean tools?"],
    ["tool", ["t", "", null, () => ""], "inputSchema must be an object, not null."],
    ["tool", ["t", "", { type: "object" }, "x"], "The handler of the tool t must be a function."],
    [
      "tool",
      ["t", "", { type: "object", ...aSchema }, () => ""],
      `${schemaOfT} must have a schema for each field instead of being one schema: for a z.object(), pass its shape.`,
    ],
    [
      "tool",
      ["t", "", { id: aSchema, n: 7 }, () => ""],
      `${schemaOfT} must be a JSON Schema with type: "object", or an object with a schema for each field.`,
    ],
    [
      "tool",
      ["t", "", { type: "object", properties: { id: { type: "int" } } }, () => ""],
      `${schemaOfT} is not a valid JSON Schema: properties/id has the type "int", which does not exist.`,
    ],
    [
      "tool",
      ["t", "", { type: "object", properties: { id: { type: "string", pattern: "(" } } }, () => ""],
      `${schemaOfT} is not a valid JSON Schema: properties/id has a "pattern" that is not a regular expression.`,
    ],
    [
      "tool",
      toolWith({ timeLimitMs: NaN }),
      "The option timeLimitMs of the tool t must be a number of milliseconds above 0.",
    ],
    [
      "tool",
      toolWith({ timeLimitMs: "5" }),
      "The option timeLimitMs of the tool t must be a number of milliseconds above 0.",
    ],
    [
      "tool",
      toolWith({ maxResultSizeChars: -1 }),
      "The option maxResultSizeChars of the tool t must be a number of characters, at least 0.",
    ],
    ["tool", toolWith({ readOnlyHint: "yes" }), "The option readOnlyHint of the tool t must be true or false."],
    ["tool", toolWith({ replay: "always" }), "The option replay of the tool t must be safe, idempotent or never."],
    ["createSdkMcpServer", [{ name: "s", version: 1 }], "version must be a string, not a number."],
    ["createSdkMcpServer", [{ name: "s", instructions: ["a"] }], "instructions must be a string, not a list."],
    [
      "createSdkMcpServer",
      [{ name: "s", timeout: NaN }],
      "The timeout of the MCP server s must be a number of milliseconds.",
    ],
    ["createSdkMcpServer", [], "The argument of createSdkMcpServer() must be an object, not undefined."],
    ["createSdkMcpServer", [{}], "name must be a string, not undefined."],
    ["createSdkMcpServer", [{ name: "s", tools: 5 }], "tools must be a list of tools made by tool()."],
    ["createSdkMcpServer", [{ name: "s", tools: [{}] }], "tools must be a list of tools made by tool()."],
    [
      "createSdkMcpServer",
      [{ name: "s", tools: [1, 2].map(() => tool("t", "", { type: "object" }, async () => "x")) }],
      "Two tools have the name t: rename one.",
    ],
    [
      "createSdkMcpServer",
      [{ name: "s", tools: [{ name: " ", call() {} }] }],
      "tools: each tool must have a name; no model can call one without.",
    ],
    ["replaySession", [3], "session must be a string, not a number."],
    ["replaySessions", [3], "folder must be a string, not a number."],
    ["listSessions", [{ search: 3 }], "search must be a string, not a number."],
    ["listSessions", [{ dir: 3 }], "dir must be a string, not a number."],
    ["listSessions", [{ env: "HOME" }], "env must be an object, not a string."],
    ["getSessionMessages", [unknown, { limit: -1 }], "limit must be a number of at least 0."],
    ["listSessions", [{ offset: "1" }], "offset must be a number of at least 0."],
    ["listSessions", [null], "options must be an object, not null."],
    ["listSessions", [{ dri: "/" }], "There is no option dri: did you mean dir?"],
    ["forkSession", [unknown, { upToMessage: unknown }], "There is no option upToMessage: did you mean upToMessageId?"],
    ["deleteSession", [unknown, { sessionStore: {} }], "There is no option sessionStore."],
    ["getSessionInfo", [3], "sessionId must be a string, not a number."],
    ["getSessionMessages", [], "sessionId must be a string, not undefined."],
    ["listSubagents", [{}], "sessionId must be a string, not an object."],
    ["getSubagentMessages", [unknown, 3], "agentId must be a string, not a number."],
    ["forkSession", [unknown, { title: 3 }], "title must be a string, not a number."],
    ["renameSession", [unknown, 3], "title must be a string, not a number."],
    ["tagSession", [unknown, 3], "tag must be a string, not a number."],
    ["archiveSession", [3], "sessionId must be a string, not a number."],
    ["unarchiveSession", [3], "sessionId must be a string, not a number."],
    ["deleteSession", [3], "sessionId must be a string, not a number."],
  ])("%s(%j)", async (name, values, message) => {
    const error = await thrown(() => loose[name]?.(...values));
    expect([error.code, error.message]).toEqual(["usage", message]);
  });

  const fields = { "~standard": { validate: () => ({ value: 1 }) } };
  // Seen: each of them was accepted, and did nothing.
  test.each<[object, string]>([
    [{ sandbox: { enable: true } }, "sandbox has no key enable."],
    [{ sandbox: { network: { alowedDomains: [] } } }, "sandbox has no key network.alowedDomains."],
    [{ thinking: { type: "enabled", budget: 2_000 } }, "thinking has no option budget."],
    [
      { outputFormat: { type: "json_schema", schema: { type: "object", ...fields } } },
      "The schema of outputFormat must be a JSON Schema: for a schema of zod, pass z.toJSONSchema(schema).",
    ],
  ])("createEngine(%j)", async (options, message) => {
    const error = await thrown(() => engineOf({}, options));
    expect([error.code, error.message]).toEqual(["usage", message]);
  });

  test.each<[string, unknown[], string]>([
    ["setModel", [3], "model must be a string, not a number."],
    ["rewindFiles", [3], "userMessageUuid must be a string, not a number."],
    ["setMcpServers", [3], "servers must be an object, not a number."],
    [
      "streamInput",
      [3],
      "The argument of streamInput() must be a string or an async iterable of prompts, not a number.",
    ],
  ])("query().%s(%j)", async (name, values, message) => {
    const running = query({ prompt: "Hello.", options: optionsFor(layGround(), scripted({ steps: ["Hi."] })) });
    const error = await thrown(() => (running as unknown as Loose)[name]?.(...values));
    expect([error.code, error.message]).toEqual(["usage", message]);
    await running.close();
  });

  test.each<[string, unknown[], string]>([
    ["setEffort", ["zealous"], "There is no effort zealous: there are low, medium, high, xhigh, max."],
    ["snip", [], "span must be an object, not undefined."],
    ["snip", [{ fromUuid: unknown }], "toUuid must be a string, not undefined."],
  ])("engine.%s(%j)", async (name, values, message) => {
    const engine = (await engineOf()) as unknown as Loose;
    const error = await thrown(() => engine[name]?.(...values));
    expect([error.code, error.message]).toEqual(["usage", message]);
  });
});
