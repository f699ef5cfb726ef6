// Variables and settings of the model's side at their edges: from the process, from `env` of settings, and beside other settings.
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import type { Reply, Script } from "../../src/testing/index.ts";
import { calls, clearGroundsAfterwards, disposeAll, openSession, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

type Env = Record<string, string>;

async function asked(options: EngineOptions, script: Script = { fallback: "Done." }) {
  const told: string[] = [];
  const { engine, model } = await openSession(script, { onNotice: (text) => told.push(text), ...options });
  const { result } = await turn(engine, "Go.");
  expect(model.violations).toEqual([]);
  const bodies = calls(model).map(({ body }) => body as unknown as Record<string, unknown>);
  return { result, told, body: bodies[0]!, requests: bodies.length, bodies };
}

const ofSettings = (env: Env, more: object = {}): EngineOptions => ({ settings: JSON.stringify({ env, ...more }) });

describe.each<[string, (env: Env) => EngineOptions]>([
  ["the process", (env) => ({ env })],
  ["settings", (env) => ofSettings(env)],
])("variables from %s", (_from, given) => {
  test.each<[Env, model: string, body: object, told?: string]>([
    [{ MAX_THINKING_TOKENS: "0" }, "claude-opus-4-6", { thinking: { type: "disabled" } }],
    [{ MAX_THINKING_TOKENS: "1" }, "claude-opus-4-6", { thinking: { type: "enabled", budget_tokens: 1_024 } }],
    [
      { MAX_THINKING_TOKENS: "9000000" },
      "claude-opus-4-6",
      { max_tokens: 128_000, thinking: { type: "enabled", budget_tokens: 126_976 } },
    ],
    [
      { MAX_THINKING_TOKENS: "1.5" },
      "claude-opus-4-6",
      { thinking: { type: "adaptive" } },
      "MAX_THINKING_TOKENS is ignored: it is not a whole number of at least 0.",
    ],
    [{ CLAUDE_CODE_DISABLE_THINKING: "0" }, "claude-opus-4-6", { thinking: { type: "adaptive" } }],
    [
      { CLAUDE_CODE_DISABLE_THINKING: "please" },
      "claude-opus-4-6",
      { thinking: { type: "adaptive" } },
      "CLAUDE_CODE_DISABLE_THINKING is ignored: it is neither 1 nor 0.",
    ],
    [{ CLAUDE_CODE_EFFORT_LEVEL: " HIGH " }, "claude-opus-5-5", { output_config: { effort: "high" } }],
    [{ CLAUDE_CODE_MAX_OUTPUT_TOKENS: "1" }, "claude-sonnet-5-5", { max_tokens: 1 }],
    [{ CLAUDE_CODE_MAX_OUTPUT_TOKENS: "9000000" }, "claude-sonnet-5-5", { max_tokens: 128_000 }],
    [
      { CLAUDE_CODE_MAX_OUTPUT_TOKENS: "0" },
      "claude-sonnet-5-5",
      { max_tokens: 8_000 },
      "CLAUDE_CODE_MAX_OUTPUT_TOKENS is ignored: it is not a whole number of at least 1.",
    ],
  ])("with %j for %s send: %j", async (env, model, body, ...sentences) => {
    const sent = await asked({ model, ...given(env) });
    expect(sent.body).toMatchObject(body);
    expect(sent.told).toEqual(sentences);
  });

  const glob: Reply = { content: [{ tool: "Glob", input: { pattern: "*" } }] };
  test.each<[Env, requests: number, told: string[]]>([
    [{ CLAUDE_CODE_MAX_TURNS: "1" }, 1, []],
    [{ CLAUDE_CODE_MAX_TURNS: "3" }, 3, []],
    [{ CLAUDE_CODE_MAX_TURNS: "3", PAWL_MAX_TURNS: "2" }, 2, []],
    [{ CLAUDE_CODE_MAX_TURNS: "2", PAWL_MAX_TURNS: "" }, 2, []],
    [{ CLAUDE_CODE_MAX_TURNS: "0" }, 6, ["CLAUDE_CODE_MAX_TURNS is ignored: it is not a whole number of at least 1."]],
    [
      { CLAUDE_CODE_MAX_TURNS: "two", CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: "-1" },
      6,
      [
        "CLAUDE_CODE_MAX_TURNS is ignored: it is not a whole number of at least 1.",
        "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP is ignored: it is not a whole number of at least 0.",
      ],
    ],
  ])("with %j lead to %d requests", async (env, requests, told) => {
    const sent = await asked(given(env), { steps: [glob, glob, glob, glob, glob, "Done."] });
    expect(sent.requests).toBe(requests);
    expect(sent.told).toEqual(told);
  });
});

describe("together with settings", () => {
  test("the effort variable takes precedence, and auto means the model's own effort", async () => {
    const settings = JSON.stringify({ effortLevel: "low" });
    const effort = async (level: string) =>
      (await asked({ model: "claude-opus-5-5", settings, env: { CLAUDE_CODE_EFFORT_LEVEL: level } })).body[
        "output_config"
      ];
    expect(await effort("high")).toEqual({ effort: "high" });
    expect(await effort("")).toEqual({ effort: "low" });
    expect(await effort("highest")).toEqual({ effort: "low" });
    expect(await effort("auto")).toBeUndefined();
  });

  test.each<[settings: object, env: Env, type: string, told: string[]]>([
    [{ alwaysThinkingEnabled: false }, {}, "disabled", []],
    [{ alwaysThinkingEnabled: true }, {}, "adaptive", []],
    [{ alwaysThinkingEnabled: false }, { MAX_THINKING_TOKENS: "2000" }, "enabled", []],
    [{ alwaysThinkingEnabled: false }, { CLAUDE_CODE_DISABLE_THINKING: "0" }, "adaptive", []],
    [{ alwaysThinkingEnabled: false }, { CLAUDE_CODE_DISABLE_THINKING: "" }, "disabled", []],
  ])("thinking with settings %j and variables %j is %s", async (settings, env, type, told) => {
    const sent = await asked({ model: "claude-opus-4-6", settings: JSON.stringify(settings), env });
    expect(sent.body["thinking"]).toMatchObject({ type });
    expect(sent.told).toEqual(told);
    const chosen = { thinking: { type: "adaptive" as const }, settings: JSON.stringify(settings) };
    expect((await asked({ model: "claude-opus-4-6", ...chosen })).body["thinking"]).toMatchObject({ type: "adaptive" });
  });

  test("the process's variable takes precedence over the one in settings", async () => {
    const env = { CLAUDE_CODE_MAX_OUTPUT_TOKENS: "3000" };
    const sent = await asked({ env, ...ofSettings({ CLAUDE_CODE_MAX_OUTPUT_TOKENS: "4000" }) });
    expect(sent.body["max_tokens"]).toBe(3_000);
  });

  test("an empty ANTHROPIC_MODEL leaves the model to settings", async () => {
    const settings = JSON.stringify({ model: "claude-opus-4-6" });
    const sent = await asked({ model: undefined, settings, env: { ANTHROPIC_MODEL: "" } });
    expect(sent.body["model"]).toBe("claude-opus-4-6");
  });

  test.each(["", "inherit"])("%j as CLAUDE_CODE_SUBAGENT_MODEL leaves an agent's model to its call", async (set) => {
    const input = { description: "a small task", prompt: "Find it.", model: "haiku" };
    const steps = [{ content: [{ tool: "Agent", input }] }, "It is 42.", "Done."];
    const sent = await asked({ env: { CLAUDE_CODE_SUBAGENT_MODEL: set } }, { steps });
    expect(sent.bodies.map(({ model }) => model)).toEqual([
      "claude-sonnet-5-5",
      "claude-haiku-5-5",
      "claude-sonnet-5-5",
    ]);
  });
});

test.each<[Env, told: string[]]>([
  [{ DISABLE_COMPACT: "1", DISABLE_AUTO_COMPACT: "no", CLAUDE_CODE_AUTO_COMPACT_WINDOW: " " }, []],
  [{ DISABLE_AUTO_COMPACT: "never" }, ["DISABLE_AUTO_COMPACT was ignored: it is neither 1 nor 0."]],
  [
    { CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: "0", CLAUDE_CODE_MAX_CONTEXT_TOKENS: "-5" },
    [
      'CLAUDE_AUTOCOMPACT_PCT_OVERRIDE was ignored: it must be a number from 1 to 100, not "0".',
      `CLAUDE_CODE_MAX_CONTEXT_TOKENS was ignored: it must be a number from 1 to ${Number.MAX_SAFE_INTEGER}, not "-5".`,
    ],
  ],
  [
    { CLAUDE_CODE_DISABLE_1M_CONTEXT: "perhaps" },
    ["CLAUDE_CODE_DISABLE_1M_CONTEXT is ignored: it is neither 1 nor 0."],
  ],
])("reports the invalid values of %j", async (env, told) => {
  expect((await asked({ env })).told).toEqual(told);
});
