// SECURITY.md names the tests behind its promises: they must exist.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "SECURITY.md"), "utf8");

test("every test that SECURITY.md names exists, and every row names one or says why not", () => {
  const rows = page.split("\n").filter((line) => /^\| (?!---|What goes wrong)/u.test(line));
  expect(rows.length).toBeGreaterThan(40);
  const held = rows.map((row) => row.split("|").at(-2)?.trim() ?? "");
  for (const cell of held) expect(cell).toMatch(/`test\/|probes|^no test|^—$/u);
  for (const [, path = ""] of page.matchAll(/`(test\/[^`]+)`/gu))
    expect([path, existsSync(join(root, path))]).toEqual([path, true]);
});
