// What the server is asked to keep of a request, and for how long: on the wire, in the bill and against the budget.
import { mkdirSync, writeFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import type { Script } from "../../src/testing/index.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  layGround,
  openOn,
  openSession,
  scripted,
  turn,
  type Opened,
} from "./support.ts";
import { isAgent } from "../support/is-agent.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const withAgent: Script = {
  rules: [
    {
      when: {},
      reply: (request) => {
        if (isAgent(request)) return request.turns === 0 ? glob : "It is 42.";
        return request.turns === 0 ? { content: [agent] } : "Done.";
      },
    },
  ],
};
const glob = { content: [{ tool: "Glob", input: { pattern: "*" } }] };
const agent = { tool: "Agent", input: { description: "a small task", prompt: "Find it." } };

/** The lives that requests ask for, in the order of their breakpoints; an agent's apart. */
function livesIn({ model }: Opened): { own: string[]; agents: string[] } {
  const lives = { own: [] as string[], agents: [] as string[] };
  for (const { body } of calls(model)) {
    const text = JSON.stringify(body);
    const found = [...text.matchAll(/"cache_control":\{"type":"ephemeral"(?:,"ttl":"(\w+)")?\}/gu)];
    const list = JSON.stringify(body?.system).includes("another agent has given a task") ? lives.agents : lives.own;
    list.push(found.length === 0 ? "none" : [...new Set(found.map(([, ttl]) => ttl ?? "5m"))].join(" "));
  }
  return lives;
}

const unlisted = ["some-model-of-mine", "small-one", "big-one", "us.anthropic.claude-sonnet-4-6-v1:0"];

async function asked(options: EngineOptions, script: Script = withAgent) {
  const told: string[] = [];
  // It knows the models of its list alone.
  const isListed = !unlisted.includes(options.env?.["ANTHROPIC_DEFAULT_HAIKU_MODEL"] ?? options.model ?? "");
  const model = scripted(script, { validate: isListed ? "full" : "off" });
  const opened = {
    model,
    engine: await openOn(layGround(), model, { onNotice: (text) => told.push(text), ...options }),
  };
  const { result } = await turn(opened.engine, "Go.");
  expect(opened.model.violations).toEqual([]);
  return { ...opened, result, told, ...livesIn(opened) };
}

describe("the cache lifetime", () => {
  const settings = (given: object): EngineOptions => ({ settings: JSON.stringify(given) });
  test.each<[EngineOptions, own: string, agents: string]>([
    [{}, "5m", "5m"],
    [{ env: { ENABLE_PROMPT_CACHING_1H: "1" } }, "1h", "1h"],
    [{ env: { ENABLE_PROMPT_CACHING_1H: "0" }, ...settings({ promptCacheTtl: "1h" }) }, "1h", "1h"],
    [settings({ promptCacheTtl: "1h" }), "1h", "1h"],
    [settings({ promptCacheTtl: "1h", subagentPromptCacheTtl: "5m" }), "1h", "5m"],
    [settings({ subagentPromptCacheTtl: "1h" }), "5m", "1h"],
    [settings({ env: { CLAUDE_CODE_SUBAGENT_PROMPT_CACHE_TTL: "1H" } }), "5m", "1h"],
    [
      { env: { CLAUDE_CODE_SUBAGENT_PROMPT_CACHE_TTL: "5m" }, ...settings({ subagentPromptCacheTtl: "1h" }) },
      "5m",
      "5m",
    ],
  ])("for %j is %s, and %s for agents", async (options, ownTtl, agentTtl) => {
    const { own, agents, told, result } = await asked(options);
    expect(result).toMatchObject({ result: "Done." });
    expect(own).toEqual([ownTtl, ownTtl]);
    expect(agents).toEqual([agentTtl, agentTtl]);
    expect(told).toEqual([]);
  });

  test("ignores an invalid value, with a notice", async () => {
    const env = { CLAUDE_CODE_SUBAGENT_PROMPT_CACHE_TTL: "2h", ENABLE_PROMPT_CACHING_1H: "often" };
    const { own, agents, told } = await asked({ env });
    expect([...own, ...agents]).toEqual(["5m", "5m", "5m", "5m"]);
    expect(told).toEqual([
      "ENABLE_PROMPT_CACHING_1H is ignored: it is neither 1 nor 0.",
      "CLAUDE_CODE_SUBAGENT_PROMPT_CACHE_TTL is ignored: it is none of 5m, 1h.",
    ]);
  });

  test("is billed as requested, and no budget is exceeded", async () => {
    const env = { CLAUDE_CODE_SUBAGENT_PROMPT_CACHE_TTL: "1h" };
    const usual = await asked({});
    const longer = await asked({ env });
    expect(longer.engine.getCost().totalUsd).toBeCloseTo(longer.model.bill.totalUsd, 12);
    expect(longer.model.bill.totalUsd).toBeGreaterThan(usual.model.bill.totalUsd);
    const enough = longer.model.bill.totalUsd * 20;
    for (let part = 1; part <= 12; part++) {
      const maxBudgetUsd = (enough * part) / 12;
      const { model } = await asked({ env: { ...env, ENABLE_PROMPT_CACHING_1H: "1" }, maxBudgetUsd });
      expect(model.bill.totalUsd).toBeLessThanOrEqual(maxBudgetUsd);
      const { model: mixed } = await asked({ env, maxBudgetUsd });
      expect(mixed.bill.totalUsd).toBeLessThanOrEqual(maxBudgetUsd);
    }
  });
});

test("the budget reserves the price of the longest cache lifetime, the session's or its agents'", async () => {
  const firstCap = async (env: EngineOptions["env"]): Promise<number> => {
    const { model } = await asked({ env, maxBudgetUsd: 0.07 }, { fallback: "Done." });
    return calls(model)[0]?.body?.max_tokens ?? 0;
  };
  const usual = await firstCap({});
  const longer = await firstCap({ ENABLE_PROMPT_CACHING_1H: "1" });
  expect(longer).toBeLessThan(usual);
  expect(await firstCap({ CLAUDE_CODE_SUBAGENT_PROMPT_CACHE_TTL: "1h" })).toBe(longer);
});

describe("switched-off caching", () => {
  test.each<[variable: string, model: string, life: string]>([
    ["DISABLE_PROMPT_CACHING", "claude-sonnet-5-5", "none"],
    ["DISABLE_PROMPT_CACHING", "some-model-of-mine", "none"],
    ["DISABLE_PROMPT_CACHING_SONNET", "claude-sonnet-5-5", "none"],
    ["DISABLE_PROMPT_CACHING_SONNET", "us.anthropic.claude-sonnet-4-6-v1:0", "none"],
    ["DISABLE_PROMPT_CACHING_SONNET", "claude-opus-5-5", "5m"],
    ["DISABLE_PROMPT_CACHING_OPUS", "claude-opus-4-6", "none"],
    ["DISABLE_PROMPT_CACHING_FABLE", "best", "none"],
    ["DISABLE_PROMPT_CACHING_HAIKU", "haiku", "none"],
    ["DISABLE_PROMPT_CACHING_HAIKU", "claude-sonnet-5-5", "5m"],
  ])("by %s for %s gives: %s", async (variable, model, life) => {
    const env = { [variable]: "1", ENABLE_PROMPT_CACHING_1H: "0" };
    const { own, agents } = await asked({ env, model });
    expect(own).toEqual([life, life]);
    expect(agents).toEqual([life, life]);
  });

  test("applies to the model that a family's name stands for, whatever that model is called", async () => {
    const env = { DISABLE_PROMPT_CACHING_HAIKU: "1", ANTHROPIC_DEFAULT_HAIKU_MODEL: "small-one" };
    expect((await asked({ env, model: "haiku" })).own).toEqual(["none", "none"]);
    expect((await asked({ env, model: "big-one" })).own).toEqual(["5m", "5m"]);
  });

  test("applies to one model of a session, and to agents by their own models", async () => {
    const env = { DISABLE_PROMPT_CACHING_HAIKU: "1", CLAUDE_CODE_SUBAGENT_MODEL: "haiku" };
    const opened = await asked({ env });
    expect(opened).toMatchObject({ own: ["5m", "5m"], agents: ["none", "none"] });
    opened.engine.setModel("haiku");
    await turn(opened.engine, "Again.");
    opened.engine.setModel("sonnet");
    await turn(opened.engine, "And again.");
    expect(livesIn(opened).own).toEqual(["5m", "5m", "none", "5m"]);
    expect(opened.model.violations).toEqual([]);
  });

  test("costs nothing for writes and overrides one hour; an invalid value is reported", async () => {
    const env = { DISABLE_PROMPT_CACHING: "true", ENABLE_PROMPT_CACHING_1H: "1" };
    const { engine, own } = await asked({ env });
    expect(own).toEqual(["none", "none"]);
    expect(Object.values(engine.getCost().modelUsage)[0]).toMatchObject({
      cacheCreationInputTokens: 0,
      cacheReadInputTokens: 0,
    });
    const unclear = await asked({ env: { DISABLE_PROMPT_CACHING_OPUS: "no way" } });
    expect(unclear.told).toEqual(["DISABLE_PROMPT_CACHING_OPUS is ignored: it is neither 1 nor 0."]);
    expect(unclear.own).toEqual(["5m", "5m"]);
  });

  test("is not caused by the settings of an untrusted folder", async () => {
    const ground = layGround();
    mkdirSync(`${ground.work}/.claude`);
    writeFileSync(`${ground.work}/.claude/settings.json`, JSON.stringify({ env: { DISABLE_PROMPT_CACHING: "1" } }));
    const opened = await openSession({ fallback: "Done." }, {}, ground);
    await turn(opened.engine, "Go.");
    expect(livesIn(opened).own).toEqual(["5m"]);
  });
});
