import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { screenReaderSaid } from "../../src/session/desk/screen-reader.ts";

const name = "CLAUDE_AX_SCREEN_READER";

function said(settings: object, env: Record<string, string> = {}): string | undefined {
  const home = mkdtempSync(join(tmpdir(), "reader-"));
  mkdirSync(join(home, ".claude"));
  writeFileSync(join(home, ".claude", "settings.json"), JSON.stringify(settings));
  return screenReaderSaid({ cwd: home, home, env: { PAWL_HOME: join(home, ".pawl"), ...env } });
}

test("a variable counts over settings, and its no over their yes", () => {
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
