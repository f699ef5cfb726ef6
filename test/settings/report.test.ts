// What people are told of settings: each key that a file says counts, or why it does not.
import { expect, test } from "vitest";
import type { Json, JsonObject } from "../../src/lib/json.ts";
import { keyRules, type Schema } from "../../src/settings/keys.ts";
import { loadSettings } from "../../src/settings/load.ts";
import { reportAll } from "../../src/settings/report.ts";
import { sectionKeys } from "../../src/settings/sections.ts";

/** What may stand at the keys that hold more than one value. */
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
      Object.entries(properties as Schema).map(([name, each]) => [name, sampleOf(each as Schema)]),
    );
  if (type === "boolean") return true;
  if (type === "integer") return minimum as number;
  if (type === "number") return 0.5;
  return type === "array" ? [sampleOf(items as Schema)] : "x";
}

const plain = Object.fromEntries(Object.entries(keyRules).map(([key, { schema }]) => [key, sampleOf(schema)]));

function reportsOf(project: boolean, isTrusted: boolean) {
  const file = project ? "/repo/.pawl/settings.json" : "/home/.pawl/settings.json";
  const text = JSON.stringify({ ...plain, ...sections });
  return reportAll(
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

const idle = (reports: ReturnType<typeof reportAll>): string[] =>
  reports.filter(({ sayings }) => sayings.some(({ counts }) => !counts)).map(({ key }) => key);

test("every key that a person's own file says counts, but an administrator's", () => {
  const reports = reportsOf(false, false);
  const sectionsTold = Object.keys(sectionKeys).filter((key) =>
    reports.some((report) => report.key === key || report.key.startsWith(`${key}.`)),
  );
  expect(sectionsTold).toEqual(Object.keys(sectionKeys));
  expect(idle(reports).filter((key) => !/^(?:claudeMd|allowManaged\w+)$/u.test(key))).toEqual([]);
});

test("a trusted folder's count, but for what it is not its to say", () => {
  expect(idle(reportsOf(true, true)).filter((key) => !/^(?:claudeMd|allowManaged\w+)$/u.test(key))).toEqual([
    "allowedHttpHookUrls",
    "apiKeyHelper",
    "cleanupPeriodDays",
    "httpHookAllowedEnvVars",
    "otelHeadersHelper",
    "pluginConfigs.a@b",
  ]);
});

test("of a folder that is not trusted those count that forbid", () => {
  const counted = reportsOf(true, false)
    .filter(({ value }) => value !== undefined)
    .map(({ key }) => key);
  expect(counted).toEqual(
    expect.arrayContaining(["allowedMcpServers", "deniedMcpServers", "disableAutoMode", "disabledMcpjsonServers"]),
  );
  expect(counted.filter((key) => /^(?:env|hooks|mcpServers|enabled|model|permissions\.al)/u.test(key))).toEqual([]);
});
