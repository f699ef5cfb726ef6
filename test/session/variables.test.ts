// Variables of the convention in a session: from the environment, or from `env` of the user's settings.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, existsSync, chmodSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import { checkpointScope } from "../../src/session/files/checkpoint-parts.ts";
import { systemClock } from "../../src/lib/system-clock.ts";
import { thisMachine } from "../../src/session/surroundings/machine.ts";
import { composeTools } from "../../src/session/tools/tool-parts.ts";
import { isSteeringVariable } from "../../src/settings/steering-variables.ts";
import { serverOf } from "../mcp/support.ts";
import { put } from "../support/put.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  layGround,
  openOn,
  scripted,
  turn,
  type Ground,
} from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

type Way = "the environment" | "settings";
const ways: Way[] = ["the environment", "settings"];

/** Commands run one after another; the notices of the start. */
async function run(ground: Ground, env: Record<string, string>, options: EngineOptions = {}, commands: string[] = []) {
  const steps = commands.map((command) => ({ content: [{ tool: "Bash", input: { command } }] }));
  const model = scripted({ steps, fallback: "Done." });
  const notices: string[] = [];
  const engine = await openOn(ground, model, {
    permissionMode: "bypassPermissions",
    onNotice: (text) => void notices.push(text),
    ...options,
    env: { ...env, ...options.env },
  });
  await turn(engine, "Go.");
  const text = (name: string): string => readFileSync(join(ground.work, name), "utf8");
  const tools = (): string[] => (calls(model)[0]?.body?.tools ?? []).map(({ name }) => name);
  return { engine, model, notices, text, tools, said: JSON.stringify(calls(model)[0]?.body) };
}

/** The variables come by that way. */
async function runBy(
  way: Way,
  env: Record<string, string>,
  options: EngineOptions = {},
  commands: string[] = [],
  ground = layGround(),
) {
  if (way === "settings") put(join(ground.pawlHome, "settings.json"), { env });
  return { ground, ...(await run(ground, way === "settings" ? {} : env, options, commands)) };
}

test("a command's environment describes its session", async () => {
  const { engine, text } = await runBy("the environment", { CLAUDE_CODE_REMOTE: "true" }, {}, ["env > seen"]);
  const seen = text("seen").split("\n");
  for (const line of [
    "AI_AGENT=pawl",
    "CLAUDECODE=1",
    "CLAUDE_CODE_CHILD_SESSION=1",
    "CLAUDE_CODE_REMOTE=true",
    `CLAUDE_CODE_SESSION_ID=${engine.getSessionId()}`,
    `CLAUDE_PID=${process.pid}`,
  ])
    expect(seen).toContain(line);
  expect(text("seen")).toMatch(/^CLAUDE_EFFORT=(low|medium|high|xhigh|max)$/mu);
});

test.each(ways)("commands start in the project's folder, with the user's prefix: by %s", async (way) => {
  const ground = layGround();
  const logger = ground.file("logger.sh", `#!/bin/sh\necho logged >> '${ground.work}/log'\nexec bash -c "$1"\n`);
  chmodSync(logger, 0o700);
  mkdirSync(join(ground.work, "sub"));
  const env = { CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR: "1", CLAUDE_CODE_SHELL_PREFIX: logger };
  const { text, said } = await runBy(way, env, {}, ["cd sub", "pwd > where"], ground);
  expect(text("where")).toBe(`${ground.work}\n`);
  expect(text("log")).toBe("logged\nlogged\n");
  expect(said).toContain("Each call begins in the project's folder");
});

test.each(ways)("temporary files lie in the folder that the user names: by %s", async (way) => {
  const ground = layGround();
  const temporary = join(ground.home, "for-a-while");
  mkdirSync(temporary);
  const hooks = {
    SessionStart: [{ hooks: [{ type: "command" as const, command: `echo "$CLAUDE_ENV_FILE" > place` }] }],
  };
  put(join(ground.home, ".claude/settings.json"), { hooks });
  const env = { CLAUDE_CODE_TMPDIR: temporary };
  const { engine, model, text } = await runBy(way, env, { persistSession: false }, ["seq 1 20000"], ground);
  expect(JSON.stringify(calls(model).at(-1)?.body)).toContain(`${temporary}/pawl-`);
  expect(text("place")).toMatch(new RegExp(`^${temporary}/pawl-hooks-`, "u"));
  await engine.dispose();
  expect(readdirSync(temporary)).toEqual([]);
});

test("a stdio MCP server is started with the user's prefix", async () => {
  const ground = layGround();
  const log = join(ground.work, "log");
  const prefix = `start() { printf '%s' "$1" > '${log}'; exec sh -c "$1"; }; start`;
  const options = { mcpServers: { test: serverOf({}) } };
  const { tools, engine } = await runBy("settings", { CLAUDE_CODE_SHELL_PREFIX: prefix }, options, [], ground);
  expect(tools()).toContain("mcp__test__echo");
  expect(readFileSync(log, "utf8")).toContain("server.ts");
  await engine.dispose();
});

describe("an invalid value", () => {
  test.each(ways)("is reported once, in one sentence each, by %s", async (way) => {
    const env = {
      BASH_MAX_TIMEOUT_MS: "soon",
      CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS: "-1",
      CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "perhaps",
      CLAUDE_CODE_SHELL: "/bin/fish",
      CLAUDE_CODE_TOOL_MEMORY_LIMIT: "4G",
      CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: "0",
      CLAUDE_AGENT_SDK_MCP_NO_PREFIX: "1",
      CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS: "5000",
      CLAUDE_CODE_TMPDIR: "/nowhere",
      CLAUDE_ENV_FILE: "env.sh",
      MCP_TIMEOUT: "",
      PAWL_RG: "/nowhere/rg",
      ENABLE_TOOL_SEARCH: "auto:some",
      SLASH_COMMAND_TOOL_CHAR_BUDGET: "all",
      CLAUDE_CODE_RESUME_INTERRUPTED_TURN_MAX_AGE_MS: "a day",
    };
    expect((await runBy(way, env)).notices).toEqual([
      "CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS is ignored: it is not a whole number of at least 0.",
      "BASH_MAX_TIMEOUT_MS is ignored: it is not a whole number of at least 1.",
      "SLASH_COMMAND_TOOL_CHAR_BUDGET is ignored: it is not a whole number of at least 1.",
      "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS is ignored: it is neither 1 nor 0.",
      "ENABLE_TOOL_SEARCH is ignored: it is none of true, false, auto:N.",
      "CLAUDE_CODE_RESUME_INTERRUPTED_TURN_MAX_AGE_MS is not a number of at least 0: one hour is used.",
      "CLAUDE_CODE_SHELL is ignored: commands run in bash, or in sh, dash or ash.",
      "PAWL_RG is ignored: there is no such program.",
      "CLAUDE_CODE_TMPDIR is ignored: there is no such folder.",
      "CLAUDE_ENV_FILE is ignored: it is not an absolute path.",
      "CLAUDE_CODE_TOOL_MEMORY_LIMIT is ignored: this version does not limit the memory of commands.",
      "CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS is ignored: calls of MCP tools are always waited for, up to their time limit.",
      "CLAUDE_AGENT_SDK_MCP_NO_PREFIX is ignored: tools of servers keep the names that rules know them by.",
    ]);
  });
});

test.each(ways)("no transcript is written if the user wants none: by %s", async (way) => {
  const { ground } = await runBy(way, { CLAUDE_CODE_SKIP_PROMPT_HISTORY: "1" });
  expect(existsSync(join(ground.pawlHome, "projects"))).toBe(false);
});

test.each(ways)("a safe session has all tools, but nothing found around it: by %s", async (way) => {
  const ground = layGround();
  const canary = join(ground.home, "canary");
  put(join(ground.home, ".claude/settings.json"), {
    hooks: { SessionStart: [{ hooks: [{ type: "command", command: `touch ${canary}` }] }] },
    mcpServers: { mine: { command: "touch", args: [canary] } },
    outputStyle: "odd",
  });
  put(join(ground.home, ".claude/output-styles/odd.md"), "---\nname: odd\n---\nMARK-OF-STYLE");
  put(join(ground.work, "CLAUDE.md"), "MARK-OF-MEMORY");
  put(join(ground.home, ".claude/skills/s/SKILL.md"), "---\nname: s\ndescription: MARK-OF-SKILL\n---\n");
  const { said, tools, engine } = await runBy(way, { CLAUDE_CODE_SAFE_MODE: "1" }, {}, [], ground);
  expect(said).not.toMatch(/MARK-OF/u);
  expect(tools()).toContain("Glob");
  await engine.dispose();
  expect(existsSync(canary)).toBe(false);
});

test("an untrusted folder sets no variable, and no folder sets one that controls the program", async () => {
  const ground = layGround();
  const env = { CLAUDE_CODE_SHELL_PREFIX: "echo hijacked;", CLAUDE_CODE_DISABLE_WEB_FETCH: "1" };
  put(join(ground.work, ".claude/settings.json"), { env });
  const options = { allowedTools: ["WebFetch"] };
  const untrusted = await run(ground, {}, options, ["echo ran > first"]);
  expect([untrusted.text("first"), untrusted.tools().includes("WebFetch")]).toEqual(["ran\n", true]);
  const trusted = await run(ground, {}, { ...options, trust: true }, ["echo ran > second"]);
  expect([trusted.text("second"), trusted.tools().includes("WebFetch")]).toEqual(["ran\n", false]);
});

test.each(ways)("the state of the repository is left out if the user wants it: by %s", async (way) => {
  const ground = layGround();
  execFileSync("git", ["init", "-q", "-b", "BRANCH-OF-MINE", ground.work]);
  const usual = await run(ground, {}, {}, []);
  expect(usual.said).toContain("BRANCH-OF-MINE");
  const { said } = await runBy(way, { CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS: "1" }, {}, [], ground);
  expect(said).not.toContain("BRANCH-OF-MINE");
});

test.each<[Record<string, string>, boolean | undefined, string]>([
  [{}, undefined, "edits"],
  [{ CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: "true" }, undefined, "all"],
  [{ CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: "true" }, false, "off"],
  [
    { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: "true", CLAUDE_CODE_DISABLE_FILE_CHECKPOINTING: "1" },
    undefined,
    "off",
  ],
])("checkpoints with %j and the option %s cover: %s", (env, wanted, scope) => {
  const options = wanted === undefined ? {} : { enableFileCheckpointing: wanted };
  expect(checkpointScope(options, { env, settings: {} as never })).toBe(scope);
});

describe("memory", () => {
  function withMemory(): Ground & { other: string } {
    const ground = layGround();
    put(join(ground.work, "CLAUDE.md"), "MARK-OF-PROJECT");
    put(join(ground.home, ".claude/CLAUDE.md"), "MARK-OF-USER");
    const other = join(dirname(ground.work), "other");
    put(join(other, "CLAUDE.md"), "MARK-OF-OTHER");
    put(join(other, "AGENTS.md"), "MARK-OF-AGENTS");
    put(join(other, ".claude/rules/style.md"), "MARK-OF-RULE");
    return { ...ground, other };
  }

  test.each(ways)("is left out if the user wants none: by %s", async (way) => {
    const { said } = await runBy(way, { CLAUDE_CODE_DISABLE_CLAUDE_MDS: "1" }, {}, [], withMemory());
    expect(said).not.toMatch(/MARK-OF/u);
  });

  test.each(ways)("of added folders is included if the user wants it: by %s", async (way) => {
    const ground = withMemory();
    const options = { addDirs: [ground.other] };
    const wanted = await runBy(way, { CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: "1" }, options, [], ground);
    expect(wanted.said.match(/MARK-OF-\w+/gu)).toEqual(
      ["USER", "PROJECT", "OTHER", "RULE"].map((each) => `MARK-OF-${each}`),
    );
    const usual = await runBy("the environment", {}, options, [], withMemory());
    expect(usual.said).not.toMatch(/MARK-OF-(OTHER|RULE|AGENTS)/u);
  });
});

describe("the offered tools", () => {
  const allowed = { allowedTools: ["WebFetch"] };
  test.each<[Record<string, string>, string, boolean]>([
    [{}, "WebFetch", true],
    [{ CLAUDE_CODE_DISABLE_WEB_FETCH: "1" }, "WebFetch", false],
    [{ CLAUDE_CODE_ENABLE_TODO_TOOLS: "1" }, "TaskCreate", true],
    [{ CLAUDE_CODE_ENABLE_TODO_TOOLS: "1" }, "TodoWrite", false],
    [{ CLAUDE_CODE_ENABLE_TODO_TOOLS: "1", CLAUDE_CODE_ENABLE_TASKS: "0" }, "TodoWrite", true],
    [{ CLAUDE_CODE_ENABLE_TASKS: "0" }, "TodoWrite", true],
    [{ CLAUDE_CODE_ENABLE_TASKS: "1" }, "TaskCreate", true],
  ])("with %j include %s: %s", async (env, name, isThere) => {
    for (const way of ways) expect((await runBy(way, env, allowed)).tools().includes(name)).toBe(isThere);
  });
});

test("background commands of an agent have their own time limit, those of the session do not", () => {
  const own = { cwd: "/", roots: ["/"], home: "/", spillDirectory: () => null, spills: thisMachine.spills };
  const rest = { clock: systemClock, sessionKey: "k", custom: [], sessionTools: [] };
  const msOf = (isAgents: boolean, env: Record<string, string>) =>
    composeTools({ ...own, ...rest, isForAgent: isAgents, env }).shared.backgroundMs;
  expect(msOf(true, {})).toBe(3_600_000);
  expect(msOf(true, { CLAUDE_SUBAGENT_BG_SHELL_MAX_MS: "5000" })).toBe(5000);
  expect(msOf(false, { CLAUDE_SUBAGENT_BG_SHELL_MAX_MS: "5000" })).toBeUndefined();
});

test.each([
  "CLAUDE_AGENT_SDK_MCP_NO_PREFIX",
  "CLAUDE_CODE_DISABLE_CLAUDE_MDS",
  "CLAUDE_CODE_RESUME_PROMPT",
  "CLAUDE_CODE_SAFE_MODE",
  "CLAUDE_CODE_SHELL_PREFIX",
  "CLAUDE_CODE_SIMPLE",
  "CLAUDE_CODE_SUBPROCESS_ENV_SCRUB",
  "CLAUDE_ENV_FILE",
])("no project can set %s", (name) => expect(isSteeringVariable(name)).toBe(true));

test.each(["true", "off", "auto", "AUTO:5"])("ENABLE_TOOL_SEARCH=%s is accepted without a notice", async (value) => {
  expect((await run(layGround(), { ENABLE_TOOL_SEARCH: value })).notices).toEqual([]);
});

test.each(["CLAUDE_CODE_ENABLE_TELEMETRY", "CLAUDE_CODE_ENHANCED_TELEMETRY_BETA", "CLAUDE_CODE_PROPAGATE_TRACEPARENT"])(
  "an unclear value of %s is reported",
  async (name) => {
    const { notices } = await run(layGround(), { [name]: "perhaps" });
    expect(notices).toEqual([`${name} is ignored: it is neither 1 nor 0.`]);
  },
);

test("an invalid value is reported once", async () => {
  const { notices } = await run(layGround(), { CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY: "-3", MCP_TIMEOUT: "x" });
  expect(notices.filter((text) => text.includes("ignored"))).toHaveLength(2);
});
