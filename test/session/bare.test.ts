// A bare session takes nothing from around it but what settings permit and forbid; and a sandbox that an option asks for.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import { normalizeOptions } from "../../src/session/options/normalize-options.ts";
import { put } from "../support/put.ts";
import { calls, clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

test.each<[string, EngineOptions]>([
  ["if the option is set", { bare: true }],
  ["by the environment", { env: { CLAUDE_CODE_SIMPLE: "1" } }],
])("a bare session uses no settings, memory or hooks found around it: %s", async (_, options) => {
  const ground = layGround();
  const canary = join(ground.home, "canary");
  put(join(ground.pawlHome, "settings.json"), {
    hooks: { SessionStart: [{ hooks: [{ type: "command", command: `touch ${canary}` }] }] },
    permissions: { allow: ["Bash(touch made)"], deny: ["Bash(touch never)"] },
    mcpServers: { mine: { command: "touch", args: [canary] } },
  });
  put(join(ground.work, "CLAUDE.md"), "MARK-OF-MEMORY");
  put(join(ground.home, ".claude/skills/s/SKILL.md"), "---\nname: s\ndescription: MARK-OF-SKILL\n---\n");
  put(join(ground.home, ".agents/skills/t/SKILL.md"), "---\nname: t\ndescription: MARK-OF-SKILL\n---\n");
  put(join(ground.home, ".claude/agents/a.md"), "---\nname: a\ndescription: MARK-OF-AGENT\n---\nDo it.");
  const bash = (command: string) => ({ tool: "Bash", input: { command } });
  const model = scripted({ steps: [{ content: [bash("touch made"), bash("touch never")] }], fallback: "Done." });
  const engine = await openOn(ground, model, options);
  await turn(engine, "go");
  const [first] = calls(model);
  expect(JSON.stringify(first?.body)).not.toMatch(/MARK-OF/u);
  expect(first?.body?.tools?.map(({ name }) => name)).toEqual(["Bash", "Edit", "Read"]);
  expect(["made", "never"].map((name) => existsSync(join(ground.work, name)))).toEqual([true, false]);
  await engine.dispose();
  expect(existsSync(canary)).toBe(false);
});

test("the sandbox option overrides the settings' sandbox and is mandatory by default", () => {
  const settings = JSON.stringify({ model: "opus", sandbox: { enabled: false, excludedCommands: ["docker *"] } });
  expect(JSON.parse(normalizeOptions({ settings, sandbox: { enabled: true } }).settings ?? "")).toEqual({
    model: "opus",
    sandbox: { enabled: true, excludedCommands: ["docker *"], failIfUnavailable: true },
  });
  const lenient = normalizeOptions({ sandbox: { enabled: true, failIfUnavailable: false } });
  expect(JSON.parse(lenient.settings ?? "")).toEqual({ sandbox: { enabled: true, failIfUnavailable: false } });
  expect(lenient).not.toHaveProperty("sandbox");
  expect(() => normalizeOptions({ settings: "/some/file.json", sandbox: {} })).toThrow("put sandbox into that file");
});

test("a session with a required sandbox does not start if the sandbox is unavailable", async () => {
  const sandbox = { enabled: true, provider: "bubblewrap", bwrapPath: "/nowhere/bwrap" };
  await expect(openOn(layGround(), scripted({}), { sandbox })).rejects.toThrow(
    /failIfUnavailable.*bwrap was not found/u,
  );
});

test("an environment variable keeps sessions from being saved", async () => {
  const ground = layGround();
  const env = { CLAUDE_CODE_SKIP_PROMPT_HISTORY: "1" };
  const engine = await openOn(ground, scripted({ steps: ["Yes.", "No."] }), { env });
  expect((await turn(engine, "Keep this to yourself.")).result).toMatchObject({ subtype: "success", result: "Yes." });
  expect(engine.getTranscriptPath()).toBeUndefined();
  await engine.dispose();
  expect(existsSync(join(ground.pawlHome, "projects"))).toBe(false);
});
