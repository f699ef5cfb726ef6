import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createKeyHelper, runHelperCommand } from "../../src/settings/key-source.ts";
import { hasCompleteLine, withGrowingLimit } from "../support/growing-limit.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "pawl-key-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const env = { PATH: process.env["PATH"], MY_PLACE: "here" };
const helper = (command: string, limitMs?: number) =>
  createKeyHelper(command, env, limitMs === undefined ? {} : { limitMs });

describe("a key helper", () => {
  test("returns what its command prints, and runs once for all callers", async () => {
    const file = join(folder, "runs");
    const source = helper(`echo x >> '${file}'; echo "  key-$MY_PLACE  "`);
    expect(existsSync(file)).toBe(false);
    expect(await Promise.all([source.get(), source.get()])).toEqual(["key-here", "key-here"]);
    expect(await source.get()).toBe("key-here");
    expect(readFileSync(file, "utf8")).toBe("x\n");
  });

  test("runs again for a refused key, and keeps the new one", async () => {
    const file = join(folder, "count");
    const source = helper(`echo x >> '${file}'; wc -l < '${file}'`);
    expect(await source.get()).toBe("1");
    expect(await source.refresh()).toBe("2");
    expect(await source.get()).toBe("2");
  });

  test.each([
    ["exit 3", "exit 3"],
    ["echo 'vault is sealed' >&2; exit 1", "vault is sealed"],
    ["true", "printed nothing"],
    ["echo two words", "more than one word"],
    ["head -c 200000 /dev/zero | tr '\\0' k", "nothing else"],
    ["kill -9 $$", "SIGKILL"],
  ])("explains why it has no key: %s", async (command, part) => {
    const source = helper(command);
    await expect(source.get()).rejects.toThrow(part);
    await expect(source.get()).rejects.toThrow(part);
  });

  test("runs again after a failure, and returns the key that is then printed", async () => {
    const file = join(folder, "unlocked");
    const source = helper(`test -e '${file}' && echo key || { touch '${file}'; exit 3; }`);
    await expect(source.get()).rejects.toThrow("exit 3");
    expect(await source.get()).toBe("key");
  });

  test("kills a command that hangs, with its child processes", async () => {
    const file = join(folder, "pid");
    await withGrowingLimit(300, async (ms) => {
      const source = helper(`sleep 600 & echo $! > '${file}'; wait`, ms);
      await expect(source.get()).rejects.toThrow(`did not finish within ${ms / 1_000} s`);
      return hasCompleteLine(file);
    });
    const pid = Number(readFileSync(file, "utf8"));
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  test("ends its command when the session ends", async () => {
    const ended = new AbortController();
    const asked = runHelperCommand("otelHeadersHelper", "sleep 60", env, undefined, ended.signal);
    ended.abort();
    await expect(asked).rejects.toThrow("otelHeadersHelper was ended with the session.");
  });

  test("does not wait for a process that its command left running", async () => {
    expect(await helper("sleep 600 & echo key").get()).toBe("key");
  });
});

function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/mu.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
