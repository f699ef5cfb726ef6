// Links in the user's own folders are looked for once in a session.
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { diskPaths } from "../../src/permissions/paths/path-forms.ts";
import { linkedPlacesOf } from "../../src/session/permissions/linked.ts";
import type { Surroundings } from "../../src/session/surroundings/surroundings.ts";
import { clearGroundsAfterwards, layGround } from "./support.ts";

clearGroundsAfterwards();

// Seen: each agent searched the folders again, and repeated the notice about folders that are too large to search.
test("a session's agents use the links found for it, and another session searches again", () => {
  const { home, pawlHome, work } = layGround();
  const rules = join(home, ".claude/rules");
  mkdirSync(rules, { recursive: true });
  symlinkSync(work, join(rules, "linked"));
  const around = { env: {}, home, pawlHome, machine: { paths: diskPaths } } as Surroundings;
  const found = linkedPlacesOf(around)();
  expect(found).toMatchObject([{ link: join(rules, "linked"), target: work }]);
  expect(linkedPlacesOf(around)()).toBe(found);
  expect(linkedPlacesOf({ ...around })()).not.toBe(found);
});
