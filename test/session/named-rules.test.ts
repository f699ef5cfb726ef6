// Rules that name a kind of agent or a skill hold for what a call means, however it says it.
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import type { Reply, RequestView } from "../../src/testing/index.ts";
import { put as putFile } from "../support/put.ts";
import { calls, clearGroundsAfterwards, disposeAll, layGround, openSession, turn, type Ground } from "./support.ts";

clearGroundsAfterwards();
afterAll(disposeAll);

const put = ({ home }: Ground, name: string, text: string): string => putFile(join(home, name), text);

function laid(): Ground {
  const ground = layGround();
  put(
    ground,
    ".claude/agents/s.md",
    "---\nname: Specialist\ndescription: knows\ntools: Read\n---\nYou are the SPECIALIST.\n",
  );
  put(ground, ".claude/skills/deploy/SKILL.md", "---\nname: deploy\ndescription: deploys\n---\nDEPLOY-TEXT\n");
  return ground;
}

const isAgent = ({ systemText }: RequestView): boolean => /SPECIALIST|another agent has given/u.test(systemText);

async function tell(calling: { tool: string; input: Record<string, string> }, options: EngineOptions, ground = laid()) {
  let isAsked = false;
  const reply = (request: RequestView): Reply | string => {
    if (isAgent(request) || isAsked) return "AGENT-ANSWER";
    isAsked = true;
    return { content: [calling] };
  };
  const seen: unknown[] = [];
  const hooks = {
    PreToolUse: [
      { callback: (input: Record<string, unknown>) => (seen.push(input["tool_input"]), Promise.resolve(undefined)) },
    ],
  };
  const { engine, model } = await openSession({ rules: [{ when: {}, reply }] }, { hooks, ...options }, ground);
  const { result } = await turn(engine, "Go.");
  const said = JSON.stringify(calls(model).at(-1)?.body?.messages.at(-1));
  const id = /agentId: ([0-9a-f]{16})/u.exec(said)?.[1] ?? "";
  return { engine, model, said, denied: result.permission_denials.length, id, seen };
}

const task = { description: "a task", prompt: "Do it." };
const agent = (more: Record<string, string>) => ({ tool: "Agent", input: { ...task, ...more } });
const skill = (name: string) => ({ tool: "Skill", input: { skill: name } });

describe("a deny rule", () => {
  test.each([
    ["an agent type", agent({ subagent_type: "Specialist" }), "Agent(Specialist)"],
    ["an agent type in another case", agent({ subagent_type: " specialist" }), "Agent(Specialist)"],
    ["the default agent type", agent({}), "Agent(general-purpose)"],
    ["a skill", skill("deploy"), "Skill(deploy)"],
    ["a skill with a slash and in another case", skill("/Deploy"), "Skill(deploy)"],
  ])("for %s takes effect", async (_, calling, rule) => {
    expect((await tell(calling, {})).denied).toBe(0);
    const { said, denied } = await tell(calling, { disallowedTools: [rule] });
    expect(denied).toBe(1);
    expect(said).not.toMatch(/DEPLOY-TEXT|AGENT-ANSWER/u);
  });
});

test("a resumed agent keeps its type, also in another process, and is judged by it", async () => {
  const ground = laid();
  const first = await tell(agent({ subagent_type: "specialist" }), {}, ground);
  expect(first.seen).toMatchObject([{ subagent_type: "Specialist" }]);
  const resume = first.engine.getSessionId();
  await first.engine.dispose();
  const again = await tell(agent({ resume: first.id }), { resume }, ground);
  expect(again.seen).toMatchObject([{ subagent_type: "Specialist" }]);
  const below = calls(again.model).find(({ body }) => JSON.stringify(body?.system).includes("SPECIALIST"));
  expect(below?.body?.tools?.map(({ name }) => name)).toEqual(["Read"]);
  await again.engine.dispose();
  const forbidden = await tell(agent({ resume: first.id }), { resume, disallowedTools: ["Agent(Specialist)"] }, ground);
  expect(forbidden.denied).toBe(1);
});
