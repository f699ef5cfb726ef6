// `--settings` and `--mcp-config` take what a shell can name: a file, a pipe, or JSON text.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseArguments } from "../../src/cli/args.ts";
import { engineOptions } from "../../src/cli/engine-options.ts";
import type { EngineOptions } from "../../src/session/options/options.ts";
import { withResolvedSettings } from "../../src/cli/settings-flag.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "pawl-settings-flag-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function optionsOf(...flags: string[]): EngineOptions {
  const command = parseArguments(["-p", "x", ...flags]);
  if (command.kind !== "run") throw new Error("no run");
  return engineOptions(command.run, { env: { HOME: folder }, cwd: folder, version: "1.2.3" });
}

const settingsOf = (flag: string): string | undefined => optionsOf("--settings", flag).settings;

/** Someone who writes it into the pipe called so. */
async function writing(held: string, read: () => void): Promise<void> {
  const pipe = join(folder, "pipe");
  rmSync(pipe, { force: true });
  execFileSync("mkfifo", [pipe]);
  const writer = spawn("sh", ["-c", 'printf %s "$1" > pipe', "sh", held], { cwd: folder });
  const left = once(writer, "exit");
  read();
  await left;
}

const text = '{ "permissions": { "deny": ["WebFetch"] } }\n';

test.each([
  ["the JSON", text, text],
  ["the JSON behind a mark and comments", `\ufeff// Mine.\n/* {\n */ ${text}`, text],
])("--settings reads %s from a pipe", async (_what, held, counts) => {
  await writing(held, () => expect(settingsOf("pipe")).toBe(counts));
});

// Seen: of a run that a program drives the servers were looked for twice, and the second time the pipe was empty.
test("--mcp-config reads a pipe once and refuses an endless one", async () => {
  const servers = '{"mcpServers":{"a":{"command":"a"}}}';
  await writing(`\ufeff\n${servers}`, () =>
    expect(optionsOf("--mcp-config", "pipe", "mcp.json").mcpConfig).toEqual([servers, "mcp.json"]),
  );
  expect(() => optionsOf("--mcp-config", "/dev/zero")).toThrow("--mcp-config: /dev/zero is larger than 2 MiB.");
});

test("--settings refuses an endless file and one without settings, and names it", () => {
  expect(() => settingsOf("/dev/zero")).toThrow("--settings: /dev/zero is larger than 2 MiB, which settings are not.");
  expect(() => withResolvedSettings({ settings: "/dev/null" }, { env: { HOME: folder }, cwd: folder })).toThrow(
    "--settings: /dev/null should hold one JSON object, such as {}.",
  );
});

// A list passed for the name of a file, which nobody had written.
test.each(["--settings", "--mcp-config"])("%s refuses a pipe that contains a list", async (flag) => {
  const told = `${flag}: ${join(folder, "pipe")} should hold one JSON object, such as {}.`;
  await writing('["a"]', () => expect(() => optionsOf(flag, "pipe")).toThrow(told));
});

test("--settings keeps a file's name, because the file may change during the session", () => {
  writeFileSync(join(folder, "settings.json"), text);
  for (const flag of ["settings.json", "gone.json", ".", text, "~/settings.json"]) expect(settingsOf(flag)).toBe(flag);
});
