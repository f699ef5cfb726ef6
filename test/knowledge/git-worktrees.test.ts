// Which folders are work trees of one repository: by its files alone, and only where both sides say so.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { otherWorktrees } from "../../src/knowledge/git-worktrees.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

function link(main: string, tree: string, name: string, back = join(tree, ".git")): void {
  const own = join(main, ".git", "worktrees", name);
  mkdirSync(own, { recursive: true });
  mkdirSync(tree, { recursive: true });
  writeFileSync(join(own, "gitdir"), `${back}\n`);
  writeFileSync(join(own, "commondir"), "../..\n");
  writeFileSync(join(tree, ".git"), `gitdir: ${own}\n`);
}

test("each worktree names the others, including the main one", () => {
  const root = temporaryFolder();
  const [main, one, two] = ["main", "one", "two"].map((name) => join(root, name)) as [string, string, string];
  link(main, one, "one");
  link(main, two, "two");
  expect(otherWorktrees(join(main, "."))).toEqual([one, two]);
  expect(otherWorktrees(one)).toEqual([main, two]);
});

test("worktrees with relative paths name each other, too", () => {
  const root = temporaryFolder();
  const [main, tree] = ["main", "trees/one"].map((name) => join(root, name)) as [string, string];
  link(main, tree, "one", "../../../../trees/one/.git");
  writeFileSync(join(tree, ".git"), "gitdir: ../../main/.git/worktrees/one\n");
  expect(otherWorktrees(main)).toEqual([tree]);
  expect(otherWorktrees(tree)).toEqual([main]);
});

test("a folder that does not confirm that it is a worktree is not listed", () => {
  const root = temporaryFolder();
  const [main, tree, victim] = ["main", "tree", "victim"].map((name) => join(root, name)) as [string, string, string];
  link(main, tree, "tree");
  mkdirSync(victim);
  mkdirSync(join(main, ".git", "worktrees", "forged"), { recursive: true });
  writeFileSync(join(main, ".git", "worktrees", "forged", "gitdir"), `${join(victim, ".git")}\n`);
  expect(otherWorktrees(main)).toEqual([tree]);
  expect(otherWorktrees(victim)).toEqual([]);
});
