import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { killTree, findInheritedSocket } from "../../src/lib/process-tree.ts";

const wholeDisk = ["--dev-bind", "/", "/"];
const source = (name: string): string =>
  JSON.stringify(pathToFileURL(join(import.meta.dirname, "../../src/lib", `${name}.ts`)));

/** Starts a group that ignores TERM, ends it, and prints whether it still exists. */
const script = (end: string, command = "trap '' TERM; sleep 50 & echo; wait; wait; wait"): string => `
  import { spawn } from "node:child_process";
  import { once } from "node:events";
  const { endTree, killTree } = await import(${source("process-tree")});
  const clock = { timer: (ms, run) => void setTimeout(run, ms) };
  const child = spawn("/bin/sh", ["-c", ${JSON.stringify(command)}], { detached: true, stdio: ["ignore", "pipe", "ignore"] });
  const over = once(child, "exit");
  const { pid, stdout } = child;
  await once(stdout, "data");
  await ${end};
  let isLeft = true;
  try { process.kill(-pid, 0) } catch { isLeft = false }
  console.log(JSON.stringify(isLeft));
  if (isLeft) process.kill(-pid, "SIGKILL");`;

describe.runIf(spawnSync("bwrap", [...wholeDisk, "true"]).status === 0)("a process group is ended", () => {
  test.each([
    ["if nothing is mounted at /proc", ["--tmpfs", "/proc"]],
    ["if /proc belongs to another namespace", []],
  ])("%s", async (_, world) => {
    for (const end of [
      "endTree({ group: pid, tag: crypto.randomUUID() }, { clock, graceMs: 20 })",
      "killTree({ group: pid, tag: crypto.randomUUID() }, clock)",
    ]) {
      const node = [process.execPath, "--input-type=module", "-e", script(end)];
      const { stdout } = await promisify(execFile)("bwrap", [...wholeDisk, ...world, "--unshare-pid", ...node]);
      expect(JSON.parse(stdout), end).toBe(false);
    }
  });
});

// Seen: a session could not be closed with too many open files, and stayed locked: "EMFILE: too many open files, scandir '/proc'".
test.runIf(process.platform === "linux")("ends a process group although no more files can be opened", async () => {
  const held = `(await import("node:fs")).openSync("/dev/null")`;
  for (const end of [
    "endTree({ group: pid, tag: crypto.randomUUID() }, { clock, graceMs: 20 })",
    "killTree({ group: pid, tag: crypto.randomUUID() }, clock)",
  ]) {
    // One process alone: the process that inherits the others when it ends may reap them late.
    const command = "trap '' TERM; echo; exec sleep 50";
    const text = script(`(async () => { try { for (;;) ${held} } catch {} await ${end}; await over })()`, command);
    const limited = ["-c", 'ulimit -n 64; exec "$@"', "sh", process.execPath, "--input-type=module", "-e", text];
    const { stdout } = await promisify(execFile)("/bin/sh", limited);
    expect(JSON.parse(stdout), end).toBe(false);
  }
});

// Seen: a command that ran out of time, and the end of each session with a command, failed for all but root.
test.runIf(process.platform === "linux")(
  "does not throw for a process of another user, which may not be inspected",
  () => {
    const { geteuid, seteuid } = process;
    const isRoot = geteuid?.() === 0;
    if (isRoot) seteuid?.(65_534);
    try {
      expect(() => findInheritedSocket(1, [3])).not.toThrow();
    } finally {
      if (isRoot) seteuid?.(0);
    }
  },
);

// Seen: a command that had left a process of another user (sudo) took ten seconds of looks more to end on a busy machine.
test.runIf(process.platform === "linux" && process.geteuid?.() === 0)(
  "does not wait for a process that it may not kill",
  async () => {
    const [other, another] = [1, 2];
    const child = spawn("sleep", ["50"], { detached: true, stdio: "ignore", uid: other, gid: other });
    await once(child, "spawn");
    let waits = 0;
    const timer = (_: number, run: () => void): (() => void) => ((waits += 1), queueMicrotask(run), () => {});
    process.seteuid?.(another);
    try {
      await killTree({ group: child.pid! }, { timer });
    } finally {
      process.seteuid?.(0);
    }
    const isAlive = child.kill("SIGKILL");
    expect({ waits, isAlive }).toEqual({ waits: 0, isAlive: true });
  },
);

test.runIf(process.platform === "linux")(
  "a tag that is too short ends no process that contains it by chance",
  async () => {
    const clock = { timer: (ms: number, run: () => void) => (setTimeout(run, ms), () => {}) };
    const tag = `t${crypto.randomUUID()}`;
    const short = tag.slice(0, 7);
    const [other, own] = [`${short}-other`, tag].map((value) => {
      const env = { PATH: process.env["PATH"] ?? "", ANY: `a${value}b` };
      return spawn("sleep", ["50"], { env, stdio: "ignore" });
    });
    try {
      await Promise.all([once(other!, "spawn"), once(own!, "spawn")]);
      const ended = once(own!, "exit");
      await killTree({ tag: short }, clock);
      await killTree({ tag }, clock);
      expect(await ended).toEqual([null, "SIGKILL"]);
      expect(other!.signalCode).toBeNull();
    } finally {
      other!.kill("SIGKILL");
    }
  },
);
