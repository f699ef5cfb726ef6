// The report about settings: each key of a file applies, or the report says why it does not.
import { expect, test } from "vitest";
import { newObject, type Json, type JsonObject } from "../../src/lib/json.ts";
import { keyRules, type Schema } from "../../src/settings/keys.ts";
import { loadSettings } from "../../src/settings/load.ts";
import { setValueAt, reportAllKeys, reportKey, splitKey } from "../../src/settings/report.ts";
import { sectionKeys } from "../../src/settings/section-keys.ts";
import { unknownKeys } from "../../src/settings/unknown-keys.ts";

/** Allowed values of the keys that hold more than one value. */
const sections: JsonObject = {
  permissions: {
    allow: ["Read"],
    deny: ["Edit(/x)"],
    ask: ["Bash"],
    additionalDirectories: ["/tmp"],
    blockReadsOutsideWorkingDirectories: true,
    blockWritesOutsideWorkingDirectories: true,
    blockReadsExemptPaths: ["/usr"],
    defaultMode: "plan",
    disableBypassPermissionsMode: "disable",
    disableAutoMode: "disable",
    denyInsteadOfPrompting: true,
  },
  disableAutoMode: "disable",
  env: { A: "1" },
  hooks: { Stop: [{ hooks: [{ type: "command", command: "true" }] }] },
  models: { mine: { contextWindow: 100_000 } },
  aliases: { short: "opus" },
  modelPricing: { overrides: { mine: { input: 1, output: 2 } } },
  mcpServers: { m: { command: "cat" } },
  enableAllProjectMcpServers: true,
  enabledMcpjsonServers: ["c"],
  disabledMcpjsonServers: ["d"],
  allowedMcpServers: [{ serverName: "m" }],
  deniedMcpServers: [{ serverName: "n" }],
  sandbox: { enabled: false },
  claudeMdExcludes: ["/x/**"],
  skillOverrides: { s: "off" },
  enabledPlugins: { "a@b": true },
  extraKnownMarketplaces: { b: { source: { source: "directory", path: "/tmp" } } },
  pluginConfigs: { "a@b": { options: { k: "v" } } },
};

function sampleOf({ type, enum: words, minimum, items, properties }: Schema): Json {
  if (Array.isArray(words)) return words[0] as Json;
  if (type === "object")
    return Object.fromEntries(
      Object.entries((properties ?? {}) as Schema).map(([name, each]) => [name, sampleOf(each as Schema)]),
    );
  if (type === "boolean") return true;
  if (type === "integer") return minimum as number;
  if (type === "number") return 0.5;
  return type === "array" ? [sampleOf(items as Schema)] : "x";
}

const plain: JsonObject = {
  ...Object.fromEntries(Object.entries(keyRules).map(([key, { schema }]) => [key, sampleOf(schema)])),
  // Yes would switch others off.
  disableAllHooks: false,
};

function reportsOf(project: boolean, isTrusted: boolean) {
  const file = project ? "/repo/.pawl/settings.json" : "/home/.pawl/settings.json";
  const text = JSON.stringify({ ...plain, ...sections });
  return reportAllKeys(
    loadSettings({
      env: {},
      home: "/home",
      cwd: "/repo",
      policyFolders: [],
      reader: { read: (path) => (path === file ? text : null) },
      trusts: () => isTrusted,
    }),
  );
}

const idle = (reports: ReturnType<typeof reportAllKeys>): string[] =>
  reports.filter(({ sayings }) => sayings.some(({ counts }) => !counts)).map(({ key }) => key);

test("every key in the user's own file counts, except an administrator's keys", () => {
  const reports = reportsOf(false, false);
  const sectionsTold = Object.keys(sectionKeys).filter((key) =>
    reports.some((report) => report.key === key || report.key.startsWith(`${key}.`)),
  );
  expect(sectionsTold).toEqual(Object.keys(sectionKeys));
  expect(idle(reports).filter((key) => !/^(?:claudeMd|allowManaged\w+)$/u.test(key))).toEqual([]);
});

test("every key in a trusted folder's file counts, except those that no project may set", () => {
  expect(idle(reportsOf(true, true)).filter((key) => !/^(?:claudeMd|allowManaged\w+)$/u.test(key))).toEqual([
    "allowedHttpHookUrls",
    "apiKeyHelper",
    "cleanupPeriodDays",
    "httpHookAllowedEnvVars",
    "otelHeadersHelper",
    "pluginConfigs.a@b",
  ]);
});

test("only keys that forbid count in an untrusted folder's file", () => {
  const counted = reportsOf(true, false)
    .filter(({ value }) => value !== undefined)
    .map(({ key }) => key);
  expect(counted).toEqual(
    expect.arrayContaining(["allowedMcpServers", "deniedMcpServers", "disableAutoMode", "disabledMcpjsonServers"]),
  );
  expect(counted.filter((key) => /^(?:env|hooks|mcpServers|enabled|model|permissions\.al)/u.test(key))).toEqual([]);
});

/** By what the user's file, the flag and an administrator's say. */
function together(user: JsonObject, flag: JsonObject, policy?: JsonObject) {
  const files: Record<string, JsonObject | undefined> = {
    "/home/.pawl/settings.json": user,
    "/etc/pawl/managed-settings.json": policy,
  };
  return loadSettings({
    env: {},
    home: "/home",
    cwd: "/repo",
    flag: JSON.stringify(flag),
    policyFolders: ["/etc/pawl"],
    reader: { read: (path) => (files[path] === undefined ? null : JSON.stringify(files[path])) },
  });
}

// Seen: `"ask": 5` and `"allowedMcpServers": true`, told at the start as left out, were listed as in force.
test("a list key whose value is not a list does not count", () => {
  const elsewhere = /^(?:sandbox|hooks)\b/u;
  const keys = Object.keys(sectionKeys).filter((key) => sectionKeys[key]?.holds === "list" && !elsewhere.test(key));
  for (const wrong of [5, false, "x"]) {
    const user = newObject();
    for (const key of keys) setValueAt(user, splitKey(key), wrong);
    const reports = reportAllKeys(together(user, {}));
    expect(reports.map(({ key, value }) => [key, value])).toEqual(keys.toSorted().map((key) => [key, undefined]));
    for (const { sayings } of reports) expect(sayings[0]?.why).toMatch(/ should be a list /u);
  }
});

test("a value that no higher file can take back is reported as the one in force", () => {
  const outside = "permissions.blockWritesOutsideWorkingDirectories";
  const loaded = together(
    {
      maxEffortLevel: "low",
      permissions: { denyInsteadOfPrompting: true, blockWritesOutsideWorkingDirectories: true },
    },
    {
      maxEffortLevel: "high",
      permissions: { denyInsteadOfPrompting: false, blockWritesOutsideWorkingDirectories: false },
    },
  );
  expect(loaded.settings).toMatchObject({ maxEffortLevel: "low", permissions: { deniesInsteadOfAsking: true } });
  const told = ["maxEffortLevel", "permissions.denyInsteadOfPrompting", outside].map((key) => reportKey(loaded, key));
  expect(told.map(({ value }) => value)).toEqual(["low", true, true]);
  for (const { sayings } of told) expect(sayings.map(({ counts }) => counts)).toEqual([true, false]);
  const only = reportKey(together({}, { permissions: { blockWritesOutsideWorkingDirectories: false } }), outside);
  expect(only).toMatchObject({ value: false, sayings: [{ counts: true }] });
});

test("model lists are reported as the session has them: added up, or an administrator's alone", () => {
  const user = { availableModels: ["sonnet"], deniedModels: ["opus"] };
  const flag = { availableModels: ["haiku"], deniedModels: ["fable"] };
  for (const policy of [undefined, { availableModels: ["opus"], deniedModels: ["sonnet"] }]) {
    const loaded = together(user, flag, policy);
    for (const key of ["availableModels", "deniedModels"] as const)
      expect(reportKey(loaded, key).value).toEqual(loaded.settings[key]);
  }
  const { sayings } = reportKey(together(user, flag, { availableModels: ["opus"] }), "availableModels");
  expect(sayings.map(({ counts }) => counts)).toEqual([false, false, true]);
});

test("a key that holds keys is reported by the rule of each key in it", () => {
  const loaded = together(
    {
      permissions: { deny: ["Read(a)"] },
      sandbox: { network: { deniedDomains: ["a.example"], httpProxyPort: 1 }, filesystem: "x", constructor: true },
      modelPricing: { overrides: { m: { input: 1, output: 1 } } },
    },
    {
      permissions: { deny: ["Read(b)"] },
      sandbox: { network: { deniedDomains: ["b.example"], httpProxyPort: 2 } },
      modelPricing: { overrides: { n: { input: 1, output: 1 } } },
    },
  );
  const network = { deniedDomains: ["a.example", "b.example"], httpProxyPort: 2 };
  expect(reportKey(loaded, "permissions").value).toEqual({ deny: ["Read(a)", "Read(b)"] });
  expect(reportKey(loaded, "sandbox.network").value).toEqual(network);
  expect(reportKey(loaded, "sandbox.network").sayings.map(({ counts }) => counts)).toEqual([true, true]);
  expect(reportKey(loaded, "sandbox").value).toEqual({ network });
  expect(reportKey(loaded, "modelPricing").value).toHaveProperty("overrides.m");
  const idleNow = reportAllKeys(loaded).flatMap(({ key, sayings }) =>
    sayings.filter(({ counts }) => !counts).map(() => key),
  );
  expect(idleNow).toEqual(["sandbox.constructor", "sandbox.filesystem", "sandbox.network.httpProxyPort"]);
});

test("values that an administrator or disableAllHooks overrules are reported as not counting", () => {
  const loaded = together(
    {
      hooks: { Stop: [{ hooks: [{ type: "command", command: "true" }] }] },
      statusLine: { type: "command", command: "true" },
      permissions: { blockReadsExemptPaths: ["/usr"] },
      sandbox: {
        network: { allowedDomains: ["a.example"], allowManagedDomainsOnly: false },
        filesystem: { allowRead: ["/usr"] },
      },
    },
    { disableAllHooks: true },
    {
      permissions: { blockReadsOutsideWorkingDirectories: true },
      sandbox: { network: { allowManagedDomainsOnly: true }, filesystem: { allowManagedReadPathsOnly: true } },
    },
  );
  const users = reportAllKeys(loaded).flatMap(({ key, sayings }) =>
    sayings.filter(({ scope, counts }) => scope === "user" && !counts).map(() => key),
  );
  expect(users).toEqual([
    "hooks",
    "permissions.blockReadsExemptPaths",
    "sandbox.filesystem.allowRead",
    "sandbox.network.allowManagedDomainsOnly",
    "sandbox.network.allowedDomains",
    "statusLine",
  ]);
});

// Seen: lists under the names that flags have for them, which forbade nothing, were named to nobody.
test.each([
  ["disallowedTools", "permissions.deny"],
  ["allowed-tools", "permissions.allow"],
  ["permissions.disallowedTools", "permissions.deny"],
  ["permissions.disallow", "permissions.deny"],
])("rules under the name %s are reported to count only in %s", (key, list) => {
  const root = newObject();
  setValueAt(root, splitKey(key), ["Bash(rm:*)"]);
  expect(unknownKeys(root, [])).toEqual([
    { key, level: "notice", text: `"${key}" is not a setting: such rules count in "${list}". It was left out` },
  ]);
});
