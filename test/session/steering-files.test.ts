// Files that steer a session wherever they lie: what its flags name, and what its hooks and helpers start.
import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { put } from "../support/put.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const hooked = (command: string) => ({ hooks: { PostToolUse: [{ hooks: [{ type: "command", command }] }] } });

test("acceptEdits changes neither the scripts of hooks and helpers nor the files of flags unasked", async () => {
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
