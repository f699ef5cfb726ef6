// Where git finds its configuration is for git to say: what would be read in another place ran nothing here.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, renameSync } from "node:fs";
import { symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { findGitFolder, readBranch } from "../../src/knowledge/git-folder.ts";
import { gitStatus } from "../../src/knowledge/git-status.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let root = "";
let repo = "";
let env: Record<string, string> = {};

beforeEach(() => {
  root = temporaryFolder();
  repo = join(root, "repo");
  env = { PATH: process.env["PATH"] ?? "", HOME: root, GIT_CONFIG_NOSYSTEM: "1" };
  writeFileSync(join(root, ".gitconfig"), "[user]\n\tname = A\n\temail = a@example.com\n");
  git(["init", "-q", repo], root);
  writeFileSync(join(repo, "a"), "one\n");
  git(["add", "a"]);
  git(["commit", "-q", "-m", "first"]);
  writeFileSync(join(root, "evil"), `#!/bin/sh\n: > "${join(root, "canary")}"\ncat\n`);
  chmodSync(join(root, "evil"), 0o755);
});

const git = (args: string[], cwd = repo) => execFileSync("git", args, { cwd, env, stdio: "ignore" });

/** What was committed looks changed, so that git compares it through the filter. */
function filterIn(folder: string, gitFolder: string): void {
  git([`--git-dir=${gitFolder}`, "config", "filter.evil.clean", join(root, "evil")]);
  writeFileSync(join(folder, ".gitattributes"), "* filter=evil\n");
  writeFileSync(join(folder, "a"), "one\n");
  utimesSync(join(folder, "a"), 1, 1);
}

test.each<[string, () => string]>([
  [
    "by .. behind a link",
    () => {
      mkdirSync(join(repo, "other/below"), { recursive: true });
      symlinkSync("other/below", join(repo, "link"));
      renameSync(join(repo, ".git"), join(repo, "plain"));
      cpSync(join(repo, "plain"), join(repo, "other/plain"), { recursive: true });
      writeFileSync(join(repo, ".git"), "gitdir: link/../plain\n");
      filterIn(repo, join(repo, "other/plain"));
      return repo;
    },
  ],
  [
    "by a name that ends in a blank",
    () => {
      renameSync(join(repo, ".git"), join(repo, "plain"));
      cpSync(join(repo, "plain"), join(repo, "plain "), { recursive: true });
      writeFileSync(join(repo, ".git"), "gitdir: plain ");
      filterIn(repo, join(repo, "plain "));
      return repo;
    },
  ],
  [
    "by a name of two lines",
    () => {
      renameSync(join(repo, ".git"), join(repo, "plain"));
      cpSync(join(repo, "plain"), join(repo, "plain\nx"), { recursive: true });
      writeFileSync(join(repo, ".git"), "gitdir: plain\nx\n");
      filterIn(repo, join(repo, "plain\nx"));
      return repo;
    },
  ],
  [
    "above a folder whose .git is not a repository",
    () => {
      mkdirSync(join(repo, "sub/.git"), { recursive: true });
      filterIn(join(repo, "sub"), join(repo, ".git"));
      return join(repo, "sub");
    },
  ],
])("disables a filter in a configuration that git finds %s", async (_, arrange) => {
  const cwd = arrange();
  expect(await gitStatus({ cwd, env })).toContain("first");
  expect(existsSync(join(root, "canary"))).toBe(false);
  git([`--work-tree=${cwd}`, "status"], cwd);
  expect(existsSync(join(root, "canary")), "the trap works").toBe(true);
});

test("finds the git folder and the branch without running git", () => {
  git(["checkout", "-q", "-b", "own"]);
  mkdirSync(join(repo, "a-folder/b"), { recursive: true });
  expect(findGitFolder(join(repo, "a-folder/b"))).toBe(join(repo, ".git"));
  expect(readBranch(join(repo, "a-folder/b"))).toBe("own");
  const linked = join(root, "linked");
  git(["worktree", "add", "-q", "-b", "side", linked]);
  expect(readBranch(linked)).toBe("side");
  git(["checkout", "-q", "--detach"]);
  expect(readBranch(repo)).toBeUndefined();
  expect(findGitFolder(root)).toBeUndefined();
});
