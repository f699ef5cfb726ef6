// Hooks before the shell lines of skills and commands: what they refuse is not run, whatever rules allow.
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { put } from "../support/put.ts";
import { calls, clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const permission = (fields: object) => ({
  hookSpecificOutput: { hookEventName: "PreSkillShellCommand", ...fields },
});

async function opened(answer: Record<string, unknown>) {
  const on = layGround();
  mkdirSync(join(on.work, ".git"));
  const text = "---\ndescription: Makes it\nallowed-tools: Bash(touch *)\n---\nMade: !`touch $1`";
  put(join(on.pawlHome, "skills", "make", "SKILL.md"), text);
  const asked: unknown[] = [];
  const callback = async (input: object): Promise<Record<string, unknown>> => {
    asked.push(input);
    return answer;
  };
  const begins = { content: [{ tool: "Skill", input: { skill: "make", args: "two" } }] };
  const model = scripted({ steps: ["Done.", begins], fallback: "Done." });
  const engine = await openOn(on, model, { hooks: { PreSkillShellCommand: [{ matcher: "Bash", callback }] } });
  const isMade = (name: string): boolean => existsSync(join(on.work, name));
  return { engine, model, asked, isMade };
}

test("PreSkillShellCommand hooks get the final command, its skill and who started it, and can let it run", async () => {
  const { engine, asked, isMade } = await opened(permission({ permissionDecision: "allow" }));
  await turn(engine, "/make one");
  await turn(engine, "Make the other.");
  const common = { tool_name: "Bash", tool_use_id: expect.any(String), command_name: "make", command_source: "user" };
  expect(asked).toMatchObject([
    { ...common, tool_input: { command: "touch one" }, invoked_by: "user" },
    { ...common, tool_input: { command: "touch two" }, invoked_by: "claude" },
  ]);
  expect([isMade("one"), isMade("two")]).toEqual([true, true]);
});

test.each([
  [permission({ permissionDecision: "deny", permissionDecisionReason: "no shell" }), "no shell"],
  [permission({ permissionDecision: "ask" }), "a PreSkillShellCommand hook refused it"],
  [permission({ permissionDecision: "defer" }), "a PreSkillShellCommand hook refused it"],
  [permission({ permissionDecision: "allow", updatedInput: { command: "true" } }), "a hook would change it"],
  [permission({ updatedInput: "true" }), "an updatedInput that is not an object"],
  [{ ...permission({ permissionDecision: "allow" }), updatedInput: { command: "true" } }, "changes nothing"],
  [{ decision: "block", reason: "blocked" }, "blocked"],
  [{ continue: false, stopReason: "enough" }, "enough"],
])("PreSkillShellCommand hooks that answer %j prevent the command, whoever started the skill", async (answer, why) => {
  const { engine, model, isMade } = await opened(answer);
  const { result } = await turn(engine, "/make one");
  expect(JSON.stringify(result)).toContain(why);
  await turn(engine, "Hello.");
  await turn(engine, "Make the other.");
  expect(JSON.stringify(calls(model).at(-1)?.body?.messages)).toContain(why);
  expect([isMade("one"), isMade("two")]).toEqual([false, false]);
});
