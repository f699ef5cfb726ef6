import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { terminalWishes, type TerminalWishes } from "../../src/session/desk/terminal-wishes.ts";

const name = "CLAUDE_AX_SCREEN_READER";

function wishes(settings: object, env: Record<string, string> = {}): TerminalWishes {
  const home = mkdtempSync(join(tmpdir(), "reader-"));
  mkdirSync(join(home, ".claude"));
  writeFileSync(join(home, ".claude", "settings.json"), JSON.stringify(settings));
  return terminalWishes({ cwd: home, home, env: { PAWL_HOME: join(home, ".pawl"), ...env } });
}

const said = (settings: object, env: Record<string, string> = {}): string | undefined =>
  wishes(settings, env).screenReader;

test("settings turn on Vim keys and name what ends insert mode", () => {
  expect(wishes({}).vimEscapes).toBeUndefined();
  expect(wishes({ editorMode: "normal", vimInsertModeRemaps: { jj: "<Esc>" } }).vimEscapes).toBeUndefined();
  expect(wishes({ editorMode: "vim" }).vimEscapes).toEqual([]);
  expect(wishes({ editorMode: "vim", vimInsertModeRemaps: { jj: "<Esc>", jk: "<Esc>" } }).vimEscapes).toEqual([
    "jj",
    "jk",
  ]);
  expect(wishes({ editorMode: "vim", vimInsertModeRemaps: { jj: "x" } }).vimEscapes).toEqual([]);
});

test("the theme is passed on, unless it is none of the convention's", () => {
  expect(wishes({}).theme).toBeUndefined();
  expect(wishes({ theme: "light-daltonized" }).theme).toBe("light-daltonized");
  expect(wishes({ theme: "beige" }).theme).toBeUndefined();
});

test("a variable takes precedence over settings, also when it says no", () => {
  expect(said({})).toBeUndefined();
  expect(said({ axScreenReader: true })).toBe("settings");
  expect(said({ axScreenReader: false })).toBeUndefined();
  expect(said({ env: { [name]: "1" } })).toBe("env");
  expect(said({}, { [name]: "1" })).toBe("env");
  expect(said({ axScreenReader: true }, { [name]: "true" })).toBe("env");
  expect(said({ axScreenReader: true }, { [name]: "0" })).toBeUndefined();
  expect(said({ axScreenReader: true }, { [name]: "" })).toBe("settings");
  expect(said({ axScreenReader: true }, { [name]: "perhaps" })).toBe("settings");
});
