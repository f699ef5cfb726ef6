// The model of an agent or a skill: what is said if it is not there.
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import { put } from "../support/put.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openSession, turn, type Ground } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const gone = { content: [], fault: { kind: "not_found" as const } };

function agentFile(ground: Ground): string {
  return put(join(ground.pawlHome, "agents/a.md"), "---\nname: a\ndescription: d\nmodel: gone-model\n---\nx");
}

/** What the session's model is told when the agent's own is not there. */
async function toldAfter(input: Record<string, unknown>, options: EngineOptions, ground: Ground): Promise<string> {
  const call = { content: [{ tool: "Agent", input: { description: "d", prompt: "Go.", ...input } }] };
  const { engine, model } = await openSession({ steps: [call, gone], fallback: "Done." }, options, ground);
  await turn(engine, "Go.");
  return JSON.stringify(model.requests.findLast(({ body }) => body?.messages.length === 3)?.body?.messages[2]);
}

describe("an agent whose model is gone", () => {
  test("is reported with its file and the field there, not with ways to choose the session's model", async () => {
    const ground = layGround();
    const path = agentFile(ground);
    const told = await toldAfter({ subagent_type: "a" }, {}, ground);
    expect(told).toContain("does not serve the model gone-model");
    expect(told).toContain(`Choose another model in the field model of ${path}.`);
    expect(told).not.toContain("--model");
  });

  test("is reported with its name if it comes from no file", async () => {
    const agents = { b: { description: "d", prompt: "x", model: "gone-model" } };
    const told = await toldAfter({ subagent_type: "b" }, { agents }, layGround());
    expect(told).toContain("Choose another model in the field model of the agent b.");
  });

  test("is reported with the call or the variable that named the model in place of the file", async () => {
    const ground = layGround();
    agentFile(ground);
    const called = await toldAfter({ subagent_type: "a", model: "other-model" }, {}, ground);
    expect(called).toContain("Choose another model in the call that starts the agent, or leave it out.");
    const env = { CLAUDE_CODE_SUBAGENT_MODEL: "other-model" };
    const told = await toldAfter({ subagent_type: "a" }, { env }, ground);
    expect(told).toContain("Choose another model with CLAUDE_CODE_SUBAGENT_MODEL.");
  });

  test("is reported with its file if settings rule the model out", async () => {
    const ground = layGround();
    const path = agentFile(ground);
    const settings = '{ "deniedModels": ["gone-model"] }';
    const told = await toldAfter({ subagent_type: "a" }, { settings }, ground);
    expect(told).toContain("The model gone-model is not available: the settings (deniedModels) rule it out.");
    expect(told).toContain(`Choose another model in the field model of ${path}.`);
  });

  test("is reported as the session's model if it is the session's", async () => {
    const told = await toldAfter({}, {}, layGround());
    expect(told).toContain("Choose another model with --model or ANTHROPIC_MODEL");
  });
});

describe("a skill whose model is gone", () => {
  function skillFile(ground: Ground, frontMatter: string): string {
    return put(join(ground.pawlHome, "skills/count/SKILL.md"), `---\ndescription: d\n${frontMatter}---\nCount.`);
  }

  // Seen: the advice to choose another model with --model, which does not change the model of the skill.
  test("is reported with its file and the field there, in the turn that it holds for", async () => {
    const ground = layGround();
    const path = skillFile(ground, "model: gone-model\n");
    const { engine } = await openSession({ steps: [gone, gone] }, {}, ground);
    const started = JSON.stringify((await turn(engine, "/count")).result);
    expect(started).toContain("does not serve the model gone-model");
    expect(started).toContain(`Choose another model in the field model of ${path}.`);
    const next = JSON.stringify((await turn(engine, "Go.")).result);
    expect(next).toContain("Choose another model with --model or ANTHROPIC_MODEL");
  });

  test("is reported as the session's model if a person chose it meanwhile", async () => {
    const ground = layGround();
    skillFile(ground, "model: haiku\n");
    const choose = () => {
      engine.setModel("haiku");
      return { content: [{ tool: "Glob", input: { pattern: "*" } }] };
    };
    const { engine } = await openSession({ steps: [choose, gone] }, {}, ground);
    const { result } = await turn(engine, "/count");
    expect(JSON.stringify(result)).toContain("Choose another model with --model or ANTHROPIC_MODEL");
  });

  test("is reported with its file if an agent carries the skill out", async () => {
    const ground = layGround();
    const path = skillFile(ground, "context: fork\nmodel: gone-model\n");
    const call = { content: [{ tool: "Skill", input: { skill: "count" } }] };
    const { engine, model } = await openSession({ steps: [call, gone], fallback: "Done." }, {}, ground);
    await turn(engine, "Go.");
    const told = JSON.stringify(model.requests.at(-1)?.body?.messages);
    expect(told).toContain(`Choose another model in the field model of ${path}.`);
  });
});
