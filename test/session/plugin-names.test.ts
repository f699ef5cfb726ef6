// Names by which files of a plugin call its own skills and agents.
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import { createDoctorReport } from "../../src/session/desk/doctor.ts";
import { put } from "../support/put.ts";
import { calls, clearGroundsAfterwards, disposeAll, layGround, openSession, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

// Seen: an agent of a plugin that names its helpers as the plugin does was offered none of them.
test("a bare name in Agent(…) of a plugin's agent means the plugin's own agent if no other has that name", async () => {
  const ground = layGround();
  const folder = join(ground.home, "p");
  put(join(folder, ".claude-plugin/plugin.json"), { name: "p" });
  const agent = (name: string, more = "") => `---\nname: ${name}\ndescription: d\n${more}---\nYou are ${name}.`;
  put(join(folder, "agents/lead.md"), agent("lead", "tools: Read, Agent(worker, look)\n"));
  for (const name of ["worker", "look", "other"]) put(join(folder, `agents/${name}.md`), agent(name));
  put(join(ground.pawlHome, "agents/look.md"), agent("look"));
  const call = { content: [{ tool: "Agent", input: { subagent_type: "p:lead", description: "d", prompt: "Go." } }] };
  const options: EngineOptions = { pluginDirs: [folder] };
  const kinds = async (steps: object[], more: EngineOptions = {}) => {
    const { engine, model } = await openSession(
      { steps: steps as never, fallback: "Done." },
      { ...options, ...more },
      ground,
    );
    await turn(engine, "Go.");
    const led = calls(model).find(({ body }) => JSON.stringify(body?.system).includes("You are lead."));
    const tools = led?.body?.tools as { name: string; description: string }[];
    return tools.find(({ name }) => name === "Agent")?.description.match(/^- [\w:]+/gmu);
  };
  expect(await kinds([call])).toEqual(["- look:", "- p:worker:"]);
  expect(await kinds([], { agent: "p:lead" })).toEqual(["- look:", "- p:worker:"]);
});

// Seen: agents of most published plugins began without the skills of their plugin, which they name as it does.
test("a bare name in a plugin's files means the plugin's own item if nothing else has that name", async () => {
  const ground = layGround();
  const folder = join(ground.home, "p");
  put(join(folder, ".claude-plugin/plugin.json"), { name: "p" });
  const text = (more: string, body: string) => `---\ndescription: d\n${more}---\n${body}`;
  put(join(folder, "skills/lint/SKILL.md"), text("", "LINT IT SO."));
  put(join(folder, "skills/look/SKILL.md"), text("", "LOOK OF THE PLUGIN."));
  put(join(folder, "skills/check/SKILL.md"), text("context: fork\nagent: checker\n", "CHECK IT."));
  put(join(folder, "agents/checker.md"), text("name: checker\nskills: lint, look, gone\n", "You are the CHECKER."));
  put(join(ground.pawlHome, "skills/look/SKILL.md"), text("", "LOOK OF MINE."));
  const notices: string[] = [];
  const steps = [{ content: [{ tool: "Skill", input: { skill: "p:check" } }] }];
  const options: EngineOptions = { pluginDirs: [folder], onNotice: (said) => void notices.push(said) };
  const { engine, model } = await openSession({ steps, fallback: "Done." }, options, ground);
  await turn(engine, "Go.");
  const below = calls(model).find(({ body }) => JSON.stringify(body?.system).includes("CHECKER"));
  const told = JSON.stringify(below?.body?.messages);
  expect(["CHECK IT.", "LINT IT SO.", "LOOK OF MINE.", "PLUGIN"].map((said) => told.includes(said))).toEqual([
    true,
    true,
    true,
    false,
  ]);
  expect(notices).toEqual([expect.stringContaining("starts without the skill gone: there is no such skill")]);
  const { agents } = await createDoctorReport({ cwd: ground.work, home: ground.home, env: {}, pluginDirs: [folder] });
  expect(JSON.stringify(agents)).toContain('there is no skill gone"');
});
