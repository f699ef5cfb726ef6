// `--settings` takes what a shell can name: a file, a pipe, or JSON text.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseArguments } from "../../src/cli/args.ts";
import { engineOptions } from "../../src/cli/engine-options.ts";
import { withSettingsRead } from "../../src/cli/settings-flag.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "pawl-settings-flag-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function settingsOf(flag: string): string | undefined {
  const command = parseArguments(["-p", "x", "--settings", flag]);
  if (command.kind !== "run") throw new Error("no run");
  return engineOptions(command.run, { env: { HOME: folder }, cwd: folder, version: "1.2.3" }).settings;
}

const text = '{ "permissions": { "deny": ["WebFetch"] } }\n';

test.each([
  ["the JSON", text, text],
  ["the JSON behind a mark and comments", `\ufeff// Mine.\n/* {\n */ ${text}`, text],
])("of a pipe counts %s that it holds", async (_what, held, counts) => {
  const pipe = join(folder, "pipe");
  rmSync(pipe, { force: true });
  execFileSync("mkfifo", [pipe]);
  const writer = spawn("sh", ["-c", 'printf %s "$1" > pipe', "sh", held], { cwd: folder });
  const left = once(writer, "exit");
  expect(settingsOf("pipe")).toBe(counts);
  await left;
});

test("what has no end, or holds no settings, is refused with its name", () => {
  expect(() => settingsOf("/dev/zero")).toThrow("--settings: /dev/zero is larger than 2 MiB, which settings are not.");
  expect(() => withSettingsRead({ settings: "/dev/null" }, { env: { HOME: folder }, cwd: folder })).toThrow(
    "--settings: /dev/null should hold one JSON object, such as {}.",
  );
});

test("the name of a file stays one, which may change under the session", () => {
  writeFileSync(join(folder, "settings.json"), text);
  for (const flag of ["settings.json", "gone.json", ".", text, "~/settings.json"]) expect(settingsOf(flag)).toBe(flag);
});
