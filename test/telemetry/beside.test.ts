// What a session has around its turns, as collectors are told of it.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createSdkMcpServer } from "../../src/index.ts";
import {
  clearGroundsAfterwards,
  disposeAll,
  layGround,
  openOn,
  scripted,
  turn,
  type Ground,
} from "../session/support.ts";
import { closeCollectors, startCollector, type Collector } from "./collector.ts";

clearGroundsAfterwards();
afterEach(disposeAll);
afterEach(closeCollectors);

function groundWithSkill(): Ground {
  const ground = layGround();
  const folder = join(ground.pawlHome, "skills", "greet");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "SKILL.md"), "---\nname: greet\ndescription: d\n---\nGreet.");
  ground.file("named.txt", "text");
  return ground;
}

async function run(env: Record<string, string>): Promise<Collector> {
  const collector = await startCollector();
  const engine = await openOn(groundWithSkill(), scripted({ fallback: "Said." }), {
    env: { ...collector.env, ...env },
    mcpServers: {
      here: createSdkMcpServer({ name: "here", tools: [] }),
      gone: { type: "stdio", command: "/nonexistent/server" },
    },
    hooks: { UserPromptSubmit: [{ callback: async () => undefined }] },
  });
  await turn(engine, "Look at @named.txt and @absent.txt");
  await turn(engine, "/greet");
  await engine.dispose();
  return collector;
}

test("servers, hooks, skills and named files, without their names", async () => {
  const { events } = await run({});
  const connections = events("mcp_server_connection").map(({ attributes }) => attributes);
  expect(new Set(connections.map(({ status }) => status))).toEqual(new Set(["connected", "failed"]));
  expect(connections).toHaveLength(2);
  for (const each of connections) expect(each).not.toHaveProperty("server_name");
  expect(events("hook_registered")[0]?.attributes["hook_event"]).toBe("UserPromptSubmit");
  expect(events("skill_activated").map(({ attributes }) => attributes["skill.name"])).toEqual(["custom"]);
  expect(events("at_mention").map(({ attributes: { success } }) => success)).toEqual([true, false]);
});

test("and with their names, where those are asked for", async () => {
  const { events } = await run({ OTEL_LOG_TOOL_DETAILS: "1" });
  const names = events("mcp_server_connection").map(({ attributes }) => attributes["server_name"]);
  expect(new Set(names)).toEqual(new Set(["gone", "here"]));
  expect(events("skill_activated")[0]?.attributes["skill.name"]).toBe("greet");
  expect(events("user_prompt").at(-1)?.attributes["command_name"]).toBe("greet");
});
