import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import {
  askingTools,
  exampleServer,
  exampleSkill,
  everySetting,
  everyTool,
  maxPrefixTokens,
  serverTools,
} from "../../bench/everything.ts";
import { promptTokens } from "../../bench/tokens.ts";
import { createCwd } from "../../src/tools/cwd.ts";
import { createTools } from "../../src/tools/registry.ts";
import { taskToolNames } from "../../src/session/tools/session-tool-names.ts";
import { calling, offered, serverOf } from "../mcp/support.ts";
import { calls, clearGroundsAfterwards, disposeAll, layGround, openSession, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

test("the system prompt and all tools together stay within their token limit", async () => {
  const ground = layGround();
  mkdirSync(dirname(join(ground.home, exampleSkill.path)), { recursive: true });
  writeFileSync(join(ground.home, exampleSkill.path), exampleSkill.text);
  const { engine, model } = await openSession(
    calling(),
    {
      tools: [...everyTool, ...askingTools],
      settings: JSON.stringify(everySetting),
      mcpServers: { notes: serverOf(exampleServer.behaviour) },
      ask: async () => ({ behavior: "deny", message: "no" }),
    },
    ground,
  );
  await turn(engine, "go");
  expect(offered(model).map(({ name }) => name)).toEqual([
    ...[...everyTool, ...askingTools].toSorted(),
    ...serverTools,
  ]);
  const [first] = calls(model);
  const { system, tools } = promptTokens(first!.body!);
  expect(system + tools).toBeLessThanOrEqual(maxPrefixTokens);
});

// With more, 100 turns cost more than 1.15 times what a bare agent's do (`npm run bench -- --only money`).
test("the default prompt and tools stay within the size that 100 turns can pay for", async () => {
  const { engine, model } = await openSession(calling());
  await turn(engine, "go");
  const { system, tools } = promptTokens(calls(model)[0]!.body!);
  expect(system + tools).toBeLessThanOrEqual(1_885);
});

test("the measured tools are all built-in tools except the todo list that gives way to the task list", () => {
  const builtIn = createTools({ cwd: createCwd("/"), environment: {} } as never).map(({ name }) => name);
  expect([...builtIn, ...taskToolNames, "Agent", "Skill", "SendMessage"].toSorted()).toEqual(
    [...everyTool, "AskUserQuestion", "TodoWrite"].toSorted(),
  );
});
