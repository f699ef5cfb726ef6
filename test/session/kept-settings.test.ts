// What outlives a session, as it is written: whole on the medium before it counts, and nothing of a process that died stays beside it.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { AuthStore } from "../../src/mcp/auth-store.ts";
import { changeServers } from "../../src/mcp/user-file.ts";
import { writePieces } from "../../src/session/sessions/export-file.ts";
import { changeSettings, type ConfigChange } from "../../src/session/settings/config-change.ts";
import { addTrust } from "../../src/settings/trust.ts";
import { put } from "../support/put.ts";
import { clearGroundsAfterwards, layGround, type Ground } from "./support.ts";

clearGroundsAfterwards();

async function change(
  { work, home, pawlHome }: Ground,
  scope: ConfigChange["scope"],
  value = "opus",
  cwd = work,
): Promise<string> {
  const places = { cwd, home, env: { PAWL_HOME: pawlHome }, notice: () => {} };
  return (await changeSettings({ verb: "set", key: "model", value, scope }, places)).messages.join("\n");
}

const write: Record<string, (ground: Ground) => Promise<unknown>> = {
  settings: (ground) => change(ground, "user"),
  trust: ({ pawlHome, work }) => addTrust(pawlHome, work, "hash", "2026-01-01T00:00:00.000Z"),
  servers: ({ pawlHome }) => changeServers(join(pawlHome, "mcp.json"), (servers) => void (servers["docs"] = {})),
  logins: ({ pawlHome }) =>
    new AuthStore(join(pawlHome, "mcp-auth.json")).change("docs", "http://127.0.0.1:9/", (auth) => {
      auth.scope = "read";
    }),
};

// A power cut could leave an empty file under the name: rules that forbid were gone, and no folder was trusted.
test.each(Object.keys(write))("a write of %s is flushed to the disk before it replaces the old file", async (kind) => {
  const ground = layGround();
  mkdirSync(ground.pawlHome, { recursive: true });
  const handle = await open(ground.work);
  const syncing = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, "sync");
  onTestFinished(() => syncing.mockRestore());
  await handle.close();
  await write[kind]?.(ground);
  expect(syncing).toHaveBeenCalledTimes(1);
});

// Seen: one with the settings of a project stayed in it for ever, as something to commit.
test("drafts of a dead process are removed by the next write, but not those of a living one", async () => {
  const ground = layGround();
  const { work } = ground;
  const [dead, unseen] = [".pawl-4000000-0123456789abcdef01.tmp", ".pawl-4000001-0123456789abcdef01.tmp"];
  for (const folder of [join(work, ".pawl"), work])
    for (const draft of [dead, unseen]) {
      put(join(folder, draft), "half of");
      if (draft === dead) utimesSync(join(folder, draft), 1, 1);
    }
  await change(ground, "local");
  writePieces(join(work, "talk.md"), ["all of it"], {});
  expect(readdirSync(join(work, ".pawl")).toSorted()).toEqual([unseen, "settings.local.json"]);
  expect(readdirSync(work)).toEqual(expect.arrayContaining([unseen, "talk.md"]));
  expect(readdirSync(work)).not.toContain(dead);
});

// Seen: an answer that is kept for a folder stood among what the next `git add .` took along.
test("a new local settings file is excluded from git, and an existing one is left alone", async () => {
  const ground = layGround();
  const git = (...words: string[]): string => execFileSync("git", words, { cwd: ground.work, encoding: "utf8" });
  const status = (): string => git("status", "--porcelain", "--untracked-files=all");
  git("init", "-q");
  const exclude = join(ground.work, ".git/info/exclude");
  put(exclude, "*.log");
  mkdirSync(join(ground.work, "sub"));
  expect(await change(ground, "local", "opus", join(ground.work, "sub"))).toContain("Git leaves it out of commits");
  expect([status(), readFileSync(exclude, "utf8")]).toEqual(["", "*.log\n/.pawl/settings.local.json\n"]);
  await change(ground, "project");
  expect(status()).toBe("?? .pawl/settings.json\n");
  put(exclude, "");
  expect(await change(ground, "local", "sonnet")).not.toContain("commits");
  expect(status()).toContain("settings.local.json");
  rmSync(join(ground.work, ".pawl/settings.local.json"));
  rmSync(exclude);
  symlinkSync(put(join(ground.home, "mine"), "x"), exclude);
  expect(await change(ground, "local")).toContain("may get into a commit");
  expect(readFileSync(join(ground.home, "mine"), "utf8")).toBe("x");
  // Seen: of a submodule nothing was said.
  rmSync(join(ground.work, ".pawl/settings.local.json"));
  git("init", "-q", "--separate-git-dir", join(ground.home, "elsewhere"));
  expect(await change(ground, "local")).toContain("may get into a commit");
});

// The system may write less than it is given, as on a disk that becomes full. It was then said that git leaves the file out.
test.runIf(process.platform === "linux")("a line that git is given only in part is reported as not written", () => {
  const { work } = layGround();
  execFileSync("git", ["init", "-q"], { cwd: work });
  put(join(work, ".git/info/exclude"), `#${"x".repeat(509)}\n`);
  const module = JSON.stringify(new URL("../../src/session/settings/exclude-from-git.ts", import.meta.url).href);
  const settings = JSON.stringify(join(work, ".pawl/settings.local.json"));
  const script = `const { excludeFromGit } = await import(${module}); console.log(excludeFromGit(${settings}).join());`;
  const node = [process.execPath, "--input-type=module", "-e", script];
  const args = ["-c", 'trap "" XFSZ; ulimit -f 1; exec "$@"', "sh", ...node];
  expect(execFileSync("sh", args, { encoding: "utf8" })).toContain("may get into a commit");
});
