// A folder's git files may lead to the repository of another folder, whose files and commits are not the folder's to show.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { gitStatus } from "../../src/knowledge/git-status.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let root = "";
let work = "";
let env: Record<string, string> = {};
const git = (cwd: string, ...args: string[]) => execFileSync("git", args, { cwd, env, stdio: "ignore" });

function makeRepository(folder: string, subject: string): void {
  mkdirSync(folder, { recursive: true });
  git(folder, "init", "-q");
  writeFileSync(join(folder, "a"), "x\n");
  git(folder, "add", "a");
  git(folder, "commit", "-q", "-m", subject);
}

beforeEach(() => {
  root = temporaryFolder();
  work = join(root, "work");
  env = { PATH: process.env["PATH"] ?? "", HOME: join(root, "home"), GIT_CONFIG_NOSYSTEM: "1" };
  mkdirSync(join(root, "home"));
  writeFileSync(
    join(root, "home/.gitconfig"),
    "[user]\n\tname = A\n\temail = a@example.com\n[protocol]\n\tallow = always\n",
  );
  makeRepository(join(root, "private"), "their commit");
  makeRepository(work, "own commit");
});

test.each<[string, () => void]>([
  ["a .git file", () => writeFileSync(join(work, ".git"), "gitdir: ../private/.git\n")],
  ["a link", () => symlinkSync("../private/.git", join(work, ".git"))],
  [
    "the .git file of another work tree",
    () => {
      git(join(root, "private"), "worktree", "add", "-q", join(root, "tree"));
      writeFileSync(join(work, ".git"), `gitdir: ${root}/private/.git/worktrees/tree\n`);
    },
  ],
])("a snapshot shows nothing of the repository of another folder: %s", async (_title, arrange) => {
  rmSync(join(work, ".git"), { recursive: true });
  arrange();
  expect(execFileSync("git", ["log"], { cwd: work, env, encoding: "utf8" }), "the trap works").toContain(
    "their commit",
  );
  expect(await gitStatus({ cwd: work, env })).toBeUndefined();
});

test("a snapshot shows the repository of a work tree and of a submodule", async () => {
  git(work, "worktree", "add", "-q", join(root, "tree"));
  git(work, "submodule", "--quiet", "add", join(root, "private"), "sub");
  expect(await gitStatus({ cwd: work, env })).toContain("own commit");
  expect(await gitStatus({ cwd: join(root, "tree"), env })).toContain("own commit");
  expect(await gitStatus({ cwd: join(work, "sub"), env })).toContain("their commit");
});
