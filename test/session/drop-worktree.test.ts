// A work tree is gone from its repository, too, where git did not get to remove it.
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { shellQuoted } from "../../src/lib/shell-quote.ts";
import { addWorktree, dropWorktree, planWorktree } from "../../src/session/worktrees/worktree.ts";
import { clearGrounds } from "./support.ts";
import { git, repository } from "./worktree-support.ts";

afterEach(clearGrounds);

test("a work tree whose removal git broke off leaves nothing in the repository, and its name can be had again", async () => {
  const ground = repository();
  const tools = join(ground.home, "tools");
  mkdirSync(tools);
  const own = join(tools, "git");
  const broken = join(tools, "broken");
  // Ends without having removed anything, once.
  const script = `#!/bin/sh
case "$*" in *"worktree remove"*) if [ ! -e '${broken}' ]; then : > '${broken}'; exit 137; fi;; esac
PATH=${shellQuoted(process.env["PATH"] ?? "")} exec git "$@"
`;
  writeFileSync(own, script);
  chmodSync(own, 0o755);
  const env = { PATH: `${tools}:${process.env["PATH"]}`, HOME: ground.home };
  const places = { cwd: ground.work, env, pawlHome: ground.pawlHome };
  const { signal } = new AbortController();
  const tree = await addWorktree(await planWorktree("one", places, signal), places, signal);
  await dropWorktree(tree, env);
  expect(existsSync(broken)).toBe(true);
  expect(existsSync(tree.path)).toBe(false);
  expect(git(ground.work, "worktree", "list").split("\n")).toHaveLength(1);
  const again = await addWorktree(await planWorktree("one", places, signal), places, signal);
  expect(existsSync(again.path)).toBe(true);
  await dropWorktree(again, env);
});

test("one whose folder somebody removed without git is made anew at once, with what its branch has", async () => {
  const ground = repository();
  const env = { PATH: process.env["PATH"] ?? "", HOME: ground.home };
  const places = { cwd: ground.work, env, pawlHome: ground.pawlHome };
  const { signal } = new AbortController();
  const tree = await addWorktree(await planWorktree("one", places, signal), places, signal);
  writeFileSync(join(tree.path, "work.txt"), "done\n");
  git(tree.path, "add", "work.txt");
  git(tree.path, "commit", "-qm", "work");
  rmSync(tree.path, { recursive: true });
  const again = await addWorktree(await planWorktree("one", places, signal), places, signal);
  expect(existsSync(join(again.path, "work.txt"))).toBe(true);
  expect(git(ground.work, "worktree", "list").split("\n")).toHaveLength(2);
  await dropWorktree(again, env);
});
