// Files that steer a session wherever they lie: what its flags name, and what its hooks and helpers start.
import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { put } from "../support/put.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const hooked = (command: string) => ({ hooks: { PostToolUse: [{ hooks: [{ type: "command", command }] }] } });

test("acceptEdits asks before changing scripts of hooks and helpers and files of flags", async () => {
  const ground = layGround();
  const lay = (name: string, content: unknown): string => put(join(ground.work, name), content);
  const guards = ["tools/hook.sh", "tools/status.sh", "plug/run.sh", "tools/late.sh"];
  for (const name of guards) chmodSync(lay(name, "#!/bin/sh\n"), 0o755);
  const settings = lay("flag.json", {});
  const servers = lay("servers.json", { mcpServers: {} });
  const plain = lay("tools/plain.sh", "#!/bin/sh\n");
  put(join(ground.pawlHome, "settings.json"), {
    ...hooked("$CLAUDE_PROJECT_DIR/tools/hook.sh"),
    statusLine: { type: "command", command: join(ground.work, "tools/status.sh") },
  });
  lay("plug/.claude-plugin/plugin.json", { name: "plug" });
  lay("plug/hooks/hooks.json", hooked("${CLAUDE_PLUGIN_ROOT}/run.sh"));
  const paths = [...guards.map((name) => join(ground.work, name)), settings, servers, plain];
  const step = (tool: string, input: object) => ({
    content: paths.map((path) => ({ tool, input: { file_path: path, ...input } })),
  });
  const model = scripted({
    steps: [step("Read", {}), "Read.", step("Write", { content: "{}" }), "Written."],
  });
  const engine = await openOn(ground, model, {
    permissionMode: "acceptEdits",
    settings: "flag.json",
    pluginDirs: [join(ground.work, "plug")],
    mcpConfig: ["servers.json"],
  });
  await turn(engine, "read");
  // What settings say now counts, too.
  put(settings, hooked("tools/late.sh"));
  const { result } = await turn(engine, "write");
  expect(result.permission_denials.map(({ tool_input }) => tool_input["file_path"])).toEqual(paths.slice(0, -1));
  expect(readFileSync(plain, "utf8")).toBe("{}");
});

const asking = async (allowedTools: string[] = []): Promise<[string[], string[]]> => {
  const ground = layGround();
  const at = (name: string): string => join(ground.work, name);
  put(at("plug/.claude-plugin/plugin.json"), { name: "plug", hooks: "./more.json" });
  put(at("plug/more.json"), { hooks: {} });
  put(at("market/.claude-plugin/marketplace.json"), {
    name: "m",
    owner: { name: "A" },
    plugins: [{ name: "other", source: "./other" }],
  });
  put(at("market/other/.claude-plugin/plugin.json"), { name: "other", agents: ["./kinds"] });
  put(join(ground.pawlHome, "settings.json"), {
    extraKnownMarketplaces: { m: { source: { source: "directory", path: at("market") } } },
    enabledPlugins: { "other@m": true },
  });
  const starting = [
    "plug/hooks/hooks.json",
    "plug/more.json",
    "plug/.claude-plugin/plugin.json",
    "market/.claude-plugin/marketplace.json",
    "market/other/hooks/hooks.json",
  ];
  const telling = ["plug/skills/x/SKILL.md", "plug/commands/y.md", "market/other/kinds/z.md"];
  const free = ["plug/README.md", "plug/skills/x/data.txt", "market/elsewhere/hooks/hooks.json"];
  const paths = [...starting, ...telling, ...free].map(at);
  const step = (tool: string, input: object) => ({
    content: paths.map((path) => ({ tool, input: { file_path: path, ...input } })),
  });
  const model = scripted({ steps: [step("Read", {}), step("Write", { content: "{}" }), "Written."] });
  const engine = await openOn(ground, model, {
    permissionMode: "acceptEdits",
    pluginDirs: [at("plug")],
    allowedTools,
  });
  const { result } = await turn(engine, "write");
  const refused = result.permission_denials.map(({ tool_input }) => String(tool_input["file_path"]));
  expect(refused.filter((path) => free.map(at).includes(path))).toEqual([]);
  return [refused.filter((path) => starting.map(at).includes(path)), refused];
};

test("acceptEdits asks before changing files by which a plugin starts programs or instructs the model", async () => {
  const [starting, refused] = await asking();
  expect(starting).toHaveLength(5);
  expect(refused).toHaveLength(8);
});

test("an allow rule covers a plugin's instructions for the model, but no file that starts programs", async () => {
  const [starting, refused] = await asking(["Edit(**)"]);
  expect(starting).toHaveLength(5);
  expect(refused).toHaveLength(5);
});

test("acceptEdits asks before changing what the shell of commands reads or is started by", async () => {
  const ground = layGround();
  const lay = (name: string): string => put(join(ground.work, name), "#!/bin/sh\n");
  const [read, front, plain] = [lay("env.sh"), lay("front.sh"), lay("plain.sh")];
  chmodSync(front, 0o755);
  const paths = [read, front, plain];
  const step = (tool: string, input: object) => ({
    content: paths.map((path) => ({ tool, input: { file_path: path, ...input } })),
  });
  const model = scripted({ steps: [step("Read", {}), step("Write", { content: "x" }), "Written."] });
  const engine = await openOn(ground, model, {
    permissionMode: "acceptEdits",
    env: { CLAUDE_ENV_FILE: read, CLAUDE_CODE_SHELL_PREFIX: front },
  });
  const { result } = await turn(engine, "write");
  expect(result.permission_denials.map(({ tool_input }) => tool_input["file_path"])).toEqual([read, front]);
});
