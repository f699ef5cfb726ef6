// docs/hooks.md has a row for every event that is told of.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hookEvents } from "../../src/protocol/hook.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/hooks.md"), "utf8");
const names = (text: string): string[] => [...text.matchAll(/`([A-Z]\w+)`/gu)].map((match) => match[1] ?? "");

test("its table of events is that of the code", () => {
  const section = page.slice(page.indexOf("## Events"), page.indexOf("## Handlers"));
  const first = section.split("\n").flatMap((line) => (line.startsWith("| `") ? names(line.split("|")[1] ?? "") : []));
  expect(first.toSorted()).toEqual(hookEvents.toSorted());
});
