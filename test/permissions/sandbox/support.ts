// A sandbox over folders of its own, and commands run in it by the real Bash tool; nothing is left when the test is over.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { arch, platform, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished, test } from "vitest";
import type { ToolInput } from "../../../src/protocol/tool.ts";
import type { RulesInForce } from "../../../src/permissions/permission-options.ts";
import { createPermissions } from "../../../src/permissions/permissions.ts";
import type { RuleBehavior } from "../../../src/permissions/rules/rule.ts";
import { diskPaths } from "../../../src/permissions/paths/path-forms.ts";
import { openSandbox, type SandboxOptions } from "../../../src/permissions/sandbox/sandbox.ts";
import { mergeSandbox, type SandboxSettings } from "../../../src/settings/sandbox.ts";
import { createCwd } from "../../../src/tools/cwd.ts";
import { openToolBox, textOf, type ToolBox } from "../../tools/support.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

export interface Place {
  root: string;
  repo: string;
  home: string;
  base: string;
  notices: string[];
}

export function makePlace(): Place {
  const root = temporaryFolder();
  const [repo, home] = [join(root, "repo"), join(root, "home")];
  for (const folder of [repo, home]) mkdirSync(folder);
  return { root, repo, home, base: join(root, "base"), notices: [] };
}

export function put(path: string, content = "content\n"): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

type Wishes = {
  [Key in keyof SandboxSettings]?: SandboxSettings[Key] extends object
    ? Partial<SandboxSettings[Key]>
    : SandboxSettings[Key];
};

/** As the settings room would read them. */
export function settingsOf(wishes: Wishes = {}): SandboxSettings {
  const values: Record<string, unknown> = { enabled: true };
  for (const [key, value] of Object.entries(wishes)) {
    const isGroup = ["network", "filesystem", "credentials"].includes(key);
    if (!isGroup) values[key] = value;
    else for (const [name, each] of Object.entries(value as object)) values[`${key}.${name}`] = each;
  }
  const merged = mergeSandbox([{ origin: "policy", values: values as never }]);
  if (merged === undefined) throw new Error("no settings");
  return merged;
}

export function optionsOf(place: Place, wishes: Wishes = {}, more: Partial<SandboxOptions> = {}): SandboxOptions {
  return {
    settings: settingsOf(wishes),
    platform: platform(),
    processor: arch(),
    environment: { PATH: process.env["PATH"] },
    clock: {
      timer: (ms, fire) => {
        const timer = setTimeout(fire, ms);
        return () => clearTimeout(timer);
      },
    },
    around: { cwd: place.repo, home: place.home, reader: diskPaths },
    pawlHome: join(place.home, ".pawl"),
    base: place.base,
    folders: () => [place.repo],
    spill: () => [],
    notice: (text) => void place.notices.push(text),
    rules: () => rulesOf(place),
    ...more,
  };
}

/** Permission rules in force. */
export function rulesOf({ repo, home }: Place, rules: Partial<Record<RuleBehavior, string[]>> = {}): RulesInForce {
  const { allow = [], deny = [], ask = [] } = rules;
  const sourced = (texts: string[]) => texts.map((rule) => ({ rule, source: "test" }));
  return createPermissions({
    mode: "default",
    rules: { allow: sourced(allow), deny: sourced(deny), ask: sourced(ask) },
    cwd: repo,
    home,
    clock: { timer: () => () => {} },
  }).rules();
}

export interface Boxed extends Place {
  box: ToolBox;
  run: (command: string, input?: ToolInput) => Promise<string>;
}

export async function openBox(
  wishes: Wishes = {},
  more: Partial<SandboxOptions> = {},
  place = makePlace(),
): Promise<Boxed> {
  const opened = await openSandbox(optionsOf(place, wishes, more));
  if (!opened.ok) throw new Error(opened.why);
  onTestFinished(() => opened.sandbox.dispose());
  const box = openToolBox({
    sandbox: opened.sandbox,
    home: place.home,
    cwd: createCwd(place.repo, () => [place.repo]),
  });
  const run = async (command: string, input: ToolInput = {}): Promise<string> =>
    textOf(await box.call("Bash", { command, ...input }, { cwd: box.dependencies.cwd.get() }));
  return { ...place, box, run };
}

async function canConfine(): Promise<string | null> {
  const base = join(tmpdir(), `pawl-sandbox-trial-${process.pid}-${Math.random().toString(36).slice(2)}`);
  const place: Place = { root: "/", repo: "/", home: "/nowhere", base, notices: [] };
  const opened = await openSandbox({ ...optionsOf(place), folders: () => [] });
  if (opened.ok) opened.sandbox.dispose();
  return opened.ok ? null : opened.why;
}

const missing = (await canConfine()) ?? (existsSync("/usr/bin/socat") ? null : "socat was not found");
if (missing !== null)
  process.stdout.write(`test/permissions/sandbox: nothing is confined here, so nothing real is tested: ${missing}\n`);

/** For tests that need a machine on which commands can be confined. */
export const confined = test.skipIf(missing !== null);
