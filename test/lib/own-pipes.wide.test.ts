import { ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { makesOwnPipes, spawnWithOwnPipes } from "../../src/lib/own-pipes.ts";
import { canHavePipes } from "../../src/lib/shell-pipes.ts";
import { isAlive } from "../tools/support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Over a folder of its own. In a process of its own: what shells have shown of themselves, and pipes, are kept for all of one. */
function opened(body: string): { folder: string; args: string[] } {
  const folder = temporaryFolder();
  const source = (name: string): string =>
    JSON.stringify(pathToFileURL(join(import.meta.dirname, "../../src/lib", name)));
  const script = `
    import { existsSync, readFileSync } from "node:fs";
    import { text } from "node:stream/consumers";
    const { makesOwnPipes } = await import(${source("own-pipes.ts")});
    const { keepShellPipes } = await import(${source("shell-pipes.ts")});
    const { spawnPiped } = await import(${source("spawn-piped.ts")});
    const cwd = ${JSON.stringify(folder)};
    const children = () => readFileSync("/proc/thread-self/children", "utf8").trim().split(" ").filter(Boolean);
    const start = (command, { shell = "/bin/sh", ...more } = {}) =>
      spawnPiped(shell, ["-c", command], {
        cwd,
        stdin: "ignore",
        reports: true,
        ownPipes: ["-c", makesOwnPipes + command],
        ...more,
      });
    async function run(command, more) {
      const { stdout, stderr, closed } = await start(command, more);
      const printed = await Promise.all([text(stdout), text(stderr)]);
      await closed;
      return printed;
    }
    ${body}`;
  return { folder, args: ["--input-type=module", "-e", script] };
}

async function alone(body: string, before: readonly string[] = []): Promise<unknown> {
  const [file = "", ...args] = [...before, process.execPath, ...opened(body).args];
  const { stdout } = await promisify(execFile)(file, args);
  return JSON.parse(stdout);
}

describe.runIf(process.platform === "linux")("a shell that makes its own pipes", () => {
  test("is not used under Bun, whose sockets could not read the output", () => {
    expect(canHavePipes()).toBe(true);
    expect(canHavePipes({ ...process.versions, bun: "1.4.5" })).toBe(false);
  });

  // Seen: on a busy machine the shell was over before its socket was looked up, and a process it left behind was not found.
  test("names the socket that its descendants inherit, as it was before the script began, also with pipes of a run before", async () => {
    const found = await alone(`
      const letGo = keepShellPipes({});
      const pairs = [];
      for (let time = 0; time < 2; time += 1) {
        let started;
        const check = () => void (started = children().length);
        const { stdout, reportSocket, closed } = await start("readlink /proc/$$/fd/3", { check });
        pairs.push([(await text(stdout)).trim(), reportSocket, started]);
        await closed;
      }
      await letGo();
      console.log(JSON.stringify(pairs));`);
    const [made, idle] = found as [string, string, number][];
    // The second shell is started after the check: it was given pipes.
    expect([made?.[2], idle?.[2]]).toEqual([1, 0]);
    for (const [inShell, reportSocket] of [made!, idle!]) {
      expect(reportSocket).toMatch(/^socket:\[\d+\]$/u);
      expect(inShell).toBe(reportSocket);
    }
  });

  test.each(["/bin/sh", "/bin/bash"].filter((shell) => existsSync(shell)))(
    "lets %s open its output by name, and passes none of its extra descriptors on to programs",
    async (shell) => {
      const found = await alone(`
        const shell = ${JSON.stringify(shell)};
        const letGo = keepShellPipes({});
        let started;
        const check = () => void (started = children().length);
        const [pipe] = await run("readlink /proc/self/fd/1", { shell, check });
        const [again] = await run("readlink /proc/self/fd/1", { shell });
        const printed = await run("echo out > /dev/stdout; echo err > /dev/stderr", { shell });
        const [open] = await run("cd /proc/self/fd; echo *", { shell });
        await letGo();
        const left = children().length;
        console.log(JSON.stringify({ started, pipe, again, printed, open: open.trim().split(" "), left }));`);
      expect(found).toMatchObject({ started: 1, printed: ["out\n", "err\n"], left: 0 });
      const { pipe, again, open } = found as { pipe: string; again: string; open: string[] };
      expect(pipe).toMatch(/^pipe:/);
      expect(again).toMatch(/^pipe:/);
      expect(open).toEqual(expect.not.arrayContaining(["6", "7"]));
    },
  );

  test("does not begin before the check has passed, and never runs if the check fails, or the one made once the shell has asked", async () => {
    const found = await alone(`
      const seen = [];
      const { promise, resolve } = Promise.withResolvers();
      const waiting = run("touch done", { check: () => promise });
      // It is there, and has asked.
      const [pid] = children();
      while (!existsSync("/proc/" + pid + "/fd/7")) await new Promise(setImmediate);
      for (let turn = 0; turn < 200; turn += 1) await new Promise(setImmediate);
      seen.push(existsSync(cwd + "/done"));
      resolve();
      await waiting;
      seen.push(existsSync(cwd + "/done"));
      const refused = await run("touch refused", { check: async () => { throw new Error("not now"); } }).catch((error) => error.message);
      const recheck = () => { throw new Error("no more"); };
      const late = await run("touch refused", { check: async () => {}, recheck }).catch((error) => error.message);
      console.log(JSON.stringify({ seen, refused, late, left: children().length, ran: existsSync(cwd + "/refused") }));`);
    expect(found).toEqual({ seen: [false, true], refused: "not now", late: "no more", left: 0, ran: false });
  });

  test("is not given up because the machine was held up: what it asked before the time limit counts", async () => {
    const found = await alone(`
      const limits = [];
      const { setTimeout: soon } = globalThis;
      globalThis.setTimeout = (action, _ms, ...values) => (limits.push(() => action(...values)), 0);
      let checks = 0;
      const ownPipes = ["-c", makesOwnPipes.replace("read -r", ": >asked;read -r") + "echo out"];
      const running = await new Promise((resolve) => soon(() => {
        const running = run("echo again", { ownPipes, check: () => void (checks += 1) });
        // Without a turn of the event loop: a busy process has not heard that it asks.
        while (!existsSync(cwd + "/asked"));
        limits.forEach((limit) => limit());
        resolve([running]);
      }, 0));
      console.log(JSON.stringify({ printed: await running[0], checks }));`);
    expect(found).toEqual({ printed: ["out\n", ""], checks: 1 });
  });

  test("ends without having run the script when the process that started it is killed", async () => {
    const { folder, args } = opened(`
      const check = () => {
        console.log(children()[0]);
        return new Promise((resolve) => setTimeout(resolve, 60_000));
      };
      await run("touch ran", { check });`);
    const starter = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const [first] = (await once(starter.stdout, "data")) as [Buffer];
    const pid = Number(first.toString());
    starter.kill("SIGKILL");
    await once(starter, "exit");
    while (isAlive(pid)) await new Promise(setImmediate);
    expect(existsSync(join(folder, "ran"))).toBe(false);
  });

  test.runIf(existsSync("/bin/bash"))(
    "is replaced by ready-made pipes if it cannot make its own, and has run nothing before",
    async () => {
      // As bash before 5.1: a here-document is a file.
      const found = await alone(`
      const env = { PATH: process.env.PATH, BASH_COMPAT: "50" };
      const shell = "/bin/bash";
      const printed = await run("readlink /proc/self/fd/1; echo once >> ran; cat ran >&2", { shell, env });
      console.log(JSON.stringify({ pipe: printed[0], ran: printed[1] }));`);
      expect(found).toEqual({ pipe: expect.stringMatching(/^pipe:/), ran: "once\n" });
    },
  );

  test("rejects with the system's error if it cannot be started", async () => {
    const found = await alone(`
      const missing = await run("true", { cwd: cwd + "/missing" }).catch((error) => error.code);
      console.log(JSON.stringify(missing));`);
    expect(found).toBe("ENOENT");
  });

  test("leaves no timer behind if it cannot be started for lack of file descriptors", async () => {
    const fewFiles = ["/bin/sh", "-c", 'ulimit -n 60; exec "$@"', "sh"];
    const found = await alone(
      `
        import { closeSync, openSync } from "node:fs";
        // Modules that load something on first use have loaded it.
        await run("true");
        const held = [];
        // Until there is no file left to open.
        try { for (;;) held.push(openSync("/dev/null")); }
        catch (error) { if (error.code !== "EMFILE") throw error; }
        const code = await run("true").catch((error) => error.code);
        held.forEach((file) => closeSync(file));
        console.log(JSON.stringify([code, process.getActiveResourcesInfo().filter((name) => name === "Timeout")]));`,
      fewFiles,
    );
    expect(found).toEqual(["EMFILE", []]);
  });
});

test("a shell that could not be started is not killed, because its missing pid could name another process", async () => {
  const kill = vi.spyOn(ChildProcess.prototype, "kill");
  onTestFinished(() => kill.mockRestore());
  const child = spawnWithOwnPipes("/nowhere/bash", ["-c", makesOwnPipes], { stdin: "ignore", check: undefined });
  expect(await child).toBeUndefined();
  expect(kill).not.toHaveBeenCalled();
});
