// A work tree is gone from its repository, too, where git did not get to remove it.
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { quoteForShell } from "../../src/lib/shell-quote.ts";
import type { HookInput } from "../../src/protocol/hook.ts";
import { systemClock } from "../../src/lib/system-clock.ts";
import { makeTree, settleTree, type TreeWorld } from "../../src/session/worktrees/tree.ts";
import { addWorktree, dropWorktree, planWorktree } from "../../src/session/worktrees/worktree.ts";
import type { Settings } from "../../src/settings/settings.ts";
import { nodeProcesses } from "../../src/transcript/process-table.ts";
import { clearGrounds } from "./support.ts";
import { git, repository } from "./worktree-support.ts";

afterEach(clearGrounds);

test("a worktree whose removal git aborted is removed from the repository, and its name is free again", async () => {
  const ground = repository();
  const tools = join(ground.home, "tools");
  mkdirSync(tools);
  const own = join(tools, "git");
  const broken = join(tools, "broken");
  // Ends without having removed anything, once.
  const script = `#!/bin/sh
case "$*" in *"worktree remove"*) if [ ! -e '${broken}' ]; then : > '${broken}'; exit 137; fi;; esac
PATH=${quoteForShell(process.env["PATH"] ?? "")} exec git "$@"
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

test("a worktree whose folder was deleted without git is created again with its branch's commits", async () => {
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

test("a worktree that a hook names again is kept for its commits, and only new ones go to the remove hook", async () => {
  const ground = repository();
  const path = join(ground.home, "tree");
  const removed: string[] = [];
  // As scripts do: an existing one is continued.
  const run = async (input: HookInput) => {
    if (input.hook_event_name === "WorktreeRemove") removed.push(path);
    else if (!existsSync(path)) git(ground.work, "worktree", "add", "-q", "-b", "hooked", path);
    return { notices: [], blocking: [], additionalContext: [], worktreePath: path };
  };
  const env = { PATH: process.env["PATH"] ?? "", HOME: ground.home };
  const settings = {} as Settings;
  const more = { clock: systemClock, settings, notice: () => {}, machine: { processes: nodeProcesses } };
  const around = { cwd: ground.work, home: ground.home, pawlHome: ground.pawlHome, env, ...more };
  const world: TreeWorld = { around, hooks: { has: () => true, run } };
  const { signal } = new AbortController();
  const first = await makeTree(world, "tree", signal);
  git(path, "commit", "-q", "--allow-empty", "-m", "work");
  expect((await settleTree(world, first))?.text).toContain("commits of its own");
  const linked = join(ground.home, "link");
  symlinkSync(ground.work, linked);
  // A session that continues there does nothing. A host may name its project by a link.
  for (const cwd of [ground.work, linked]) {
    const again = await makeTree({ ...world, around: { ...around, cwd } }, "tree", signal);
    expect((await settleTree(world, again))?.path).toBe(path);
  }
  expect(removed).toEqual([]);
  git(ground.work, "worktree", "remove", path);
  git(ground.work, "branch", "-D", "hooked");
  expect(await settleTree(world, await makeTree(world, "tree", signal))).toBeUndefined();
  expect(removed).toEqual([path]);
});
