// Telemetry about a session outside its turns.
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
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

/** A plugin of that name, in a folder of its own. */
function plugin(ground: Ground, name: string): string {
  const folder = join(ground.home, name);
  mkdirSync(join(folder, ".claude-plugin"), { recursive: true });
  writeFileSync(join(folder, ".claude-plugin", "plugin.json"), JSON.stringify({ name, version: "1.2.3" }));
  return folder;
}

async function run(env: Record<string, string>): Promise<Collector> {
  const collector = await startCollector();
  const ground = groundWithSkill();
  const engine = await openOn(ground, scripted({ fallback: "Said." }), {
    env: { ...collector.env, ...env },
    pluginDirs: [plugin(ground, "mine")],
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

test("reports servers, hooks, skills and mentioned files without their names", async () => {
  const { events } = await run({});
  const connections = events("mcp_server_connection").map(({ attributes }) => attributes);
  expect(new Set(connections.map(({ status }) => status))).toEqual(new Set(["connected", "failed"]));
  expect(connections).toHaveLength(2);
  for (const each of connections) expect(each).not.toHaveProperty("server_name");
  expect(events("hook_registered")[0]?.attributes["hook_event"]).toBe("UserPromptSubmit");
  expect(events("skill_activated").map(({ attributes }) => attributes["skill.name"])).toEqual(["custom"]);
  expect(events("plugin_loaded")).toHaveLength(1);
  expect(events("plugin_loaded")[0]?.attributes).not.toHaveProperty("plugin.name");
  expect(events("at_mention").map(({ attributes: { success } }) => success)).toEqual([true, false]);
});

test("reports their names with OTEL_LOG_TOOL_DETAILS", async () => {
  const { events } = await run({ OTEL_LOG_TOOL_DETAILS: "1" });
  const names = events("mcp_server_connection").map(({ attributes }) => attributes["server_name"]);
  expect(new Set(names)).toEqual(new Set(["gone", "here"]));
  expect(events("skill_activated")[0]?.attributes["skill.name"]).toBe("greet");
  expect(events("plugin_loaded")[0]?.attributes).toMatchObject({ "plugin.name": "mine", "plugin.version": "1.2.3" });
  expect(events("user_prompt").at(-1)?.attributes["command_name"]).toBe("greet");
});

test("reports how many old sessions were removed", async () => {
  const ground = layGround();
  const folder = join(ground.pawlHome, "projects", "-somewhere");
  mkdirSync(folder, { recursive: true });
  const old = join(folder, "00000000-0000-4000-8000-000000000001.jsonl");
  writeFileSync(old, "{}\n");
  utimesSync(old, 1_700_000_000, 1_700_000_000);
  const { env, events } = await startCollector();
  const swept = Promise.withResolvers<void>();
  const debug = (line: string): void => void (line.startsWith("sweep removed") && swept.resolve());
  const engine = await openOn(ground, scripted({ fallback: "." }), { env, debug });
  await turn(engine, "Hi.");
  await swept.promise;
  await engine.dispose();
  expect(events("retention_sweep")).toMatchObject([{ attributes: { sessions_removed: 1, problems: 0 } }]);
});
