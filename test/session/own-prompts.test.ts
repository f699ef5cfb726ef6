// Commands that are a prompt of pawl's own.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  lastUserTexts,
  layGround,
  openOn,
  scripted,
  turn,
} from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

test("/init asks the model for AGENTS.md, passes on the typed arguments, and is listed", async () => {
  const ground = layGround();
  const model = scripted({ steps: ["Written.", "Improved."] });
  const engine = await openOn(ground, model);
  const { messages, result } = await turn(engine, "/init mind the tests");
  expect(result).toMatchObject({ subtype: "success", result: "Written.", num_turns: 1 });
  expect(messages[0]).toMatchObject({ slash_commands: expect.arrayContaining(["init"]) as unknown });
  const told = lastUserTexts(calls(model)[0]!).join("\n");
  expect(told).toContain("/init mind the tests");
  expect(told).toContain("AGENTS.md at its root");
  expect(told).toContain("The user says besides: mind the tests");
  expect(engine.supportedCommands()).toContainEqual(expect.objectContaining({ name: "init", builtin: true }));
  await turn(engine, "/init");
  expect(lastUserTexts(calls(model)[1]!).join("\n")).not.toContain("The user says besides");
});

test("the user's own command of that name takes precedence", async () => {
  const ground = layGround();
  mkdirSync(join(ground.pawlHome, "commands"), { recursive: true });
  writeFileSync(join(ground.pawlHome, "commands", "init.md"), "Do it my way.");
  const model = scripted({ steps: ["Done."] });
  const engine = await openOn(ground, model, { settingSources: ["user"] });
  await turn(engine, "/init");
  const told = lastUserTexts(calls(model)[0]!).join("\n");
  expect(told).toContain("Do it my way.");
  expect(told).not.toContain("AGENTS.md");
  expect(engine.supportedCommands().filter(({ name }) => name === "init")).toHaveLength(1);
});

test("/init is an ordinary prompt when prompts are verbatim", async () => {
  const model = scripted({ steps: ["Fine."] });
  const engine = await openOn(layGround(), model, { verbatimPrompts: true });
  await turn(engine, "/init");
  expect(lastUserTexts(calls(model)[0]!).join("\n")).not.toContain("AGENTS.md");
});
