import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { compileCacheVariables } from "../support/compile-cache.ts";
import { jsonLines } from "../support/json-lines.ts";
import { worldOfEachTest } from "./support/worlds.ts";

const open = worldOfEachTest();

const bash = (command: string) => ({
  content: [{ tool: "Bash", input: { command, description: "run" } }],
});

const sessionId = /pawl: session ([\da-f-]{36}), kept in (.*)\n/u;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Waits for a condition outside our reach: another process's death or file. Ends with the test's own limit. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe("output", () => {
  test("text: stdout has only the answer; stderr names the session, its file and the resume command", async () => {
    const { run, folder, server } = await open({ fallback: "The answer is 4." });
    const { code, stdout, stderr } = await run(["-p", "2+2?"]);
    expect([code, stdout]).toEqual([0, "The answer is 4.\n"]);
    const [, id = "", path = ""] = sessionId.exec(stderr) ?? [];
    expect(existsSync(path)).toBe(true);
    expect(stderr).toContain(`pawl: resume with: pawl -p --resume ${id} "…"\n`);
    const resumed = await run(["-p", "--resume", id, "and 3+3?", "--output-format", "json"]);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ type: "result", subtype: "success", session_id: id });
    expect(server.requests.at(-1)?.path).toBe("/v1/messages");
    expect(folder).not.toBe("");
  });

  test("json: one result; with --verbose, an array of all messages", async () => {
    const { run } = await open({ fallback: "ok" });
    const one = await run(["-p", "x", "--output-format", "json"]);
    expect(JSON.parse(one.stdout)).toMatchObject({
      type: "result",
      subtype: "success",
      is_error: false,
      result: "ok",
      num_turns: 1,
    });
    const all = await run(["-p", "x", "--output-format=json", "--verbose"]);
    const types = (JSON.parse(all.stdout) as { type: string }[]).map(({ type }) => type);
    expect([types[0], types.includes("assistant"), types.at(-1)]).toEqual(["system", true, "result"]);
  });

  test("stream-json: one message per line, and the deltas add up to the answer", async () => {
    const text = "naïve 👩‍👩‍👧 ".repeat(300);
    const { run } = await open({ fallback: { content: text, pace: { deltaCharacters: 7, bytesPerChunk: 11 } } });
    const { code, stdout } = await run(["-p", "x", "--output-format", "stream-json", "--include-partial-messages"]);
    const messages = jsonLines(stdout);
    const deltas = messages
      .filter(({ type }) => type === "stream_event")
      .map(({ event }) => (event as { delta?: { text?: string } }).delta?.text ?? "");
    expect(deltas.join("")).toBe(text);
    expect(messages.at(-1)).toMatchObject({ type: "result", result: text });
    expect(messages.filter(({ type }) => type === "result")).toHaveLength(1);
    expect(code).toBe(0);
    const plain = await run(["-p", "x", "--output-format", "stream-json", "--verbose"]);
    expect(jsonLines(plain.stdout).some(({ type }) => type === "stream_event")).toBe(false);
  });

  test("--no-session-persistence keeps nothing", async () => {
    const { run } = await open({ fallback: "ok" });
    const { stderr } = await run(["-p", "x", "--no-session-persistence"]);
    expect(stderr).toMatch(/^pawl: session [\da-f-]{36} was not kept\n$/u);
  });

  test("--verbose shows progress on stderr, including a retry", async () => {
    const { run } = await open({
      steps: [
        { fault: { kind: "overloaded", headers: { "retry-after-ms": "20" } } },
        { content: [{ tool: "Read", input: { file_path: "none.txt" } }] },
        "done",
      ],
    });
    const { code, stderr, stdout } = await run(["-p", "x", "--verbose"]);
    expect([code, stdout]).toEqual([0, "done\n"]);
    expect(stderr).toMatch(/retrying in \d/u);
    expect(stderr).toContain("● Read none.txt\n");
    expect(stderr).not.toContain("\x1b[");
  });

  test("the debug file has request ids and transitions, but no key", async () => {
    const { run, folder } = await open({
      steps: [{ content: [{ tool: "Read", input: { file_path: "none.txt" } }] }, "done"],
    });
    await run(["-p", "x", "--debug-file", "debug.log"]);
    const log = readFileSync(join(folder, "debug.log"), "utf8");
    expect(log).toMatch(/request=req_/u);
    expect(log).toContain("transition next_turn");
    expect(log).not.toContain("test-key-123");
  });
});

describe("input", () => {
  test("piped text follows the argument", async () => {
    const { run, server } = await open({ fallback: "ok" });
    await run(["-p", "explain:"], { input: "line one\nline two\n" });
    expect(JSON.stringify(server.requests[0]?.body)).toContain(String.raw`explain:\nline one\nline two`);
    await run(["-p"], { input: "only this" });
    expect(JSON.stringify(server.requests[1]?.body)).toContain("only this");
  });

  test("stderr says which files that the argument names were not read, but is silent about at signs in piped text", async () => {
    const { run, folder } = await open({ fallback: "ok" });
    writeFileSync(join(folder, "a.txt"), "one\n");
    writeFileSync(join(folder, "b.bin"), Buffer.alloc(9));
    const { stdout, stderr } = await run(
      ["-p", String.raw`see @a.txt, @gone\ away.txt, @b.bin and @/etc/shadow; thanks @alice`],
      {
        input: "node_modules/x needs @types/node",
      },
    );
    const news = stderr.split("\n").filter((line) => !/^pawl: (?:session|resume with)|^$/u.test(line));
    expect([stdout, news]).toEqual([
      "ok\n",
      [
        "pawl: Nothing was read for @gone away.txt: there is no such file",
        expect.stringMatching(/^pawl: Not read: b\.bin is binary data /u),
        expect.stringMatching(/^pawl: Not read: \/etc\/shadow/u),
      ],
    ]);
    expect((await run(["-p"], { input: "see @gone.txt" })).stderr).toContain("Nothing was read for @gone.txt");
  });

  test("stdin may be closed, /dev/null or a file", async () => {
    const { start } = await open({ fallback: "ok" });
    for (const shell of ['"$@" <&-', '"$@" < /dev/null', '"$@" < /etc/hostname']) {
      const { code, stdout } = await start(["-p", "x"], { shell }).done;
      expect([code, stdout]).toEqual([0, "ok\n"]);
    }
  });

  test("stream-json input: several turns in one session, a bad line reported, control requests answered", async () => {
    const { run } = await open({ steps: ["first", "second"] });
    const user = (content: string): string =>
      JSON.stringify({ type: "user", message: { role: "user", content }, parent_tool_use_id: null, session_id: "" });
    const control = JSON.stringify({ type: "control_request", request_id: "r1", request: { subtype: "set_color" } });
    const { code, stdout } = await run(["-p", "--input-format", "stream-json", "--output-format", "stream-json"], {
      input: `${user("one")}\n{oops\n${control}\n${user("two")}`,
    });
    const messages = jsonLines(stdout);
    const results = messages.filter(({ type }) => type === "result");
    expect(results.map(({ result }) => result)).toEqual(["first", "second"]);
    expect(new Set(results.map(({ session_id: id }) => id)).size).toBe(1);
    expect(messages.filter(({ type }) => type === "control_response")).toHaveLength(1);
    expect(code).toBe(1);
  });
});

describe("the exit code", () => {
  test("is 3 at the turn limit", async () => {
    const { run } = await open({ fallback: bash("true") });
    const { code, stdout, stderr } = await run(["-p", "x", "--max-turns", "2", "--allowed-tools", "Bash"]);
    expect([code, stdout]).toEqual([3, ""]);
    expect(stderr).toContain("maximum number of turns (2)");
    expect(stderr).toMatch(sessionId);
  });

  test("is 4 at the budget", async () => {
    const { run, server } = await open({ fallback: "ok" });
    const { code, stdout } = await run(["-p", "x", "--max-budget-usd", "0.000001", "--output-format", "json"]);
    expect(code).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject({ subtype: "error_max_budget_usd" });
    expect(server.bill.totalUsd).toBe(0);
  });

  test("is 1 after an API error, with request id and resume command on stderr", async () => {
    const { run } = await open({ fallback: { fault: "unauthenticated" } });
    const { code, stdout, stderr } = await run(["-p", "x"]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/req_/u);
    expect(stderr).toMatch(sessionId);
    expect(stderr).not.toMatch(/\n\s+at /u);
  });

  test("is 2 for an unknown session, and JSON output says why", async () => {
    const { run } = await open({ fallback: "never" });
    const why = "No conversation found with session ID: nowhere";
    const want = { type: "result", subtype: "error_during_execution", is_error: true, errors: [why], num_turns: 0 };
    for (const format of ["json", "stream-json"]) {
      const end = await run(["-p", "x", "--resume", "nowhere", "--output-format", format]);
      expect([end.code, end.stderr]).toEqual([2, `pawl: ${why}\n`]);
      expect(JSON.parse(end.stdout)).toMatchObject({ ...want, failure: { code: "session_not_found" } });
    }
    const all = await run(["-p", "x", "--resume", "nowhere", "--output-format", "json", "--verbose"]);
    expect(JSON.parse(all.stdout)).toMatchObject([want]);
    expect((await run(["-p", "x", "--resume", "nowhere"])).stdout).toBe("");
  });

  test("is 2 if no work tree can be made, and JSON output says why", async () => {
    const { run } = await open({ fallback: "never" });
    for (const more of [
      ["-p", "x", "--output-format", "json"],
      ["--input-format", "stream-json", "--output-format", "stream-json"],
    ]) {
      const end = await run(["--worktree", "tree", ...more]);
      expect(end.code).toBe(2);
      expect(JSON.parse(end.stdout)).toMatchObject({
        terminal_reason: "turn_setup_failed",
        errors: [expect.stringContaining("is not in a git repository, so no work tree can be made of it.")],
      });
    }
  });

  test("is 0 if a tool was refused, and stderr names the flag that allows it", async () => {
    const { run, folder } = await open({ steps: [bash("touch made") ?? "", "I may not."] });
    const { code, stdout, stderr } = await run(["-p", "x"]);
    expect([code, stdout]).toEqual([0, "I may not.\n"]);
    expect(stderr).toContain('To allow it, start pawl with --allowed-tools "Bash(touch made)".\n');
    expect(existsSync(join(folder, "made"))).toBe(false);
  });
});

// Each signal in each phase of a turn: stops.test.ts.
describe("signals", () => {
  test("SIGINT twice ends pawl at once, with a command that ignores signals", async () => {
    const { start, folder } = await open({
      fallback: bash("trap '' TERM INT HUP; echo $$ > pid; while :; do sleep 1; done"),
    });
    const pidFile = join(folder, "pid");
    const { child, saw, done } = start(["-p", "x", "--allowed-tools", "Bash", "--verbose"]);
    await until(() => existsSync(pidFile) && readFileSync(pidFile, "utf8").endsWith("\n"));
    child.kill("SIGINT");
    await saw("pawl: interrupting");
    child.kill("SIGINT");
    await saw("pawl: resume with:");
    expect((await done).code).toBe(130);
    const pid = Number(readFileSync(pidFile, "utf8"));
    await until(() => !isAlive(pid));
  });

  test("SIGHUP under nohup does not end the run", async () => {
    const waiting = bash("echo > begun; until [ -e go ]; do sleep 0.05; done");
    const { start, folder } = await open({ steps: [waiting], fallback: "whole" });
    const { child, done } = start(["-p", "x", "--allowed-tools", "Bash"], {
      shell: 'exec env _=/usr/bin/nohup nohup "$@"',
    });
    await until(() => existsSync(join(folder, "begun")));
    child.kill("SIGHUP");
    writeFileSync(join(folder, "go"), "");
    expect(await done).toMatchObject({ code: 0, stdout: "whole\n" });
  });

  test("a reader that takes one line ends the run quietly with 141", async () => {
    const { start } = await open({ fallback: { content: "word ".repeat(50_000), pace: { deltaCharacters: 20 } } });
    const shell = '"$@" | head -1 >/dev/null; echo "${PIPESTATUS[0]}"';
    const args = ["-p", "x", "--output-format", "stream-json", "--include-partial-messages"];
    expect(await start(args, { shell }).done).toMatchObject({ stdout: "141\n", stderr: "" });
  });

  test("a slow reader gets everything", async () => {
    const { start } = await open({ fallback: { content: "word ".repeat(20_000), pace: { deltaCharacters: 20 } } });
    const shell = '"$@" | { sleep 1; wc -l; }';
    const args = ["-p", "x", "--output-format", "stream-json", "--include-partial-messages"];
    const { stdout } = await start(args, { shell }).done;
    expect(Number(stdout)).toBeGreaterThan(5000);
  });
});

describe("a defect inside pawl", () => {
  test("prints one sentence and the resume command, exits with 1, and leaves its stack only in the debug file", async () => {
    const { run, folder } = await open({ fallback: { content: "slow", fault: { kind: "stall", at: "headers" } } });
    const script = fileURLToPath(new URL("./crash-later.ts", import.meta.url));
    const { code, stdout, stderr } = await run(["-p", "x", "--debug-file", "debug.log"], {
      script,
      env: compileCacheVariables(),
    });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(
      /^pawl: something went wrong inside pawl: a defect, provoked \(.*debug\.log records where\)\n/u,
    );
    expect(stderr).toMatch(sessionId);
    expect(stderr).not.toMatch(/\n\s+at /u);
    expect(readFileSync(join(folder, "debug.log"), "utf8")).toMatch(/defect Error: a defect, .*provoked\n\s+at /u);
  });
});

describe("unusual standard streams", () => {
  test("a closed stdout, a full disk, an unread stderr and a folder as stdin are handled", async () => {
    const { start } = await open({ fallback: "ok" });
    const end = async (shell: string): Promise<string> => (await start(["-p", "x"], { shell }).done).stdout;
    expect(await end('"$@" >&- 2>/dev/null; echo $?')).toMatch(/^[01]\n$/u);
    expect(await end('"$@" 2>&1 >/dev/full | grep -c "could not be written"; echo "${PIPESTATUS[0]}"')).toBe("1\n1\n");
    expect(await end('"$@" 2> >(exec 0<&-); echo $?')).toBe("ok\n0\n");
    expect(await end('"$@" < / 2>/dev/null; echo $?')).toMatch(/^(?:2|ok\n0)\n$/u);
  });
});
