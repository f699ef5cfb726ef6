// docs/hooks.md names every event and every field that its hooks are given.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sampleInput } from "../../src/hooks/sample-input.ts";
import { hookEvents } from "../../src/protocol/hook.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/hooks.md"), "utf8");

/** The rows of a section's table, by the events that their first cell names. */
function rowsOf(title: string): Map<string, string> {
  const section = page.split(/^## /mu).find((part) => part.startsWith(title)) ?? "";
  const rows = section.split("\n").filter((line) => line.startsWith("| `"));
  return new Map(
    rows.flatMap((row) => {
      const [, first = "", ...rest] = row.split("|");
      return [...first.matchAll(/`(\w+)`/gu)].map(([, event = ""]) => [event, rest.join("|")] as const);
    }),
  );
}

test.each(hookEvents)("docs/hooks.md lists %s with all of its input fields", (event) => {
  expect(rowsOf("Events").has(event)).toBe(true);
  const given = rowsOf("What a hook is given");
  const own = given.get(event) ?? "";
  const [, other = ""] = /^ as `(\w+)`/u.exec(own) ?? [];
  const text = `${own} ${given.get(other) ?? ""}`;
  const { hook_event_name: _, ...fields } = sampleInput(event);
  expect(Object.keys(fields).filter((name) => !text.includes(`\`${name}`))).toEqual([]);
});
