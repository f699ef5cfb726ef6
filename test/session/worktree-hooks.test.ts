// What a repository's configuration names as hooks runs in nothing that git is started for on the user's behalf.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { gitStatus } from "../../src/knowledge/git-status.ts";
import { fetchPullRequest } from "../../src/session/worktrees/pull-request.ts";
import { addWorktree, dropWorktree, placeOf, planWorktree } from "../../src/session/worktrees/worktree.ts";
import { nodeProcesses } from "../../src/transcript/process-table.ts";
import { put } from "../support/put.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let root = "";
let env: Record<string, string> = {};
const signal = new AbortController().signal;
beforeEach(() => {
  root = temporaryFolder();
  for (const name of ["home", "bin", "repo"]) mkdirSync(join(root, name));
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  writeFileSync(
    join(root, "bin/git"),
    `#!/bin/sh\nprintf '%s ' "$@" >> "${root}/started"\necho >> "${root}/started"\nexec ${real} "$@"\n`,
  );
  chmodSync(join(root, "bin/git"), 0o755);
  env = {
    PATH: [join(root, "bin"), process.env["PATH"]].join(delimiter),
    HOME: join(root, "home"),
    GIT_CONFIG_NOSYSTEM: "1",
  };
  const git = (...args: string[]) =>
    execFileSync(real, ["-c", "user.name=A", "-c", "user.email=a@example.com", ...args], {
      cwd: join(root, "repo"),
      env,
      stdio: "ignore",
    });
  git("init", "-q");
  git("commit", "-q", "--allow-empty", "-m", "first");
  git("config", "hook.Trap.event", "post-checkout");
  git("config", "hook.Trap.command", `: > "${root}/canary"`);
});

test("git makes, removes and inspects a work tree with configured hooks switched off by name", async () => {
  const places = { cwd: join(root, "repo"), pawlHome: join(root, "home/.pawl"), env };
  const tree = await addWorktree(await planWorktree("agent-x", places, signal), places, signal);
  await dropWorktree(tree, env);
  await gitStatus({ cwd: join(root, "repo"), env, timeoutMs: 20_000 });
  const started = readFileSync(join(root, "started"), "utf8").split("\n");
  for (const command of ["worktree add", "worktree remove", "update-ref -d", "status"]) {
    const line = started.find((each) => each.includes(` ${command} `));
    expect(line).toContain("-c hook.Trap.enabled=false -c hook.Trap.event= ");
  }
  expect(existsSync(join(root, "canary"))).toBe(false);
});

test("git fetches a pull request with configured hooks switched off by name", async () => {
  const other = join(root, "other");
  execFileSync("git", ["clone", "-q", "--bare", join(root, "repo"), other], { env, stdio: "ignore" });
  execFileSync("git", ["update-ref", "refs/pull/1/head", "HEAD"], { cwd: other, env });
  const remote = { name: "origin", url: other };
  const temporary = join(root, "temporary");
  const { host, space } = nodeProcesses;
  // What a process that was killed had fetched.
  put(join(temporary, "pawl-pull-dead/owner.json"), JSON.stringify({ pid: 2 ** 22 + 1, host, space }));
  const place = placeOf(join(root, "repo"), { ...env, CLAUDE_CODE_TMPDIR: temporary });
  await fetchPullRequest({ reference: "#1", number: "1" }, remote, place);
  expect(readdirSync(temporary)).toEqual([]);
  const fetches = readFileSync(join(root, "started"), "utf8")
    .split("\n")
    .filter((each) => each.includes(" fetch ") && each.includes(" refs/heads/pull "));
  expect(fetches).toEqual([expect.stringContaining("-c hook.Trap.enabled=false -c hook.Trap.event= ")]);
});
