// An administrator's settings that change while a session runs: nobody refuses them, and broken ones open nothing.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { HookInput } from "../../src/protocol/hook.ts";
import type { WrittenRules } from "../../src/permissions/rules/rule.ts";
import { combineLocks, locksOf } from "../../src/session/settings/settings-locks.ts";
import { LiveSettings, type LiveTargets } from "../../src/session/settings/live-settings.ts";
import type { Settings } from "../../src/settings/settings.ts";
import { loadSettings } from "../../src/settings/load.ts";
import { SettingsWatch } from "../../src/settings/settings-watch.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let root = "";
beforeEach(() => {
  root = temporaryFolder();
  for (const name of ["home", "repo", "etc"]) mkdirSync(join(root, name));
});

test("changed policy settings cannot be refused by hooks, and an invalid file keeps what it denied", async () => {
  const path = join(root, "etc/managed-settings.json");
  writeFileSync(path, '{"permissions":{"deny":["Bash(a)"]}}');
  const places = { env: {}, home: join(root, "home"), cwd: join(root, "repo"), policyFolders: [join(root, "etc")] };
  const watch = new SettingsWatch({
    files: () => [{ path, origin: "policy" }],
    load: (reader) => loadSettings({ ...places, reader }),
  });
  const notices: string[] = [];
  const live = new LiveSettings({ watch, notice: (text) => void notices.push(text), debug: () => undefined });
  const asked: HookInput[] = [];
  let rules: WrittenRules = { allow: [], deny: [], ask: [] };
  live.attach({
    permissions: { problemsOf: () => [], replaceRules: (given: WrittenRules) => void (rules = given) },
    hooks: {
      has: () => true,
      run: async (input: HookInput) => (asked.push(input), { blocking: ["no"], additionalContext: [], notices: [] }),
      replace: () => undefined,
    },
    rulesOf: ({ permissions }: Settings) => permissions,
    foldersOf: () => [],
    runnersOf: async () => ({}),
    setEnvironment: () => undefined,
  } as unknown as LiveTargets);
  const denied = async (text: string): Promise<string[]> => {
    writeFileSync(path, text);
    await live.applyAtPrompt(new AbortController().signal);
    return rules.deny.map(({ rule }) => rule);
  };
  expect(await denied('{"permissions":{"deny":["Bash(b)"]}}')).toEqual(["Bash(b)"]);
  expect(asked).toMatchObject([{ source: "policy_settings", file_path: path }]);
  expect(await denied('{"permissions":{"deny":["Bash(')).toEqual(["Bash(b)"]);
  expect(notices.join("\n")).toContain(`${path}: line 1`);
  expect(notices.join("\n")).toContain("said before still counts");
});

test("while a turn runs, everything locked before or after a settings change is locked", () => {
  const locks = (permissions: Partial<Settings["permissions"]>) =>
    locksOf({ permissions: { blockReadsExemptPaths: [], ...permissions } } as unknown as Settings);
  const [one, other] = ["one.json", "other.json"];
  const reading = {
    blockReadsOutsideWorkingDirectories: one,
    blockReadsExemptPaths: ["/x", "/y"],
    autoDisabledBy: one,
  };
  const writing = {
    blockWritesOutsideWorkingDirectories: other,
    bypassDisabledBy: other,
    deniesInsteadOfAsking: true,
  };
  const both = {
    bypassDisabledBy: other,
    autoDisabledBy: one,
    deniesInsteadOfAsking: true,
    outside: { reads: one, writes: other, exempt: ["/x", "/y"] },
  };
  expect(combineLocks(locks(reading), locks(writing))).toEqual(both);
  expect(combineLocks(locks(writing), locks(reading))).toEqual(both);
  const wider = { ...reading, blockReadsExemptPaths: ["/y", "/z"] };
  expect(combineLocks(locks(reading), locks(wider)).outside.exempt).toEqual(["/y"]);
});
