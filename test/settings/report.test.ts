// What `pawl config` says of a key: each that this version acts on counts where it stands in a file that may say it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Json, JsonObject } from "../../src/lib/json.ts";
import { loadSettings } from "../../src/settings/load.ts";
import { reportAll } from "../../src/settings/report.ts";
import { sectionKeys } from "../../src/settings/sections.ts";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pawl-report-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** A value of each key that holds more than one, and the keys that it is reported under. */
const samples: Record<string, Json> = {
  "permissions.allow": ["Read"],
  "permissions.deny": ["Bash"],
  "permissions.ask": ["Edit"],
  "permissions.additionalDirectories": ["/tmp"],
  "permissions.blockReadsOutsideWorkingDirectories": true,
  "permissions.blockWritesOutsideWorkingDirectories": true,
  "permissions.blockReadsExemptPaths": ["/tmp"],
  "permissions.defaultMode": "plan",
  "permissions.disableBypassPermissionsMode": "disable",
  "permissions.disableAutoMode": "disable",
  disableAutoMode: "disable",
  "permissions.denyInsteadOfPrompting": true,
  env: { A: "1" },
  hooks: { Stop: [{ hooks: [{ type: "command", command: "true" }] }] },
  models: { m: { contextWindow: 100_000 } },
  aliases: { mine: "claude-opus-5-5" },
  claudeMdExcludes: ["/x/**"],
  skillOverrides: { s: "off" },
  enabledPlugins: { "a@b": true },
  extraKnownMarketplaces: { m: { source: { source: "directory", path: "/x" } } },
  modelPricing: { overrides: { m: { input: 1, output: 2 } } },
  sandbox: { enabled: true },
  mcpServers: { s: { command: "x" } },
  enableAllProjectMcpServers: true,
  enabledMcpjsonServers: ["a"],
  disabledMcpjsonServers: ["b"],
  allowedMcpServers: [{ serverName: "a" }],
  deniedMcpServers: [{ serverName: "b" }],
  pluginConfigs: { p: { options: { key: "x" } } },
};

test.each(Object.keys(sectionKeys))("%s counts where a file of yours says it", (key) => {
  const [first = "", second] = key.split(".");
  const value = samples[key]!;
  const said: JsonObject = { [first]: second === undefined ? value : { [second]: value } };
  mkdirSync(join(root, "home/.pawl"), { recursive: true });
  mkdirSync(join(root, "repo"));
  writeFileSync(join(root, "home/.pawl/settings.json"), JSON.stringify(said));
  const reports = reportAll(loadSettings({ env: {}, home: join(root, "home"), cwd: join(root, "repo") }));
  expect(reports.map((report) => report.key)).toEqual([
    sectionKeys[key]?.holds === "map" ? `${key}.${Object.keys(value)[0]}` : key,
  ]);
  expect(reports.flatMap(({ sayings }) => sayings)).toMatchObject([{ scope: "user", counts: true }]);
});
