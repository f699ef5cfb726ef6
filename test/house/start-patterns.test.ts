// Classes of all of Unicode take longer to make than a hundred other patterns: what every start loads makes none at its top.
import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** Loaded for a terminal, for one request alone, or in the thread of a search. */
const later = /^src\/(?:surface\/line\/|session\/desk\/complete-path\.ts$|tools\/search\/js-pattern\.ts$)/u;

test("no file that a start may load compiles a pattern with Unicode classes at its top", () => {
  const files = globSync("src/**/*.ts").filter((path) => !later.test(path));
  expect(files.length).toBeGreaterThan(500);
  const atTop = /^(?:export )?const \w+ =\s+(?:new RegExp\(\s*)?(?:String\.raw)?[/`'"].*\\p\{/mu;
  const made = files.filter((path) => atTop.test(readFileSync(path, "utf8")));
  expect(made).toEqual([]);
});
