// What a host chooses of names, skills and thinking.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { tool, type EngineOptions } from "../../src/index.ts";
import type { Reply } from "../../src/testing/index.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  layGround,
  openOn,
  openSession,
  scripted,
  turn,
} from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const call = (name: string, input = {}): Reply => ({ content: [{ tool: name, input }] });

test("a tool alias runs the other tool under that tool's rules, and an alias of a missing tool runs nothing", async () => {
  const ran: string[] = [];
  const made = (name: string) =>
    tool(name, "Runs.", { type: "object" }, async () => {
      ran.push(name);
      return `${name} ran`;
    });
  const { engine } = await openSession(
    { steps: [call("Bash", { command: "touch no" }), call("one"), call("two"), "x"] },
    {
      customTools: [made("one"), made("two"), made("boxed")],
      allowedTools: ["Bash", "boxed", "one", "two"],
      disallowedTools: ["denied"],
      // One step: what `one` stands for is not asked what it stands for itself.
      toolAliases: { Bash: "boxed", one: "two", two: "gone" },
    },
  );
  const { messages, result } = await turn(engine, "Go.");
  expect(ran).toEqual(["boxed", "two"]);
  expect(result).toMatchObject({ subtype: "success", permission_denials: [] });
  expect(JSON.stringify(messages)).toMatch(/two.{0,200}is_error/u);
});

test.each([
  [{ toolAliases: { Bash: 7 } }, "toolAliases"],
  [{ skills: "some" }, "skills"],
  [{ thinking: { type: "auto", display: "loud" } }, "display"],
])("the invalid option %j is refused by its name", async (options, name) => {
  await expect(openSession({}, options as EngineOptions)).rejects.toThrow(name);
});

test("the model is offered the chosen skills only, and a person may still type the others", async () => {
  const ground = layGround();
  for (const name of ["one", "two"]) {
    const folder = join(ground.home, ".pawl/skills", name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "SKILL.md"), `---\nname: ${name}\ndescription: does ${name}\n---\nText of ${name}.\n`);
  }
  const model = scripted({ steps: ["1", "2"] });
  const engine = await openOn(ground, model, { skills: ["two"] });
  await turn(engine, "Go.");
  await turn(engine, "/one");
  const [first, second] = calls(model).map(({ body }) => JSON.stringify(body?.messages));
  expect([first?.includes("does one"), first?.includes("does two")]).toEqual([false, true]);
  expect(second).toContain("Text of one.");
});

test("the text of agents is shown only with forwardSubagentText", async () => {
  const steps = [call("Agent", { description: "d", prompt: "Work." }), "The agent says so.", "Done."];
  const shown = await Promise.all(
    [true, false].map(async (forwardSubagentText) => {
      const { engine } = await openSession({ steps }, { forwardSubagentText });
      const { messages } = await turn(engine, "Go.");
      return messages.some(
        (message) =>
          message.type === "assistant" &&
          message.parent_tool_use_id !== null &&
          JSON.stringify(message).includes("says so"),
      );
    }),
  );
  expect(shown).toEqual([true, false]);
});

test("the thinking display can be changed during a session, and the betas are sent", async () => {
  const { engine, model } = await openSession(
    { fallback: "x" },
    { thinking: { type: "adaptive", display: "omitted" }, betas: ["one-2026"], env: { ANTHROPIC_BETAS: "two-2026" } },
  );
  await turn(engine, "1");
  engine.desk.setMaxThinkingTokens(null, "summarized");
  await turn(engine, "2");
  engine.desk.setMaxThinkingTokens(null, null);
  await turn(engine, "3");
  const display = calls(model).map(({ body }) => (body as { thinking?: { display?: string } }).thinking?.display);
  expect(display).toEqual(["omitted", "summarized", "omitted"]);
  expect(calls(model)[0]?.headers["anthropic-beta"]).toMatch(/two-2026,one-2026/u);
});

test("the host's thinking choice also applies after /clear and in a fork", async () => {
  const { engine, model } = await openSession(
    { fallback: "x" },
    { thinking: { type: "adaptive", display: "omitted" } },
  );
  await turn(engine, "1");
  engine.desk.setMaxThinkingTokens(null, "summarized");
  await turn(engine, "2");
  await engine.branch();
  await turn(engine, "3");
  await engine.clear();
  await turn(engine, "4");
  engine.desk.setMaxThinkingTokens(null, null);
  await turn(engine, "5");
  const display = calls(model).map(({ body }) => (body as { thinking?: { display?: string } }).thinking?.display);
  expect(display).toEqual(["omitted", "summarized", "summarized", "summarized", "omitted"]);
});
