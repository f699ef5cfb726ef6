// A model that is chosen while a turn runs: the next request of the turn goes to it.
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions, QueryEngine } from "../../src/index.ts";
import type { Part } from "../../src/testing/index.ts";
import { replay } from "./replay/support.ts";
import { calls, clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const look: Part = { tool: "Glob", input: { pattern: "*" } };
const thinksAndLooks = { content: [{ thinking: "hm" }, look] };
const plainLook = { content: [look] };

const models = ["claude-sonnet-5-5", "claude-opus-5", "claude-haiku-4-5", "claude-opus-4-6"];
const pairs = models.flatMap((from) => models.flatMap((to) => (from === to ? [] : [{ from, to }])));
const settings: NonNullable<EngineOptions["thinking"]>[] = [
  { type: "auto" },
  { type: "enabled", budgetTokens: 2_000 },
  { type: "disabled" },
];
const cases = pairs.flatMap((pair) => settings.map((thinking) => ({ ...pair, thinking })));

describe("a model chosen during a turn", () => {
  test.each(cases)("answers the next request ($from, $to and back, $thinking.type thinking)", async (given) => {
    const { from, to, thinking } = given;
    const reply = thinking.type === "disabled" ? plainLook : thinksAndLooks;
    const model = scripted({ steps: [reply, plainLook, reply, "Done."] });
    const engine = await openOn(layGround(), model, { model: from, thinking, maxBudgetUsd: 5 });
    const choices = [to, from];
    const { result } = await turn(engine, "Go.", {
      onMessage(message) {
        const next = message.type === "user" ? choices.shift() : undefined;
        if (next !== undefined) engine.setModel(next);
      },
    });
    expect(result).toMatchObject({ subtype: "success", num_turns: 4 });
    expect(calls(model).map(({ body }) => body?.model)).toEqual([from, to, from, from]);
  });

  test("answers after a fallback model, and the next turn begins with it", async () => {
    const overloaded = { content: [], fault: { kind: "overloaded" as const } };
    const model = scripted({ steps: [overloaded, overloaded, overloaded, plainLook, "Done.", "Yes."] });
    const options = { model: "claude-sonnet-5-5", fallbackModel: "claude-opus-4-6" };
    const engine = await openOn(layGround(), model, options);
    await turn(engine, "Go.", {
      onMessage: (message) => message.type === "user" && engine.setModel("claude-haiku-5-5"),
    });
    await turn(engine, "And?");
    const asked = calls(model).map(({ body }) => body?.model);
    expect(asked.slice(3)).toEqual(["claude-opus-4-6", "claude-haiku-5-5", "claude-haiku-5-5"]);
  });

  test("is asked to think as the user wants, where the model before it did not allow that", async () => {
    const model = scripted({ steps: [thinksAndLooks, "Done."] });
    const engine = await openOn(layGround(), model, { model: "claude-sonnet-5-5", thinking: { type: "disabled" } });
    await turn(engine, "Go.", {
      onMessage: (message) => message.type === "user" && engine.setModel("claude-haiku-5-5"),
    });
    expect(calls(model).map(({ body }) => body?.["thinking"])).toEqual([
      expect.objectContaining({ type: "adaptive" }),
      { type: "disabled" },
    ]);
  });

  test("has no higher effort than settings allow, whatever its own is", async () => {
    const settings = JSON.stringify({ maxEffortLevel: "medium" });
    const model = scripted({ steps: [plainLook, "Done."] });
    const engine = await openOn(layGround(), model, { model: "claude-opus-5-5", settings });
    await turn(engine, "Go.", {
      onMessage: (message) => message.type === "user" && engine.setModel("claude-sonnet-5-5"),
    });
    expect(calls(model)[1]?.body).toMatchObject({ model: "claude-sonnet-5-5", output_config: { effort: "medium" } });
  });

  test("is not that of an agent that has a model of its own", async () => {
    const opened: { engine?: QueryEngine } = {};
    const callback = async () => {
      opened.engine?.setModel("claude-opus-5-5");
      return {};
    };
    const agent: Part = { tool: "Agent", input: { description: "d", prompt: "Look.", model: "haiku" } };
    const model = scripted({ steps: [{ content: [agent] }, plainLook, "Nothing.", "Done."] });
    const options = { model: "claude-sonnet-5-5", hooks: { PostToolUse: [{ matcher: "Glob", callback }] } };
    const engine = await openOn(layGround(), model, options);
    opened.engine = engine;
    await turn(engine, "Go.");
    const asked = ["claude-sonnet-5-5", "claude-haiku-5-5", "claude-haiku-5-5", "claude-opus-5-5"];
    expect(calls(model).map(({ body }) => body?.model)).toEqual(asked);
  });

  test("is not asked under a budget if its price is unknown", async () => {
    const model = scripted({ steps: [plainLook, "Done."] });
    const engine = await openOn(layGround(), model, { model: "claude-sonnet-5-5", maxBudgetUsd: 5 });
    const { result } = await turn(engine, "Go.", {
      onMessage: (message) => message.type === "user" && engine.setModel("own-model"),
    });
    expect(result).toMatchObject({ is_error: true });
    expect(calls(model)).toHaveLength(1);
  });

  test.each(settings)("answers in a replay of the session too ($type thinking)", async (thinking) => {
    const ground = layGround();
    const opened: { engine?: QueryEngine } = {};
    const hooks = {
      PostToolUse: [
        {
          callback: async () => {
            opened.engine?.setModel("claude-haiku-5-5");
            return {};
          },
        },
      ],
    };
    const model = scripted({ steps: [thinksAndLooks, "Done."] });
    const engine = await openOn(ground, model, { hooks, thinking });
    opened.engine = engine;
    await turn(engine, "Go.");
    await engine.dispose();
    expect(calls(model).map(({ body }) => body?.model)).toEqual(["claude-sonnet-5-5", "claude-haiku-5-5"]);
    const session = { ground, sessionId: engine.getSessionId(), path: engine.getTranscriptPath()! };
    expect(await replay(session, session.sessionId)).toMatchObject({ same: 1, differs: 0, skipped: 0 });
  });
});
