import { existsSync, mkdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createWorld, type World } from "./command.ts";

let world: World;
beforeAll(async () => {
  world = await createWorld({ fallback: "4" });
});
afterAll(() => world.close());

const oneLine = /^pawl: [^\n]+\n$/u;

describe("a usage error prints one sentence to stderr, nothing to stdout, and exits with 2", () => {
  test.each<[string[], string]>([
    [["-p", "x", "--max-turns", "0"], "--max-turns needs a whole number of 1 or more"],
    [["-p", "x", "--frob"], "Unknown flag --frob"],
    [["-p", "x", "--chrome"], "--chrome is not built yet"],
    [["-p", "x", "--outputformat", "json"], "did you mean --output-format?"],
    [
      ["-p", "x", "--system-prompt-file", "none.md"],
      "none.md cannot be read: there is no such file or folder (ENOENT)",
    ],
    [["-p", "x", "--add-dir", "none"], "none does not exist"],
    [["-p", "x", "--debug-file", "none/debug.log"], "cannot be written: there is no such file or folder (ENOENT)"],
    [["-p"], "No prompt"],
    [["-p", "  "], "No prompt"],
    [
      ["-p", "--allowed-tools", "Read", "Summarise"],
      'or on standard input; a prompt after a list needs "--" before it.',
    ],
    [["-p", "--add-dir", ".", "fix the tests"], 'fix the tests does not exist; a prompt after a list needs "--"'],
    [
      ["-p", "--mcp-config", '{"mcpServers":{}}', "fix the tests"],
      'fix the tests cannot be read: there is no such file or folder (ENOENT); a prompt after a list needs "--"',
    ],
    [[], "A conversation needs a terminal, and there is no prompt to answer"],
    [["--resume"], "name it with --resume <session>"],
  ])("%j", async (args, message) => {
    const { code, stdout, stderr } = await world.run(args);
    expect(stderr).toContain(message);
    expect(stderr).toMatch(oneLine);
    expect([code, stdout]).toEqual([2, ""]);
  });

  test.skipIf(!existsSync("/dev/full"))(
    "help that cannot be written is one sentence on stderr and exit code 1",
    async () => {
      const { code, stderr } = await world.run(["--help"], { shell: 'exec "$@" > /dev/full' });
      expect(stderr).toContain("the output could not be written");
      expect(stderr).toMatch(oneLine);
      expect(code).toBe(1);
    },
  );

  test("for a missing key says which variable to set", async () => {
    const { code, stdout, stderr } = await world.run(["-p", "x"], {
      env: { ANTHROPIC_API_KEY: undefined, ANTHROPIC_BASE_URL: undefined },
    });
    expect(stderr).toMatch(/ANTHROPIC_API_KEY/u);
    expect(stderr).toMatch(oneLine);
    expect([code, stdout]).toEqual([2, ""]);
  });

  test("for a base URL without a scheme says how it must begin", async () => {
    const { code, stdout, stderr } = await world.run(["-p", "x"], { env: { ANTHROPIC_BASE_URL: "localhost:8080" } });
    expect(stderr).toMatch(/ANTHROPIC_BASE_URL must begin with http:/u);
    expect(stderr).toMatch(oneLine);
    expect([code, stdout]).toEqual([2, ""]);
  });

  test("for a missing key comes at once, even with stdin open", async () => {
    const { done } = world.start(["-p"], {
      stdin: "open",
      env: { ANTHROPIC_API_KEY: undefined, ANTHROPIC_BASE_URL: undefined },
    });
    expect((await done).code).toBe(2);
  });

  test("for an unknown session names the session", async () => {
    const { code, stderr } = await world.run(["-p", "x", "--resume", "0d3f6a52-9c5e-4f0b-8a55-0f3a9a3c1b11"]);
    expect(stderr).toMatch(oneLine);
    expect(stderr).toContain("0d3f6a52-9c5e-4f0b-8a55-0f3a9a3c1b11");
    expect(code).toBe(2);
  });

  test("for a deleted current folder says so", async () => {
    const gone = join(world.folder, "gone");
    mkdirSync(gone);
    const { done } = world.start(["-p", "x"], { shell: 'rmdir "$PWD"; exec "$@"', cwd: gone });
    const { code, stderr } = await done;
    expect(stderr).toContain("pawl: The current folder is gone");
    expect(code).toBe(2);
    expect(() => rmdirSync(gone)).toThrow(/ENOENT/u);
  });

  test("for a second prompt, or for 11 MB on stdin, says so", async () => {
    expect((await world.run(["-p", "a", "b"])).stderr).toContain("One prompt only");
    const { code, stderr } = await world.run(["-p", "x"], { input: Buffer.alloc(11_000_000, 97) });
    expect(stderr).toContain("larger than 10 MB");
    expect(code).toBe(2);
  });
});

describe("help and version", () => {
  test("are printed to stdout with exit code 0", async () => {
    const help = await world.run(["--help"]);
    expect([help.code, help.stderr]).toEqual([0, ""]);
    expect(help.stdout).toContain("--output-format <format>");
    for (const args of [["--version"], ["-v"], ["-p", "--version"]]) {
      const version = await world.run(args);
      expect([version.code, version.stderr]).toEqual([0, ""]);
      expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/u);
    }
  });

  test("help piped into head prints no error", async () => {
    const { done } = world.start(["--help"], { shell: '"$@" | head -1; echo "${PIPESTATUS[0]}"' });
    expect(await done).toMatchObject({ stdout: 'Usage: pawl [flags] ["prompt"]\n0\n', stderr: "" });
  });

  test("pawl mock serves a script until SIGTERM, and exits with 2 for a missing script", async () => {
    const script = join(world.folder, "script.json");
    const { writeFileSync } = await import("node:fs");
    writeFileSync(script, JSON.stringify({ fallback: "hello" }));
    const { child, saw, done } = world.start(["mock", "--script", script]);
    await saw("ANTHROPIC_BASE_URL=http://127.0.0.1:");
    child.kill("SIGTERM");
    expect((await done).code).toBe(0);
    const wrong = await world.run(["mock", "--script", "none.json"]);
    expect(wrong.code).toBe(2);
  });
});

describe("without a terminal, a prompt is answered as with -p", () => {
  test("if it is an argument", async () => {
    expect(await world.run(["hello"])).toMatchObject({ code: 0, stdout: "4\n" });
  });

  test("if it is piped in, with or without an argument", async () => {
    expect(await world.run(["what is this?"], { input: "a log" })).toMatchObject({ code: 0, stdout: "4\n" });
    expect(JSON.stringify(world.server.requests.at(-1)?.body)).toContain("what is this?\\na log");
    expect(await world.run([], { input: "only this" })).toMatchObject({ code: 0, stdout: "4\n" });
  });
});
