// Where the rules of what git ignores come from: the repository that git itself would use.
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { IgnoreRules } from "../../src/session/trees/ignore-rules.ts";
import { put } from "../support/put.ts";
import { clearGroundsAfterwards, layGround } from "./support.ts";

clearGroundsAfterwards();

function layRepository(): string {
  const { work } = layGround();
  put(join(work, ".git/HEAD"), "ref: refs/heads/main\n");
  put(join(work, ".gitignore"), "built\n");
  return work;
}

test("rules of a repository count in its folders however deep they lie", () => {
  const root = join(layRepository(), ...Array.from({ length: 70 }, () => "d"));
  mkdirSync(root, { recursive: true });
  expect(new IgnoreRules(root).isIgnored(join(root, "built"))).toBe(true);
  expect(new IgnoreRules(root).isIgnored(join(root, "kept"))).toBe(false);
});

test("a .git that is a link in a circle is no repository, and the rules above it count", () => {
  const root = join(layRepository(), "inner");
  mkdirSync(root);
  symlinkSync(".git", join(root, ".git"));
  expect(new IgnoreRules(root).isIgnored(join(root, "built"))).toBe(true);
});
