// What of the user's environment says where git is at home, and whom it works for, holds for what pawl asks git as well.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { gitStatus } from "../../src/knowledge/git-status.ts";
import { runGitResult } from "../../src/knowledge/run-git.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let root = "";
let repo = "";
let env: Record<string, string> = {};

beforeEach(() => {
  root = temporaryFolder();
  repo = join(root, "repo");
  for (const name of ["repo", "home"]) mkdirSync(join(root, name));
  env = { PATH: process.env["PATH"] ?? "", HOME: join(root, "home"), GIT_CONFIG_NOSYSTEM: "1" };
  execFileSync("git", ["init", "-q", repo], { env });
});

const globalOf = (text: string): string => {
  const path = join(root, "global");
  writeFileSync(path, text);
  return path;
};

test("uses the user's configuration that GIT_CONFIG_GLOBAL names", async () => {
  writeFileSync(join(repo, "noise.txt"), "");
  writeFileSync(join(root, "ignored"), "*.txt\n");
  expect(await gitStatus({ cwd: repo, env })).toContain("noise.txt");
  const GIT_CONFIG_GLOBAL = globalOf(`[core]\n\texcludesFile = ${join(root, "ignored")}\n`);
  expect(await gitStatus({ cwd: repo, env: { ...env, GIT_CONFIG_GLOBAL } })).toContain("Status: clean");
});

test("runs no program that the user's configuration names", async () => {
  const canary = join(root, "canary");
  writeFileSync(join(repo, "a.txt"), "a");
  writeFileSync(join(repo, ".gitattributes"), "*.txt filter=f\n");
  execFileSync("git", ["add", "."], { cwd: repo, env });
  writeFileSync(join(repo, "a.txt"), "b");
  const program = `touch ${canary}; cat`;
  const GIT_CONFIG_GLOBAL = globalOf(`[core]\n\tfsmonitor = "${program}"\n[filter "f"]\n\tclean = "${program}"\n`);
  for (const more of [{ GIT_CONFIG_GLOBAL }, { GIT_CONFIG_SYSTEM: GIT_CONFIG_GLOBAL, GIT_CONFIG_NOSYSTEM: "0" }]) {
    expect(await gitStatus({ cwd: repo, env: { ...env, ...more } })).toContain("a.txt");
    expect(existsSync(canary)).toBe(false);
  }
});

test("shows file names in other scripts unchanged, and odd ones quoted by git", async () => {
  for (const name of ["中文.txt", "ü b.md", "a\nb", "\u202ex"]) writeFileSync(join(repo, name), "");
  const status = await gitStatus({ cwd: repo, env });
  expect(status).toMatch(/^\?\? 中文\.txt$/mu);
  expect(status).toContain('?? "ü b.md"');
  expect(status).toContain('?? "a\\nb"');
  expect(status).not.toContain("\u202e");
});

test("shows names and subjects in UTF-8, whatever the configuration says", async () => {
  for (const name of ["a.txt", "新闻.txt"]) writeFileSync(join(repo, name), "");
  const author = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
  execFileSync("git", [...author, "add", "a.txt"], { cwd: repo, env });
  execFileSync("git", [...author, "commit", "-q", "-m", "修复"], { cwd: repo, env });
  const GIT_CONFIG_GLOBAL = globalOf("[i18n]\n\tlogOutputEncoding = GBK\n[core]\n\tquotePath = true\n");
  const told = await gitStatus({ cwd: repo, env: { ...env, GIT_CONFIG_GLOBAL } });
  expect(told).toContain("?? 新闻.txt");
  expect(told).toMatch(/ 修复$/u);
});

// Git lets root work in the repositories of the user who called sudo.
test("passes SUDO_UID to git", async () => {
  const bin = join(root, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "git"), '#!/bin/sh\necho "$SUDO_UID"\n', { mode: 0o755 });
  const PATH = `${bin}${delimiter}${env["PATH"]}`;
  const place = { cwd: repo, top: repo, program: join(bin, "git"), env: { ...env, PATH, SUDO_UID: "1000" } };
  expect(await runGitResult(["status"], { ...place, limitMs: 60_000 })).toMatchObject({ ok: true, output: "1000\n" });
});

test("an aborted signal ends a running git and starts no new one", async () => {
  const place = { cwd: repo, top: repo, program: join(root, "slow"), env, limitMs: 10_000 };
  const asked = new AbortController();
  writeFileSync(place.program, "#!/bin/sh\n: > begun\nread x < never\n", { mode: 0o755 });
  execFileSync("mkfifo", [join(repo, "never")]);
  const end = runGitResult(["status"], { ...place, signal: asked.signal });
  await expect.poll(() => existsSync(join(repo, "begun"))).toBe(true);
  asked.abort();
  expect(await end).toEqual({ ok: false, why: "it was cancelled" });
  expect(await runGitResult(["status"], { ...place, signal: asked.signal })).toEqual({
    ok: false,
    why: "it was cancelled",
  });
});
