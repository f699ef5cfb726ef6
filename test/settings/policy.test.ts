// What an administrator keeps to themselves, and locks that no file takes back.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { loadSettings, type LoadedSettings } from "../../src/settings/load.ts";
import type { JsonObject } from "../../src/lib/json.ts";
import { unenforcedGuards } from "../../src/settings/guards.ts";
import { activeHooks } from "../../src/settings/policy.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let root = "";
beforeEach(() => {
  root = temporaryFolder();
  for (const name of ["home", "repo"]) mkdirSync(join(root, name));
});

function put(file: string, content: unknown): string {
  const path = join(root, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(content));
  return path;
}

const load = (flag?: string, isTrusted = true): LoadedSettings =>
  loadSettings({
    env: {},
    home: join(root, "home"),
    cwd: join(root, "repo"),
    policyFolders: [join(root, "etc")],
    trusts: () => isTrusted,
    flag,
  });
const hook = (command: string) => ({ Stop: [{ hooks: [{ type: "command", command }] }] });
const everywhere = ["home/.pawl/settings.json", "repo/.claude/settings.json", "repo/.pawl/settings.local.json"];
const notices = ({ problems }: LoadedSettings): string[] =>
  problems.filter(({ level }) => level === "notice").map(({ text }) => text);

test("allowManagedHooksOnly keeps only an administrator's hooks, and the others are reported", () => {
  for (const file of everywhere) put(file, { hooks: hook(file) });
  const policy = put("etc/managed-settings.json", { allowManagedHooksOnly: true, hooks: hook("policy") });
  const loaded = load(JSON.stringify({ hooks: hook("flag") }));
  expect(loaded.settings.hooks.map(({ origin, source }) => [origin, source])).toEqual([["policy", policy]]);
  expect(notices(loaded)).toHaveLength(4);
  expect(notices(loaded)[0]).toContain(`"hooks" was left out: ${policy} leaves it to an administrator`);
});

test("allowManagedPermissionRulesOnly drops other files' allow rules and keeps their deny and ask rules", () => {
  for (const file of everywhere) put(file, { permissions: { allow: [file], deny: [`Bash(${file})`], ask: ["Edit"] } });
  put("etc/managed-settings.d/a.json", { allowManagedPermissionRulesOnly: true, permissions: { allow: ["Read"] } });
  const { settings } = load('{"permissions":{"allow":["Bash"]}}');
  expect(settings.permissions.allow.map(({ rule }) => rule)).toEqual(["Read"]);
  expect(settings.permissions.deny).toHaveLength(3);
  expect(settings.permissions.ask).toHaveLength(3);
});

test("disableAllHooks in any file does not disable an administrator's hooks", () => {
  put("etc/managed-settings.json", { hooks: hook("policy") });
  for (const file of everywhere) {
    const path = put(file, { disableAllHooks: true, hooks: hook("own") });
    expect(activeHooks(load().settings).map(({ origin }) => origin)).toEqual(["policy"]);
    rmSync(path);
  }
  put(everywhere[0]!, { disableAllHooks: false, hooks: hook("own") });
  expect(activeHooks(load().settings)).toHaveLength(2);
});

test.each(["statusLine", "fileSuggestion"] as const)(
  "what restricts hooks to an administrator's restricts %s as well",
  (key) => {
    const line = (command: string) => ({ [key]: { type: "command", command } });
    for (const file of everywhere) put(file, line(file));
    expect(load().settings[key]).toMatchObject({ command: everywhere[2] });
    put(everywhere[0]!, { ...line("own"), disableAllHooks: true });
    expect(load(JSON.stringify(line("flag"))).settings[key]).toBeUndefined();
    const policy = put("etc/managed-settings.json", line("policy"));
    expect(load().settings[key]).toMatchObject({ command: "policy" });
    rmSync(policy);
    put(everywhere[0]!, line("own"));
    const managed = put("etc/managed-settings.json", { allowManagedHooksOnly: true });
    const loaded = load();
    expect(loaded.settings[key]).toBeUndefined();
    expect(notices(loaded)[0]).toContain(`"${key}" was left out: ${managed} leaves it to an administrator`);
  },
);

test("the allowManaged keys of other files are ignored and reported", () => {
  for (const file of everywhere)
    put(file, { allowManagedHooksOnly: true, allowManagedPermissionRulesOnly: true, permissions: { allow: ["Read"] } });
  const loaded = load();
  expect(loaded.settings.permissions.allow).toHaveLength(3);
  expect(loaded.settings.allowManagedHooksOnly).toBeUndefined();
  expect(notices(loaded).filter((text) => text.includes("administrator's files only"))).toHaveLength(6);
});

test("a permission lock in any file holds, even an untrusted folder's, and no higher file undoes it", () => {
  const locks = {
    disableBypassPermissionsMode: "disable",
    disableAutoMode: "disable",
    denyInsteadOfPrompting: true,
  };
  for (const file of everywhere) {
    const path = put(file, { permissions: locks });
    put("etc/managed-settings.json", { permissions: { denyInsteadOfPrompting: false } });
    const options = { env: {}, home: join(root, "home"), cwd: join(root, "repo"), policyFolders: [join(root, "etc")] };
    const { permissions } = loadSettings(options).settings;
    expect(permissions).toMatchObject({
      bypassDisabledBy: path,
      autoDisabledBy: path,
      deniesInsteadOfAsking: true,
    });
    put(file, { disableAutoMode: "disable" });
    expect(loadSettings(options).settings.permissions.autoDisabledBy).toBe(path);
    rmSync(path);
  }
});

// As guides have it: for it everything but reading was asked about, and of an administrator's nothing began.
test("a mode lock can also be set with true, and false sets none", () => {
  const file = put("etc/managed-settings.json", { permissions: { disableBypassPermissionsMode: true } });
  put("home/.pawl/settings.json", { permissions: { disableBypassPermissionsMode: false, disableAutoMode: false } });
  const { problems, settings } = load();
  expect(problems).toEqual([]);
  expect(settings.permissions.bypassDisabledBy).toBe(file);
  expect(settings.permissions.autoDisabledBy).toBeUndefined();
});

test("a block of outside access holds from any file, and only an administrator exempts paths from an administrator's", () => {
  const keys = { blockReadsOutsideWorkingDirectories: true, blockWritesOutsideWorkingDirectories: true };
  for (const file of everywhere) {
    const path = put(file, { permissions: { ...keys, blockReadsExemptPaths: ["/opt/docs"] } });
    put("etc/managed-settings.json", { permissions: { blockReadsOutsideWorkingDirectories: false } });
    const isFolders = file.startsWith("repo");
    expect(load(undefined, false).settings.permissions).toMatchObject({
      blockReadsOutsideWorkingDirectories: path,
      blockWritesOutsideWorkingDirectories: path,
      blockReadsExemptPaths: isFolders ? [] : ["/opt/docs"],
    });
    put("etc/managed-settings.json", { permissions: { ...keys, blockReadsExemptPaths: ["/etc/docs"] } });
    expect(load(undefined, false).settings.permissions.blockReadsExemptPaths).toEqual(["/etc/docs"]);
    rmSync(path);
  }
});

test("denied models of all files add up, even an untrusted folder's; an administrator's availableModels replaces others", () => {
  put("home/.pawl/settings.json", { availableModels: ["opus"], deniedModels: ["claude-opus-4"] });
  put("repo/.pawl/settings.json", { availableModels: ["fable"], deniedModels: ["haiku"] });
  expect(load(undefined, false).settings).toMatchObject({
    availableModels: ["opus"],
    deniedModels: ["claude-opus-4", "haiku"],
  });
  put("etc/managed-settings.json", { availableModels: ["sonnet"], availableModelsMatch: "exact" });
  expect(load(undefined, false).settings).toMatchObject({ availableModels: ["sonnet"], availableModelsMatch: "exact" });
  put("home/.pawl/settings.json", { deniedModels: "opus" });
  expect(notices(load()).join()).toContain("everything is asked about");
});

test("an invalid limit stops the start in an administrator's file, and is reported and left out in any other", () => {
  for (const limit of [
    { allowManagedHooksOnly: "true" },
    { allowManagedPermissionRulesOnly: 1 },
    { allowManagedMcpServersOnly: "yes" },
    { availableModels: "sonnet" },
    { availableModelsMatch: "Exact" },
    { allowedHttpHookUrls: "https://hooks.example.com/*" },
    { httpHookAllowedEnvVars: "TOKEN" },
    { disableAllHooks: "true" },
    { disableSkillShellExecution: "true" },
  ]) {
    const policy = put("etc/managed-settings.json", limit);
    const errors = load().problems.filter(({ level }) => level === "error");
    expect([limit, errors.map(({ source }) => source)]).toEqual([limit, [policy]]);
    expect(errors[0]?.text).toContain("what it forbids cannot be told");
    rmSync(policy);
    put("home/.pawl/settings.json", limit);
    expect([limit, load().problems.map(({ level }) => level)]).toEqual([limit, ["notice"]]);
  }
});

test("an unsupported guard stops the start in an administrator's file, and is reported in any other", () => {
  for (const guard of [
    { strictKnownMarketplaces: [{ source: "github", repo: "a/b" }] },
    { strictKnownMarketplaces: [] },
    { requiredMinimumVersion: "9.0.0" },
    { disableSideloadFlags: true },
    { permissions: { workingDirectoriesExclude: ["/srv"] } },
  ]) {
    const file = put("home/.claude/settings.json", guard);
    expect(notices(load()).join()).toContain("which guards nothing here");
    rmSync(file);
    const theirs = put("etc/managed-settings.json", guard);
    expect(load().problems).toMatchObject([
      {
        level: "error",
        text: expect.stringMatching(/managed-settings\.json: this version cannot enforce "/u) as string,
      },
    ]);
    rmSync(theirs);
  }
  put("etc/managed-settings.json", {
    blockedMarketplaces: [],
    disableBundledSkills: true,
    disableSideloadFlags: false,
  });
  expect(load().problems.filter(({ level }) => level !== "remark")).toEqual([]);
});

test("the lowest maxEffortLevel of all files counts, even an untrusted folder's", () => {
  put("etc/managed-settings.json", { maxEffortLevel: "high" });
  put("home/.pawl/settings.json", { maxEffortLevel: "max" });
  expect(load(undefined, false).settings.maxEffortLevel).toBe("high");
  put("repo/.pawl/settings.json", { maxEffortLevel: "low" });
  expect(load(undefined, false).settings.maxEffortLevel).toBe("low");
  put("home/.pawl/settings.json", { maxEffortLevel: "huge" });
  expect(notices(load()).join()).toContain("everything is asked about");
});

test("allowManagedMcpServersOnly drops other files' lists of allowed servers", () => {
  put("home/.pawl/settings.json", { allowedMcpServers: [{ serverName: "mine" }] });
  put("etc/managed-settings.json", { allowManagedMcpServersOnly: true, allowedMcpServers: [{ serverName: "ours" }] });
  expect(load().settings.mcp.allowed).toEqual([[{ serverName: "ours" }]]);
});

test("a lock with an invalid value stops the start", () => {
  for (const wrong of [
    { disableBypassPermissionsMode: "true" },
    { disableAutoMode: "disabled" },
    { denyInsteadOfPrompting: "yes" },
    { blockReadsOutsideWorkingDirectories: "yes" },
    { blockWritesOutsideWorkingDirectories: 1 },
  ]) {
    put("etc/managed-settings.json", { permissions: wrong });
    expect(load().problems[0]).toMatchObject({ level: "error" });
  }
});

test("claudeMd counts only in an administrator's file", () => {
  put("home/.pawl/settings.json", { claudeMd: "Say what I like." });
  expect(load().settings.claudeMd).toBeUndefined();
  put("etc/managed-settings.json", { claudeMd: "Say please." });
  expect(load('{"claudeMd":"No."}').settings.claudeMd).toBe("Say please.");
});

test.each(["allowManagedHooksOnly", "allowManagedPermissionRulesOnly", "allowManagedMcpServersOnly"])(
  "%s has no effect outside of an administrator's file",
  (key) => {
    const said = {
      [key]: true,
      hooks: hook("own"),
      permissions: { allow: ["Read"] },
      allowedMcpServers: [{ serverName: "a" }],
    };
    put("home/.pawl/settings.json", said);
    const loaded = load(JSON.stringify(said));
    expect(loaded.settings.hooks).toHaveLength(2);
    expect(loaded.settings.permissions.allow).toHaveLength(2);
    expect(loaded.settings.mcp.allowed).toHaveLength(2);
    expect(notices(loaded).filter((text) => text.includes("leaves it to an administrator"))).toEqual([]);
    put("home/.pawl/settings.json", { ...said, [key]: undefined });
    put("etc/managed-settings.json", { [key]: true });
    expect(notices(load()).filter((text) => text.includes("leaves it to an administrator"))).toHaveLength(1);
    put("home/.pawl/settings.json", { permissions: { deny: ["Read"], allow: [] }, enabledMcpjsonServers: ["a"] });
    expect(notices(load()).filter((text) => text.includes("leaves it to an administrator"))).toEqual([]);
  },
);

test.each<[string, object, object[]]>([
  [
    "permissions.workingDirectoriesExclude",
    { permissions: { workingDirectoriesExclude: ["/a"] } },
    [{ permissions: { workingDirectoriesExclude: [] } }, { permissions: {} }],
  ],
  ["allowedProviders", { allowedProviders: ["a"] }, [{ allowedProviders: [] }]],
  ["blockedMarketplaces", { blockedMarketplaces: [{}] }, [{ blockedMarketplaces: [] }]],
  ["disableSideloadFlags", { disableSideloadFlags: true }, [{ disableSideloadFlags: false }]],
  ["forceLoginMethod", { forceLoginMethod: "a" }, [{ forceLoginMethod: "" }, { forceLoginMethod: null }]],
  ["forceLoginOrgUUID", { forceLoginOrgUUID: "a" }, [{ forceLoginOrgUUID: false }]],
  ["forceRemoteSettingsRefresh", { forceRemoteSettingsRefresh: true }, [{ forceRemoteSettingsRefresh: "a" }]],
  ["managedMcpServers", { managedMcpServers: { a: {} } }, [{ managedMcpServers: {} }, { managedMcpServers: [] }]],
  ["policyHelper", { policyHelper: { path: "/a" } }, [{ policyHelper: {} }]],
  ["requiredMaximumVersion", { requiredMaximumVersion: "1" }, [{ requiredMaximumVersion: "" }]],
  ["requiredMinimumVersion", { requiredMinimumVersion: "1" }, [{ requiredMinimumVersion: null }]],
  ["strictKnownMarketplaces", { strictKnownMarketplaces: [] }, [{ strictKnownMarketplaces: "a" }]],
  [
    "strictPluginOnlyCustomization",
    { strictPluginOnlyCustomization: true },
    [{ strictPluginOnlyCustomization: false }],
  ],
])("%s is an unsupported guard, and is named if it is set", (name, set, off) => {
  expect(unenforcedGuards(set as JsonObject)).toEqual([name]);
  for (const each of off) expect(unenforcedGuards(each as JsonObject)).toEqual([]);
});

test.each([
  ["disabledMcpjsonServers", "a"],
  ["disabledMcpjsonServers", [1]],
  ["allowedMcpServers", [{}]],
  ["allowedMcpServers", ["a"]],
  ["deniedMcpServers", { serverName: "a" }],
  ["deniedMcpServers", [{ serverName: 1 }]],
  ["deniedMcpServers", [{ serverName: "a" }, {}]],
])("the start stops if an administrator's %s is %j", (key, value) => {
  put("etc/managed-settings.json", { [key]: value });
  expect(load().problems).toMatchObject([{ level: "error", text: expect.stringContaining(key) }]);
});

test("denied, disabled and enabled MCP servers of all files add up", () => {
  for (const [at, file] of everywhere.entries())
    put(file, {
      deniedMcpServers: [{ serverName: `denied ${at}` }],
      disabledMcpjsonServers: [`off ${at}`],
      enabledMcpjsonServers: [`on ${at}`],
    });
  put("etc/managed-settings.json", { deniedMcpServers: [{ serverCommand: ["a", "b"] }, { serverUrl: "https://a/*" }] });
  const { denied, disabled, enabled = [] } = load().settings.mcp;
  expect(denied).toHaveLength(5);
  expect(disabled.toSorted()).toEqual(["off 0", "off 1", "off 2"]);
  expect(enabled.toSorted()).toEqual(["on 0", "on 1", "on 2"]);
});
