// Which folders are work trees of one repository: by its files alone, and only where both sides say so.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { otherWorktrees } from "../../src/knowledge/git-worktrees.ts";

function place(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-trees-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

function link(main: string, tree: string, name: string, back = join(tree, ".git")): void {
  const own = join(main, ".git", "worktrees", name);
  mkdirSync(own, { recursive: true });
  mkdirSync(tree, { recursive: true });
  writeFileSync(join(own, "gitdir"), `${back}\n`);
  writeFileSync(join(own, "commondir"), "../..\n");
  writeFileSync(join(tree, ".git"), `gitdir: ${own}\n`);
}

test("each worktree names the others, including the main one", () => {
  const root = place();
  const [main, one, two] = ["main", "one", "two"].map((name) => join(root, name)) as [string, string, string];
  link(main, one, "one");
  link(main, two, "two");
  expect(otherWorktrees(join(main, "."))).toEqual([one, two]);
  expect(otherWorktrees(one)).toEqual([main, two]);
});

test("worktrees with relative paths name each other, too", () => {
  const root = place();
  const [main, tree] = ["main", "trees/one"].map((name) => join(root, name)) as [string, string];
  link(main, tree, "one", "../../../../trees/one/.git");
  writeFileSync(join(tree, ".git"), "gitdir: ../../main/.git/worktrees/one\n");
  expect(otherWorktrees(main)).toEqual([tree]);
  expect(otherWorktrees(tree)).toEqual([main]);
});

test("a folder that does not confirm that it is a worktree is not listed", () => {
  const root = place();
  const [main, tree, victim] = ["main", "tree", "victim"].map((name) => join(root, name)) as [string, string, string];
  link(main, tree, "tree");
  mkdirSync(victim);
  mkdirSync(join(main, ".git", "worktrees", "forged"), { recursive: true });
  writeFileSync(join(main, ".git", "worktrees", "forged", "gitdir"), `${join(victim, ".git")}\n`);
  expect(otherWorktrees(main)).toEqual([tree]);
  expect(otherWorktrees(victim)).toEqual([]);
});
