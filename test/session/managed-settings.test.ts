// What an embedding program lays down: it forbids whatever people's own files say, permits nothing, and yields to an administrator.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { readHostPolicy } from "../../src/settings/host-policy.ts";
import { keyRules } from "../../src/settings/keys.ts";
import { loadSettings } from "../../src/settings/load.ts";
import { sandboxKeys } from "../../src/settings/sandbox-keys.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const touch = { content: [{ tool: "Bash", input: { command: "touch made" } }] };

test("a managed deny rule holds in every mode, whatever the user's file and the flags allow", async () => {
  const ground = layGround();
  mkdirSync(ground.pawlHome);
  writeFileSync(join(ground.pawlHome, "settings.json"), JSON.stringify({ permissions: { allow: ["Bash"] } }));
  const managedSettings = { permissions: { deny: ["Bash(touch *)"], disableBypassPermissionsMode: "disable" } };
  const engine = await openOn(ground, scripted({ steps: [touch, "Done."] }), {
    managedSettings,
    allowedTools: ["Bash"],
  });
  const { result } = await turn(engine, "Go.");
  expect([existsSync(join(ground.work, "made")), result.permission_denials.length]).toEqual([false, 1]);
  expect(() => engine.setPermissionMode("bypassPermissions")).toThrow(/managedSettings rules it out/u);
});

test("managed settings that would permit something are left out and reported", async () => {
  const ground = layGround();
  const notices: string[] = [];
  const managedSettings = {
    permissions: { allow: ["Bash"], deny: ["Read(./secret)"] },
    env: { A: "b" },
    apiKeyHelper: "x",
  };
  const given = { managedSettings, onNotice: (text: string) => notices.push(text) };
  const engine = await openOn(ground, scripted({ steps: [touch, "Done."] }), given);
  await turn(engine, "Go.");
  expect(existsSync(join(ground.work, "made"))).toBe(false);
  expect(notices.join("\n")).toContain("so this was left out: permissions.allow, env, apiKeyHelper.");
});

test("a managed value of the wrong type, or managed settings that are no object, prevent the start", async () => {
  const open = (managedSettings: object) => openOn(layGround(), scripted({}), { managedSettings });
  await expect(open({ permissions: { deny: "Bash" } })).rejects.toThrow(/managedSettings.*permissions\.deny/u);
  await expect(open([] as object)).rejects.toThrow(/managedSettings must be an object/u);
});

test.each([
  [{ disableAllHooks: true }, { allowManagedHooksOnly: true }, []],
  [{ disableAllHooks: "yes" }, { allowManagedHooksOnly: true }, []],
  [{ disableAllHooks: "false" }, {}, []],
  [{ allowedHttpHookUrls: [] }, { allowedHttpHookUrls: [] }, []],
  [{ allowedHttpHookUrls: ["http://x"] }, {}, ["allowedHttpHookUrls"]],
  [{ allowManagedHooksOnly: false }, {}, ["allowManagedHooksOnly"]],
  [
    { sandbox: { enabled: true, excludedCommands: ["git"] } },
    { sandbox: { enabled: true } },
    ["sandbox.excludedCommands"],
  ],
  [{ sandbox: { enabled: false } }, { sandbox: {} }, ["sandbox.enabled"]],
  [
    { sandbox: { network: { deniedDomains: ["a"], allowedDomains: ["b"] } } },
    { sandbox: { network: { deniedDomains: ["a"] } } },
    ["sandbox.network.allowedDomains"],
  ],
  [{ model: "opus", permissions: "x" }, {}, ["model", "permissions"]],
])("keeps of %j only %j", (given, settings, dropped) => {
  const laid = readHostPolicy(given as never);
  expect([JSON.parse(JSON.stringify(laid.settings)), laid.dropped]).toEqual([settings, dropped]);
});

test("keeps every setting that only restricts", () => {
  const forbids = {
    permissions: { blockReadsOutsideWorkingDirectories: true, blockWritesOutsideWorkingDirectories: true },
    maxEffortLevel: "low",
    disableSkillShellExecution: true,
    sandbox: {
      autoAllowBashIfSandboxed: false,
      network: { strictAllowlist: true },
      filesystem: { allowManagedReadPathsOnly: true },
      credentials: { files: [{ path: "/secret" }], envVars: [{ name: "TOKEN" }] },
    },
  };
  const { settings, dropped } = readHostPolicy(forbids as never);
  expect([JSON.parse(JSON.stringify(settings)), dropped]).toEqual([forbids, []]);
  const keys = [...Object.keys(keyRules), ...Object.keys(sandboxKeys).map((key) => `sandbox.${key}`)];
  const guarding = keys.filter(
    (key) => keyRules[key as keyof typeof keyRules]?.guards ?? sandboxKeys[key.replace("sandbox.", "")]?.tightens,
  );
  const values = [true, false, [], ["a"], "low"];
  const taken = (key: string): boolean =>
    values.some((value) => readHostPolicy(nested(key.split("."), value) as never).dropped.length === 0);
  expect(guarding.filter((key) => !taken(key))).toEqual([]);
});

function nested([first = "", ...rest]: readonly string[], value: unknown): object {
  return { [first]: rest.length === 0 ? value : nested(rest, value) };
}

test("leaves the host's managed settings out when an administrator has settings", () => {
  const ground = layGround();
  const folder = join(ground.home, "etc");
  mkdirSync(folder);
  writeFileSync(join(folder, "managed-settings.json"), "{}");
  const common = { env: {}, home: ground.home, cwd: ground.work, policyFolders: [folder] };
  const managed = { permissions: { deny: ["Bash"] } } as never;
  const { settings, problems } = loadSettings({ ...common, managed });
  expect(settings.permissions.deny).toEqual([]);
  expect(problems.map(({ text }) => text).join("\n")).toContain("managedSettings was left out: an administrator's");
});
