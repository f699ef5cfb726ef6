// Which betas go along with a request, what is not asked for without them, and who says that it asks.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import { calls, clearGroundsAfterwards, disposeAll, layGround, openSession, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

async function sent(env: EngineOptions["env"], extra: EngineOptions = {}) {
  const told: string[] = [];
  const options: EngineOptions = { env, onNotice: (text) => told.push(text), ...extra };
  const { engine, model } = await openSession({ fallback: "Done." }, options);
  const { result } = await turn(engine, "Go.");
  expect(model.violations).toEqual([]);
  expect(result).toMatchObject({ subtype: "success" });
  const { headers, body } = calls(model)[0]!;
  return { betas: headers["anthropic-beta"], agent: headers["user-agent"], body, told, model: result.modelUsage };
}

describe("the betas", () => {
  const interleaved = "interleaved-thinking-2025-05-14";
  const long = "context-1m-2025-08-07";
  test.each<[EngineOptions["env"], EngineOptions, betas: string | undefined]>([
    [{}, {}, undefined],
    [{ ANTHROPIC_BETAS: " one-2026-01-01, ,two-2026-01-01,one-2026-01-01 " }, {}, "one-2026-01-01,two-2026-01-01"],
    [{ ANTHROPIC_BETAS: "one-2026-01-01" }, { betas: [long] }, `one-2026-01-01,${long}`],
    [{}, { settings: JSON.stringify({ env: { ANTHROPIC_BETAS: "one-2026-01-01" } }) }, "one-2026-01-01"],
    [{ ANTHROPIC_BETAS: `${interleaved},${long}`, DISABLE_INTERLEAVED_THINKING: "1" }, {}, long],
    [{ CLAUDE_CODE_DISABLE_1M_CONTEXT: "1" }, { betas: [long, interleaved] }, interleaved],
    [{ CLAUDE_CODE_DISABLE_1M_CONTEXT: "0", ANTHROPIC_BETAS: long }, {}, long],
    [{ CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS: "1", ANTHROPIC_BETAS: "one-2026-01-01" }, {}, "one-2026-01-01"],
  ])("for %j %j are: %s", async (env, options, betas) => {
    const request = await sent(env, options);
    expect(request.betas).toBe(betas);
    expect(request.told).toEqual([]);
  });

  test("that are invalid in a header are left out, with a notice", async () => {
    const { betas, told } = await sent({ ANTHROPIC_BETAS: "one-2026-01-01,two\r\nx-evil: 1,drei\u00e9" });
    expect(betas).toBe("one-2026-01-01");
    expect(told).toEqual([
      "ANTHROPIC_BETAS: invalid names were left out; it must be a comma-separated list of names of letters, digits, -, . and _.",
    ]);
  });
});

describe("CLAUDE_CODE_EXTRA_BODY", () => {
  const name = "CLAUDE_CODE_EXTRA_BODY";
  const metadata = { user_id: "u1" };
  // Pawl's own prompt names the folder.
  const brief = { systemPrompt: "Be brief." };
  const extra = (fields: object): EngineOptions["env"] => ({ [name]: JSON.stringify(fields) });

  test("adds its fields to each request, also to those of agents", async () => {
    const agent = { tool: "Agent", input: { description: "d", prompt: "Count." } };
    const { engine, model } = await openSession(
      { steps: [{ content: [agent] }, "3", "Done."] },
      { env: extra({ metadata }) },
    );
    await turn(engine, "Go.");
    expect(calls(model).map(({ body }) => body)).toMatchObject([{ metadata }, { metadata }, { metadata }]);
    expect(model.violations).toEqual([]);
  });

  test.each(["[1]", "metadata", "{", `{"a":${"[".repeat(60)}${"]".repeat(60)}}`])(
    "is ignored with a notice if it is %s",
    async (value) => {
      const { body, told } = await sent({ [name]: value }, brief);
      expect(told).toEqual([
        expect.stringMatching(/^CLAUDE_CODE_EXTRA_BODY is ignored: it is not a JSON object.*\.$/u),
      ]);
      expect(body).toEqual((await sent({}, brief)).body);
    },
  );

  test("changes nothing that pawl sets itself", async () => {
    const plain = await sent({}, brief);
    const own = { model: "claude-opus-5", max_tokens: 64_000, stream: false, system: "x", tools: [], messages: [] };
    const { body, told } = await sent(extra({ ...own, thinking: { type: "disabled" }, metadata }), brief);
    expect(body).toEqual({ ...plain.body, metadata });
    expect(told).toEqual([
      "CLAUDE_CODE_EXTRA_BODY: model, max_tokens, stream, system, tools, messages, thinking were left out: pawl sends its own values.",
    ]);
  });

  test("sets no cache breakpoint", async () => {
    const { body, told } = await sent(extra({ cache_control: { type: "ephemeral" } }), brief);
    expect(body).not.toHaveProperty("cache_control");
    expect(told).toEqual([expect.stringContaining("cache_control was left out") as string]);
  });

  test("leaves a compaction valid", async () => {
    const env = extra({ stop_sequences: ["End"], tool_choice: { type: "auto", disable_parallel_tool_use: true } });
    const { engine, model } = await openSession({ fallback: "Done." }, { env, model: "claude-opus-5-5" });
    for (const part of ["one ", "two ", "three "]) await turn(engine, part.repeat(20_000));
    const run = engine.compact();
    let step = await run.next();
    while (step.done !== true) step = await run.next();
    expect(step.value).toMatchObject({ compacted: true });
    expect(model.violations).toEqual([]);
  });

  test("adds nothing under a budget that may cost extra", async () => {
    const fields = extra({ metadata, service_tier: "auto" });
    const { body, told } = await sent(fields, { maxBudgetUsd: 1 });
    expect(body).toHaveProperty("metadata");
    expect(body).not.toHaveProperty("service_tier");
    expect(told).toEqual([expect.stringMatching(/^CLAUDE_CODE_EXTRA_BODY: service_tier was left out: with a budget/u)]);
    expect((await sent(fields)).body).toHaveProperty("service_tier");
  });

  test("counts from the user's settings, but not from a folder's, even if that is trusted", async () => {
    const value = JSON.stringify({ metadata });
    const settings = JSON.stringify({ env: { [name]: value } });
    expect((await sent({}, { settings })).body).toHaveProperty("metadata");
    const ground = layGround();
    mkdirSync(join(ground.work, ".claude"));
    writeFileSync(join(ground.work, ".claude/settings.json"), settings);
    const { engine, model } = await openSession({ fallback: "." }, { trust: true }, ground);
    await turn(engine, "Go.");
    expect(calls(model)[0]?.body).not.toHaveProperty("metadata");
  });
});

describe("CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS", () => {
  const env = { CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS: "1" };
  const wishes: EngineOptions = { model: "claude-opus-5-5", taskBudget: { total: 60_000 }, speed: "fast" };

  test("sends nothing that needs a beta, and reports the settings it affects", async () => {
    const plain = await sent(env, wishes);
    expect(plain.betas).toBeUndefined();
    expect(plain.body).not.toHaveProperty("speed");
    expect(JSON.stringify(plain.body)).not.toContain("task_budget");
    expect(plain.told).toEqual([
      "claude-opus-5-5 does not support task budgets: the request is sent without one.",
      "claude-opus-5-5 has no fast mode: it answers at its usual speed and price.",
    ]);
    expect((await sent({}, wishes)).betas).toBe("task-budgets-2026-03-13,fast-mode-2026-02-01");
  });
});

describe("the user-agent", () => {
  test.each<[EngineOptions["env"], agent: string]>([
    [{}, "pawl/1.2.3"],
    [{ CLAUDE_AGENT_SDK_CLIENT_APP: "my-app/2.0" }, "pawl/1.2.3 (client-app/my-app/2.0)"],
    [{ CLAUDE_CODE_ENTRYPOINT: "sdk-ts" }, "pawl/1.2.3 (sdk-ts)"],
    [
      { CLAUDE_CODE_ENTRYPOINT: "sdk-py", CLAUDE_AGENT_SDK_CLIENT_APP: "my-app/2.0" },
      "pawl/1.2.3 (sdk-py, client-app/my-app/2.0)",
    ],
    [{ CLAUDE_AGENT_SDK_CLIENT_APP: "a) b\r\nx-evil: 1 \u00e9(" }, "pawl/1.2.3 (client-app/a bx-evil: 1)"],
    [{ CLAUDE_AGENT_SDK_CLIENT_APP: " \u00e9 ", CLAUDE_CODE_ENTRYPOINT: "" }, "pawl/1.2.3"],
    [{ CLAUDE_AGENT_SDK_CLIENT_APP: "x".repeat(300) }, `pawl/1.2.3 (client-app/${"x".repeat(200)})`],
    [{ CLAUDE_AGENT_SDK_CLIENT_APP: "app", ANTHROPIC_CUSTOM_HEADERS: "User-Agent: mine" }, "mine"],
  ])("for %j is: %s", async (env, agent) => {
    expect((await sent(env, { version: "1.2.3" })).agent).toBe(agent);
  });
});
