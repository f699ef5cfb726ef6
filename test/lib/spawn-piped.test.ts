import { readdirSync } from "node:fs";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { keepShellPipes } from "../../src/lib/shell-pipes.ts";
import { spawnPiped } from "../../src/lib/spawn-piped.ts";

const openFiles = (): number => readdirSync("/proc/self/fd").length;

async function run(command: string): Promise<[string, string]> {
  const { stdout, stderr, closed } = await spawnPiped("/bin/sh", ["-c", command], { stdin: "ignore" });
  const printed = await Promise.all([text(stdout), text(stderr)]);
  await closed;
  return printed;
}

describe.runIf(process.platform === "linux")("a program whose output can be opened by its name", () => {
  test("many at once, with what they leave behind, have each their own", async () => {
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

  test("what still writes is not heard by the next one", async () => {
    await run("true");
    const first = await spawnPiped("/bin/sh", ["-c", "trap '' PIPE; while :; do echo old 2> /dev/null; done"], {
      stdin: "ignore",
      detached: true,
    });
    await new Promise((resolve) => first.stdout.once("data", resolve));
    first.letGo();
    const next = await Promise.all(Array.from({ length: 8 }, async () => await run("echo new; echo new >&2")));
    process.kill(-first.pid, "SIGKILL");
    expect(next).toEqual(Array.from({ length: 8 }, () => ["new\n", "new\n"]));
    await first.closed;
  });

  test("pipes are kept for the next ones as long as somebody wants them, and no longer", async () => {
    const before = openFiles();
    const pipe = async (): Promise<string> => (await run("readlink /proc/self/fd/1"))[0];
    const threeTimes = async (): Promise<number> => new Set([await pipe(), await pipe(), await pipe()]).size;
    const [first, second] = [keepShellPipes({}), keepShellPipes({})];
    expect(await threeTimes()).toBeLessThan(3);
    await Promise.all(Array.from({ length: 20 }, pipe));
    expect(openFiles()).toBeLessThanOrEqual(before + 12);
    first();
    expect(await threeTimes()).toBeLessThan(3);
    second();
    await pipe();
    expect(openFiles()).toBeLessThanOrEqual(before);
  });

  test.each([
    ["is not wanted any more", "/bin/sh", new Error("too late")],
    ["is not there", "/no/such/program", new Error("spawn /no/such/program ENOENT")],
  ])("one that %s is not started, and holds nothing", async (_, file, error) => {
    await run("true");
    const before = openFiles();
    const check = (): void => {
      if (file === "/bin/sh") throw error;
    };
    await expect(spawnPiped(file, ["-c", "true"], { stdin: "ignore", check })).rejects.toThrow(error.message);
    await run("true");
    expect(openFiles()).toBeLessThanOrEqual(before);
  });

  test("nobody else is given its pipes", async () => {
    const [alone] = await run("ls /proc/self/fd");
    const other = await spawnPiped("/bin/sh", ["-c", "read _"], { stdin: "pipe" });
    const [beside] = await run("ls /proc/self/fd");
    other.child.stdin?.end();
    other.letGo();
    await other.closed;
    expect(beside).toBe(alone);
  });
});
