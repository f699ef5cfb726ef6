// docs/compat.md says of every control request what the code does with it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { controlTable } from "../../../src/surface/stdio/control-table.ts";

const page = readFileSync(join(import.meta.dirname, "../../../docs/compat.md"), "utf8");

test("docs/compat.md has exactly one row per control request, in the words of the code", () => {
  const section = page.slice(page.indexOf("## Control requests"), page.indexOf("## Flags"));
  const rows = [...section.matchAll(/^\| `(?<name>\w+)` \| (?<says>.*) \|$/gmu)].map(({ groups }) => groups);
  const wanted = controlTable.map((entry) => ({
    name: entry.name,
    says: "refusal" in entry ? `error: ${entry.refusal}` : entry.does,
  }));
  expect(rows.map((row) => ({ ...row }))).toEqual([{ name: "initialize", says: "see above" }, ...wanted]);
});
