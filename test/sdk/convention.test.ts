// A program that was written for an agent SDK, with its import changed: its options, its tools and its hooks are taken as they are.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import {
  createSdkMcpServer,
  query,
  startup,
  SYSTEM_PROMPT_DYNAMIC_BOUNDARY,
  tool,
  type CanUseToolContext,
  type QueryOptions,
  type StandardSchema,
} from "../../src/index.ts";
import type { SDKMessage } from "../../src/protocol/sdk.ts";
import type { ScriptedModel } from "../../src/testing/index.ts";
import { clearGroundsAfterwards, layGround, scripted, type Ground } from "../session/support.ts";

clearGroundsAfterwards();

const calls = (name: string, input: Record<string, string | number>) => ({ content: [{ tool: name, input }] });

function placed(ground: Ground, model: ScriptedModel, options: QueryOptions): QueryOptions {
  return {
    cwd: ground.work,
    home: ground.home,
    env: { ANTHROPIC_API_KEY: "sk-scripted-secret", PATH: process.env["PATH"], HOME: ground.home },
    model: "claude-sonnet-5-5",
    transport: (exchange) => model.handle(exchange),
    pathToClaudeCodeExecutable: "/opt/other/cli.js",
    executable: "node",
    ...options,
  };
}

async function run(
  script: Parameters<typeof scripted>[0],
  options: QueryOptions,
  ground = layGround(),
  prompt = "Go.",
) {
  const model = scripted(script);
  const messages: SDKMessage[] = [];
  for await (const message of query({ prompt, options: placed(ground, model, options) })) messages.push(message);
  const result = messages.find((message) => message.type === "result");
  return { ground, model, messages, result, sent: JSON.stringify(model.requests.at(-1)?.body) };
}

/** As validating libraries offer theirs. */
function text(extra: { optional?: true } = {}): StandardSchema<string> {
  const schema = {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: (value: unknown) => {
        if (value === undefined && extra.optional === true) return { value: "nobody" };
        return typeof value === "string" ? { value: value.trim() } : { issues: [{ message: "a text is expected" }] };
      },
      jsonSchema: { input: () => ({ $schema: "x", type: "string", description: "who" }) },
    },
  };
  return schema as StandardSchema<string>;
}

test("canUseTool gets suggestions and the id of the call, and its answer counts", async () => {
  const asked: [string, Record<string, unknown>, CanUseToolContext][] = [];
  const { ground, messages } = await run(
    {
      steps: [
        calls("Bash", { command: "touch first.txt" }),
        calls("Bash", { command: "touch other.txt" }),
        calls("Bash", { command: "touch third.txt" }),
        "Done.",
      ],
    },
    {
      canUseTool: async (name, input, context) => {
        asked.push([name, structuredClone(input), context]);
        if (asked.length === 1) return { behavior: "allow", updatedInput: { command: "touch changed.txt" } };
        if (asked.length === 2) return { behavior: "deny", message: "Not this one." };
        return null;
      },
    },
  );
  const made = ["first.txt", "changed.txt", "other.txt", "third.txt"].map((name) =>
    existsSync(join(ground.work, name)),
  );
  expect(made).toEqual([false, true, false, false]);
  expect(asked[0]).toMatchObject(["Bash", { command: "touch first.txt" }, { displayName: "Bash" }]);
  expect(asked[0]?.[2].suggestions).toMatchObject([{ type: "addRules", behavior: "allow", destination: "session" }]);
  expect(asked[0]?.[2].toolUseID).toMatch(/^toolu_/u);
  expect(JSON.stringify(messages)).toContain("Not this one.");
});

test("lists of hook callbacks are called with the call's id and a signal", async () => {
  const seen: unknown[] = [];
  const { ground } = await run(
    { steps: [calls("Bash", { command: "touch denied.txt" }), "Done."] },
    {
      permissionMode: "bypassPermissions",
      allowDangerouslySkipPermissions: true,
      hooks: {
        PreToolUse: [
          {
            matcher: "Bash",
            timeout: 5,
            hooks: [
              async (input, id, { signal }) => {
                seen.push(input["tool_input"], id?.startsWith("toolu_"), signal.aborted);
                return {
                  hookSpecificOutput: {
                    hookEventName: "PreToolUse",
                    permissionDecision: "deny",
                    permissionDecisionReason: "No.",
                  },
                };
              },
              async () => void seen.push("second"),
            ],
          },
        ],
        DirectoryAdded: [{ hooks: [async () => void seen.push("never")] }],
      },
    },
  );
  expect(seen).toEqual([{ command: "touch denied.txt" }, true, false, "second"]);
  expect(existsSync(join(ground.work, "denied.txt"))).toBe(false);
});

test("a tool with a schema for each field gets the input that the schemas return", async () => {
  const got: unknown[] = [];
  const greet = tool(
    "greet",
    "Greets.",
    { who: text(), by: text({ optional: true }) },
    async ({ who, by }) => {
      got.push({ who, by });
      return {
        content: [
          { type: "text", text: `Hello ${who}` },
          { type: "resource_link", uri: "file:///x", name: "x" },
        ],
      };
    },
    { annotations: { readOnlyHint: true } },
  );
  expect(greet.inputSchema).toEqual({
    type: "object",
    properties: { who: { type: "string", description: "who" }, by: { type: "string", description: "who" } },
    required: ["who"],
  });
  expect(greet.isReadOnly({})).toBe(true);
  const server = createSdkMcpServer({ name: "people", version: "1.0.0", tools: [greet], alwaysLoad: true });
  const { messages } = await run(
    { steps: [calls("mcp__people__greet", { who: " Ada " }), calls("mcp__people__greet", { who: 3 }), "Done."] },
    { mcpServers: { people: server }, allowedTools: ["mcp__people__greet"] },
  );
  expect(got).toEqual([{ who: "Ada", by: "nobody" }]);
  expect(JSON.stringify(messages)).toContain("Hello Ada");
  expect(() => tool("x", "", { a: { "~standard": { validate: () => ({ value: 1 }) } } }, async () => "")).toThrow(
    /cannot be expressed as JSON Schema: use zod 4.2/u,
  );
});

test("prompts, tools, folders, plugins and settings are accepted in their SDK shapes", async () => {
  const ground = layGround();
  const plugin = join(ground.home, "plug");
  mkdirSync(join(plugin, "commands"), { recursive: true });
  writeFileSync(join(plugin, "commands", "hello.md"), "Say hello to $ARGUMENTS.");
  const beside = join(ground.home, "beside");
  mkdirSync(beside);
  writeFileSync(join(beside, "a.txt"), "BESIDE");
  const notices: string[] = [];
  const { sent, model } = await run(
    { steps: [calls("Read", { file_path: join(beside, "a.txt") }), "Done."] },
    {
      systemPrompt: { type: "preset", preset: "claude_code", append: "APPENDED" },
      tools: { type: "preset", preset: "claude_code" },
      additionalDirectories: [relative(ground.work, beside)],
      plugins: [{ type: "local", path: plugin }],
      settings: { effortLevel: "low" },
      stderr: (line) => notices.push(line),
    },
    ground,
    "/plug:hello Ada",
  );
  for (const part of ["APPENDED", "Say hello to Ada.", "BESIDE", '"effort":"low"']) expect(sent).toContain(part);
  expect(model.requests[0]?.body?.["tools"]).not.toHaveLength(0);
  expect(notices).toContain("The option executable means nothing here and was ignored.\n");
  const own = await run({ steps: ["x"] }, { systemPrompt: ["ONE", SYSTEM_PROMPT_DYNAMIC_BOUNDARY, "TWO"], tools: [] });
  expect(JSON.stringify(own.model.requests[0]?.body?.["system"])).toContain(String.raw`ONE\n\nTWO`);
});

test("a log that fails does not end the query, and the other log is written", async () => {
  const lines: string[] = [];
  const closed: (line: string) => unknown = async (line) => {
    lines.push(line);
    throw new Error("the log is closed");
  };
  const { result } = await run(
    { steps: ["Hello."] },
    {
      debug: true,
      debugFile: join(layGround().home, "gone", "log"),
      stderr: closed,
      executable: "node",
    },
  );
  expect(result?.subtype).toBe("success");
  expect(lines.some((line) => line.includes("result success"))).toBe(true);
});

test("without permission prompts canUseTool is not called, and a debug file has no key", async () => {
  const ground = layGround();
  let isAsked = false;
  const { result } = await run(
    { steps: [calls("Bash", { command: "touch x" }), "Done."] },
    {
      permissionPrompts: "none",
      canUseTool: async () => ((isAsked = true), { behavior: "allow" }),
      debugFile: join(ground.home, "log"),
    },
    ground,
  );
  expect([isAsked, result?.permission_denials.length]).toEqual([false, 1]);
  const log = readFileSync(join(ground.home, "log"), "utf8");
  expect(log).toContain("result success");
  expect(log).not.toContain("sk-scripted-secret");
});

test.each<[object, RegExp]>([
  [{ canUseTool: () => null, ask: () => null }, /canUseTool and ask are the same option/],
  [{ systemPrompt: { type: "preset", preset: "other" } }, /^systemPrompt is a text/],
  [{ systemPrompt: ["Be brief.", undefined] }, /^systemPrompt is a text, a list of texts/],
  [{ systemPrompt: { type: "preset", preset: "claude_code", append: 7 } }, /^systemPrompt is a text/],
  [{ tools: { type: "preset" } }, /^tools is a list of names/],
  [{ plugins: [{ type: "npm", name: "x" }] }, /^A plugin is a folder/],
  [{ plugins: "x" }, /^The option plugins must be a list\.$/],
  [{ permissionPrompts: "maybe" }, /^permissionPrompts is host or none/],
  [{ settingSources: ["User"] }, /^settingSources must be one of user, project, local, not User/],
  [{ durability: "disk" }, /^durability must be one of process, power, not disk/],
  [{ extraArgs: { chrome: null } }, /^extraArgs takes replay-user-messages, debug and debug-file here, not chrome:/],
  [{ hooks: { PreToolUse: [{ hooks: ["x"] }] } }, /"hooks" is a list of functions/],
  [{ hooks: { PreTool: [{ hooks: [] }] } }, /There is no hook event PreTool/],
  [{ settings: { permissions: { allow: "x" } }, debug: true, maxTurns: 0 }, /maxTurns/],
])("%j is refused", async (options, message) => {
  await expect(run({ steps: [] }, options as QueryOptions)).rejects.toMatchObject({
    name: "UsageError",
    message: expect.stringMatching(message) as string,
  });
});

test("user messages are replayed on request, and one without a query joins the next request", async () => {
  const ground = layGround();
  const model = scripted({ fallback: "x" });
  async function* prompts() {
    const own = { type: "user" as const, parent_tool_use_id: null };
    const pasted = { pasted_content: ["PASTED"] };
    yield { ...own, message: { role: "user" as const, content: "APPENDED" }, shouldQuery: false, ...pasted };
    const origin = { kind: "human" as const };
    yield { ...own, uuid: "", message: { role: "user" as const, content: "/cost" }, client_composed: true, origin };
  }
  const options = placed(ground, model, { extraArgs: { "replay-user-messages": null } });
  const messages: SDKMessage[] = [];
  for await (const message of query({ prompt: prompts(), options })) messages.push(message);
  const replayed = messages.filter((message) => message.type === "user");
  const again = { isReplay: true, uuid: expect.stringMatching(/^[0-9a-f-]{36}$/u) as string };
  expect(replayed).toMatchObject([again, again]);
  expect(replayed.map(({ message }) => message.content)).toEqual([
    expect.stringMatching(/^APPENDED\n[^]*PASTED/u),
    "/cost",
  ]);
  expect(model.requests).toHaveLength(1);
  expect(JSON.stringify(model.requests[0]?.body)).toMatch(/APPENDED.*PASTED/u);
  expect(messages.at(-1)).toMatchObject({ type: "result", origin: { kind: "human" } });
});

test("a session made by startup() takes one query and is closed", async () => {
  const ground = layGround();
  const warm = await startup({ options: placed(ground, scripted({ steps: ["Hi."] }), {}) });
  const messages: SDKMessage[] = [];
  for await (const message of warm.query("Hello.")) messages.push(message);
  expect(messages.at(-1)).toMatchObject({ type: "result", result: "Hi." });
  expect(() => warm.query("Again.")).toThrow(/was already used or closed/u);
  await using unused = await startup({ options: placed(ground, scripted({ steps: [] }), {}) });
  await unused.close();
});
