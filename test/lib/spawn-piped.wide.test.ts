import { execFile } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { spawnPiped } from "../../src/lib/spawn-piped.ts";

async function run(command: string): Promise<[string, string]> {
  const { stdout, stderr, closed } = await spawnPiped("/bin/sh", ["-c", command], { stdin: "ignore" });
  const printed = await Promise.all([text(stdout), text(stderr)]);
  await closed;
  return printed;
}

/** What a program prints that has these, and nothing else in its process. */
async function alone(body: string): Promise<Record<string, unknown>> {
  const source = (name: string): string =>
    JSON.stringify(pathToFileURL(join(import.meta.dirname, "../../src/lib", name)));
  const script = `
    import { readdirSync, readFileSync } from "node:fs";
    import { text } from "node:stream/consumers";
    const { keepShellPipes, makeShellPipesAhead } = await import(${source("shell-pipes.ts")});
    const { spawnPiped } = await import(${source("spawn-piped.ts")});
    const openFiles = () => readdirSync("/proc/self/fd").length;
    const children = () => readFileSync("/proc/thread-self/children", "utf8").trim();
    // What was let go of is closed within the next turns of the event loop once the shells are gone.
    async function moreThan(before) {
      while (children() !== "") await new Promise(setImmediate);
      for (let turn = 0; turn < 1_000 && openFiles() > before; turn += 1) await new Promise(setImmediate);
      return openFiles() - before;
    }
    async function run(command) {
      const { stdout, stderr, closed } = await spawnPiped("/bin/sh", ["-c", command], { stdin: "ignore" });
      const printed = await Promise.all([text(stdout), text(stderr)]);
      await closed;
      return printed;
    }
    ${body}`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe.runIf(process.platform === "linux")("spawnPiped", () => {
  test("gives each of many programs its own pipes, including the processes they leave behind", async () => {
    const many = Array.from({ length: 30 }, (_, index) => `${index}\n`.repeat(20_000));
    const commands = many.map((lines) => {
      const line = lines.slice(0, lines.indexOf("\n"));
      return `yes ${line} | head -n 20000 > /dev/stdout; (exec > /dev/null; echo e${line} > /dev/stderr) &`;
    });
    for (let round = 0; round < 2; round += 1) {
      const printed = await Promise.all(commands.map(run));
      expect(printed).toEqual(many.map((lines, index) => [lines, `e${index}\n`]));
    }
  });

  test("does not mix the output of an old program that still writes into that of the next one", async () => {
    await run("true");
    const first = await spawnPiped("/bin/sh", ["-c", "trap '' PIPE; while :; do echo old 2> /dev/null; done"], {
      stdin: "ignore",
      detached: true,
    });
    await new Promise((resolve) => first.stdout.once("data", resolve));
    first.releasePipes();
    const next = await Promise.all(Array.from({ length: 8 }, async () => await run("echo new; echo new >&2")));
    process.kill(-first.pid, "SIGKILL");
    expect(next).toEqual(Array.from({ length: 8 }, () => ["new\n", "new\n"]));
    await first.closed;
  });

  // In a process of their own: others keep pipes in this one.
  test("keeps pipes for later programs as long as somebody wants them, and no longer", async () => {
    const found = await alone(`
      const pipe = async () => (await run("readlink /proc/self/fd/1"))[0];
      const threeTimes = async () => new Set([await pipe(), await pipe(), await pipe()]).size;
      await run("true");
      const before = openFiles();
      const [first, second] = [keepShellPipes({}), keepShellPipes({})];
      const kept = await threeTimes();
      await Promise.all(Array.from({ length: 20 }, pipe));
      const tooMany = await moreThan(before + 12);
      await first();
      const still = await threeTimes();
      await second();
      await pipe();
      console.log(JSON.stringify({ kept, tooMany, still, left: await moreThan(before) }));`);
    expect(found["kept"]).toBeLessThan(3);
    expect(found["still"]).toBeLessThan(3);
    expect(found["tooMany"]).toBeLessThanOrEqual(0);
    expect(found["left"]).toBeLessThanOrEqual(0);
  });

  test("uses pipes that were made ahead at once, and they are empty", async () => {
    const found = await alone(`
      const { readlinkSync } = await import("node:fs");
      await run("true");
      // Until the shell that made the pipes for it is gone: it would be one of the children.
      await keepShellPipes({})();
      const before = openFiles();
      const letGo = keepShellPipes({});
      makeShellPipesAhead();
      makeShellPipesAhead();
      const started = children().split(" ");
      // Without a turn of the event loop: a busy process has received no event.
      while (readlinkSync("/proc/" + started[0] + "/cwd") !== "/proc");
      const printed = await run("echo out; echo err > /dev/stderr");
      const more = await Promise.all([run("echo one"), run("echo two")]);
      await letGo();
      console.log(JSON.stringify({ started: started.length, printed, more, left: await moreThan(before) }));`);
    expect(found).toEqual({
      started: 1,
      printed: ["out\n", "err\n"],
      more: [
        ["one\n", ""],
        ["two\n", ""],
      ],
      left: expect.any(Number),
    });
    expect(found["left"]).toBeLessThanOrEqual(0);
  });

  describe("after the machine was held up", () => {
    /** Time limits come when they are called. */
    const heldUp = `
      const { readlinkSync } = await import("node:fs");
      const limits = [];
      globalThis.setTimeout = (action, _ms, ...values) => (limits.push(() => action(...values)), 0);
      const reachLimits = () => limits.splice(0).forEach((limit) => limit());
      function linkOf(path) {
        try { return readlinkSync(path); } catch { return undefined; }
      }
      const toStderr = async () => (await run("echo err > /dev/stderr"))[1] === "err\\n";`;

    // Seen: the limit came before the word of a shell that was done. It was killed, and no program had pipes from then on.
    test("takes the pipes of a shell whose time limit comes before its word", async () => {
      const found = await alone(`${heldUp}
        const letGo = keepShellPipes({});
        makeShellPipesAhead();
        const [shell] = readFileSync("/proc/thread-self/children", "utf8").split(" ");
        while (linkOf("/proc/" + shell + "/cwd") !== "/proc");
        reachLimits();
        while (linkOf("/proc/" + shell + "/fd/6") !== undefined);
        const first = await toStderr();
        await letGo();
        console.log(JSON.stringify({ first, later: await toStderr() }));`);
      expect(found).toEqual({ first: true, later: true });
    });

    test("makes pipes again if a shell was late once, and no more after two in a row", async () => {
      const found = await alone(`${heldUp}
        const { ChildProcess } = await import("node:child_process");
        const { spawn } = ChildProcess.prototype;
        let isLate = false;
        let shells = 0;
        ChildProcess.prototype.spawn = function (options) {
          const { args } = options;
          if (args.at(-1).includes("cd /proc")) shells += 1;
          return spawn.call(this, isLate ? { ...options, args: [...args.slice(0, -1), "read _"] } : options);
        };
        async function withLateShell() {
          isLate = true;
          const running = toStderr();
          reachLimits();
          isLate = false;
          return await running;
        }
        const first = [await withLateShell(), await toStderr()];
        const last = [await withLateShell(), await withLateShell(), await toStderr()];
        console.log(JSON.stringify({ first, last, shells }));`);
      expect(found).toEqual({ first: [false, true], last: [false, false, false], shells: 4 });
    });
  });

  test("closes pipes that were made ahead once nobody wants them", async () => {
    const found = await alone(`
      await run("true");
      const before = openFiles();
      const letGo = keepShellPipes({});
      makeShellPipesAhead();
      const during = openFiles() > before;
      await letGo();
      console.log(JSON.stringify({ during, left: await moreThan(before) }));`);
    expect(found["during"]).toBe(true);
    expect(found["left"]).toBeLessThanOrEqual(0);
  });

  test.each([
    ["is not wanted any more", "/bin/sh", "too late"],
    ["is not there", "/no/such/program", "spawn /no/such/program ENOENT"],
  ])("starts no program that %s, and leaves no file open", async (_, file, message) => {
    const found = await alone(`
      await run("true");
      const before = openFiles();
      const check = () => { if ("${file}" === "/bin/sh") throw new Error("too late"); };
      const why = await spawnPiped("${file}", ["-c", "true"], { stdin: "ignore", check }).catch((error) => error.message);
      await run("true");
      console.log(JSON.stringify({ why, left: await moreThan(before) }));`);
    expect(found["why"]).toBe(message);
    expect(found["left"]).toBeLessThanOrEqual(0);
  });

  test("passes the pipes of one program to no other program", async () => {
    const [first] = await run("ls /proc/self/fd");
    const other = await spawnPiped("/bin/sh", ["-c", "read _"], { stdin: "pipe" });
    const [beside] = await run("ls /proc/self/fd");
    other.child.stdin?.end();
    other.releasePipes();
    await other.closed;
    expect(beside).toBe(first);
  });
});
