import { execFileSync } from "node:child_process";
import { EventEmitter } from "node:events";
import {
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { parseArguments } from "../../src/cli/args.ts";
import { createAppendingLog, openDebugLog } from "../../src/session/debug-log.ts";
import { engineOptions, type Surroundings } from "../../src/cli/engine-options.ts";
import { isUnderNohup, listenForSignals } from "../../src/cli/signals.ts";
import { settlesWithin } from "../../src/surface/deadline.ts";
import { StopDesk, type StopCause } from "../../src/surface/stop-desk.ts";
import type { EngineOptions } from "../../src/session/options/options.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pawl-cli-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe("listenForSignals and StopDesk", () => {
  function desk() {
    const source = new EventEmitter();
    const stop = new StopDesk();
    const left: StopCause[] = [];
    const heard: StopCause[] = [];
    listenForSignals(source, stop, (cause) => left.push(cause));
    return { source, stop, left, heard };
  }

  test("a signal ends the process at once if nothing listens for a stop", () => {
    const { source, left } = desk();
    source.emit("SIGINT");
    source.emit("SIGTERM");
    source.emit("SIGHUP");
    expect(left).toEqual(["interrupted", "terminated", "terminated"]);
  });

  test("signals of keys do nothing while another program has the terminal, but SIGTERM still stops", () => {
    const source = new EventEmitter();
    const [stop, left, heard]: [StopDesk, StopCause[], StopCause[]] = [new StopDesk(), [], []];
    const passesOver = (signal: NodeJS.Signals) => stop.isTerminalLent && signal !== "SIGTERM";
    listenForSignals(source, stop, (cause) => left.push(cause), passesOver);
    stop.onStop((cause) => heard.push(cause));
    stop.isTerminalLent = true;
    for (const signal of ["SIGINT", "SIGQUIT"]) source.emit(signal);
    expect([heard, left]).toEqual([[], []]);
    source.emit("SIGTERM");
    stop.isTerminalLent = false;
    source.emit("SIGQUIT");
    expect([heard, left]).toEqual([["terminated"], ["quit"]]);
  });

  test("an ignored SIGHUP neither stops the run nor ends the process", () => {
    const source = new EventEmitter();
    const left: StopCause[] = [];
    const passesOver = (signal: NodeJS.Signals) => signal === "SIGHUP";
    listenForSignals(source, new StopDesk(), (cause) => left.push(cause), passesOver);
    source.emit("SIGHUP");
    source.emit("SIGTERM");
    expect(left).toEqual(["terminated"]);
  });

  test("nohup is recognised by the variable _ or by a write-only standard input", () => {
    const stdin = join(folder, "fdinfo");
    const isBy = (flags: string, env: NodeJS.ProcessEnv = {}) => {
      writeFileSync(stdin, `pos:\t0\nflags:\t${flags}\nmnt_id:\t15\n`);
      return isUnderNohup(env, stdin);
    };
    expect([isBy("0100001"), isBy("0100000"), isBy("02")]).toEqual([true, false, false]);
    expect([isBy("0100000", { _: "/usr/bin/nohup" }), isBy("0", { _: "/usr/bin/env" })]).toEqual([true, false]);
    expect(isUnderNohup({}, join(folder, "none"))).toBe(false);
  });

  test("the first signal asks the run to stop, and the second one ends the process with the first cause", () => {
    const { source, stop, left, heard } = desk();
    stop.onStop((cause) => heard.push(cause));
    source.emit("SIGINT");
    expect([heard, left]).toEqual([["interrupted"], []]);
    source.emit("SIGTERM");
    expect([heard, left]).toEqual([["interrupted"], ["interrupted"]]);
  });

  test("SIGQUIT ends the process at once even if a listener is set", () => {
    const { source, stop, left, heard } = desk();
    stop.onStop((cause) => heard.push(cause));
    source.emit("SIGQUIT");
    source.emit("SIGINT");
    source.emit("SIGQUIT");
    expect([heard, left]).toEqual([["interrupted"], ["quit", "quit"]]);
  });

  test("SIGUSR1 has a listener that does nothing, so that Node does not open its debugger", () => {
    const { source, stop, left } = desk();
    expect(source.emit("SIGUSR1")).toBe(true);
    expect([stop.cause, left]).toEqual([undefined, []]);
  });

  test("a signal after the reader has gone ends the process with the signal's own cause", () => {
    const { source, stop, left } = desk();
    stop.onStop(() => undefined);
    stop.stop("output_closed");
    source.emit("SIGINT");
    expect(left).toEqual(["interrupted"]);
  });

  test("a listener that is set after the stop is called at once and can be removed", () => {
    const { stop } = desk();
    const heard: StopCause[] = [];
    stop.stop("terminated");
    stop.stop("interrupted");
    const leave = stop.onStop((cause) => heard.push(cause));
    expect([heard, stop.cause, stop.hasListener]).toEqual([["terminated"], "terminated", true]);
    leave();
    expect(stop.hasListener).toBe(false);
  });
});

describe("settlesWithin", () => {
  test("returns whether the work is done in time, and passes its error on", async () => {
    const never = new Promise<void>(() => undefined);
    const atOnce = (_milliseconds: number, late: () => void): (() => void) => {
      late();
      return () => undefined;
    };
    const notYet = (): (() => void) => () => undefined;
    expect(await settlesWithin(Promise.resolve(), 5, notYet)).toBe(true);
    expect(await settlesWithin(never, 5, atOnce)).toBe(false);
    await expect(settlesWithin(Promise.reject(new Error("no")), 5, notYet)).rejects.toThrow("no");
  });
});

describe("the debug file", () => {
  test.skipIf(!existsSync("/dev/full"))("drops a line that does not fit on the disk without throwing", () => {
    const log = openDebugLog("/dev/full", {});
    expect(() => log.write("a line")).not.toThrow();
  });

  test("appends to the file, creates it for the user alone, and replaces keys", () => {
    const file = join(folder, "debug.log");
    writeFileSync(file, "before\n");
    const log = openDebugLog(file, { ANTHROPIC_API_KEY: "sk-secret-123", ANTHROPIC_AUTH_TOKEN: "short" }, () => 0);
    log.write("sent sk-secret-123 short\nstack");
    expect(readFileSync(file, "utf8")).toBe("before\n1970-01-01T00:00:00.000Z sent [key] short\n  stack\n");
    const fresh = openDebugLog(join(folder, "new.log"), {});
    fresh.write("x");
    expect(statSync(fresh.path).mode & 0o777).toBe(0o600);
  });

  test("removes control sequences that a server, a model or a tool has sent", () => {
    const log = openDebugLog(join(folder, "debug.log"), { ANTHROPIC_API_KEY: "sk-secret-123" }, () => 0);
    log.write("request r\u009b31m\u001b]0;title\u0007 sk-se\u0000cret-123\rforged \u202e");
    expect(readFileSync(log.path, "utf8")).toBe("1970-01-01T00:00:00.000Z request r [key]\n  forged <U+202E>\n");
  });

  test("fails with a usage error if the file cannot be opened", () => {
    expect(() => openDebugLog(join(folder, "no", "debug.log"), {})).toThrow(
      /^--debug-file: .* cannot be written: there is no such file or folder \(ENOENT\)\.$/u,
    );
  });

  test("fails with a usage error, without waiting, for a pipe that nobody reads", () => {
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    expect(() => openDebugLog(pipe, {})).toThrow(
      /cannot be written: it is a socket, or a pipe that nobody reads \(ENXIO\)\.$/u,
    );
    // Of a session among many its lines are lost: that of query() held up the whole process of its host.
    expect(() => createAppendingLog(pipe, {})("a line")).not.toThrow();
  });

  // Seen: what was more than the pipe held was gone, and the line that had no room in it broke off.
  test.each([
    ["kept open", (path: string) => openDebugLog(path, {}, () => 0)],
    ["opened for each line", (path: string) => ({ write: createAppendingLog(path, {}, () => 0) })],
  ])("writes all lines in order to a pipe, %s, whose reader comes late", (_, open) => {
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    onTestFinished(() => closeSync(reader));
    const room = Buffer.alloc(200_000);
    const log = open(pipe);
    const lines = Array.from({ length: 30 }, (_line, at) => `${at} ${"x".repeat(5_000)}`);
    for (const line of lines) log.write(line);
    let read = room.toString("utf8", 0, readSync(reader, room));
    for (let at = 0; at < 3; at++) {
      log.write(`later ${at}`);
      read += room.toString("utf8", 0, readSync(reader, room));
    }
    const told = [...lines, "later 0", "later 1", "later 2"];
    expect(read).toBe(told.map((line) => `1970-01-01T00:00:00.000Z ${line}\n`).join(""));
  });
});

describe("engine options", () => {
  function optionsIn(env: Surroundings["env"], argv: string[]) {
    const command = parseArguments(argv);
    if (command.kind !== "run") throw new Error("no run");
    return engineOptions(command.run, { env, cwd: folder, version: "1.2.3" });
  }
  const options = (...argv: string[]) => optionsIn({ HOME: "/home/u" }, argv);

  test("passes the options of a headless run", () => {
    expect(options("-p", "x", "--max-turns", "3", "--allowed-tools", "Read")).toMatchObject({
      cwd: folder,
      home: "/home/u",
      version: "1.2.3",
      headless: true,
      includePartialMessages: false,
      maxTurns: 3,
      allowedTools: ["Read"],
      persistSession: true,
    });
  });

  // Seen: they took the place of those that settings name.
  test("passes --betas in addition to those of the environment", () => {
    const { betas, env } = optionsIn({ ANTHROPIC_BETAS: "own" }, ["-p", "--betas", "a,b", "--", "x"]);
    expect([betas, env]).toEqual([["a", "b"], { ANTHROPIC_BETAS: "own" }]);
  });

  test.each<[string[], Partial<EngineOptions>]>([
    [["--bare"], { bare: true }],
    [["--agent", "reviewer"], { agent: "reviewer" }],
    [["--agents", '{"a":{"description":"d","prompt":"p"}}'], { agents: { a: { description: "d", prompt: "p" } } }],
    [["--thinking", "disabled"], { thinking: { type: "disabled" } }],
    [["--thinking-display", "omitted"], { thinking: { type: "auto", display: "omitted" } }],
    [["--max-thinking-tokens", "5000"], { maxThinkingTokens: 5000 }],
    [["--task-budget", "20000"], { taskBudget: { total: 20_000 } }],
    [["--token-budget", "500k"], { tokenBudget: 500_000 }],
    [["--max-budget-usd", ".5"], { maxBudgetUsd: 0.5 }],
    [["--fallback-model", "sonnet"], { fallbackModel: "sonnet" }],
    [["--effort", "low"], { effort: "low" }],
    [["--speed", "fast"], { speed: "fast" }],
    [["--permission-mode", "plan"], { permissionMode: "plan" }],
    [["--disallowed-tools", "Bash"], { disallowedTools: ["Bash"] }],
    [["--tools", "Read"], { tools: ["Read"] }],
    [["--strict-mcp-config"], { strictMcpConfig: true }],
    [["--disable-slash-commands"], { verbatimPrompts: true, skills: [] }],
    [["--init"], { setup: "init" }],
    [["--maintenance"], { setup: "maintenance" }],
    [["--resume", "s"], { resume: "s" }],
    [["--continue", "--fork-session"], { continue: true, forkSession: true }],
    [["--name", "n"], { title: "n" }],
    [["--no-session-persistence"], { persistSession: false }],
    // Some clients send this to say that there are none.
    [["--setting-sources", ""], { settingSources: [] }],
    [["--setting-sources="], { settingSources: [] }],
    [
      ["--permission-prompts", "none", "--permission-prompt-tool", "mcp__a__b"],
      { permissionPromptToolName: undefined },
    ],
    [["--setting-sources", "user,local"], { settingSources: ["user", "local"] }],
    [["--settings", '{"model":"m"}'], { settings: '{"model":"m"}' }],
    [["--managed-settings", '{"model":"m"}'], { managedSettings: { model: "m" } }],
    [
      ["--input-format", "stream-json", "--output-format", "stream-json", "--permission-prompt-tool", "stdio"],
      { permissionPromptToolName: undefined },
    ],
    [["--permission-prompt-tool", "mcp__a__b"], { permissionPromptToolName: "mcp__a__b" }],
    [["--json-schema", '{"type":"object"}'], { outputFormat: { type: "json_schema", schema: { type: "object" } } }],
    [["--trust"], { trust: true }],
    [["--output-format", "stream-json", "--prompt-suggestions"], { promptSuggestions: true }],
    [["--forward-subagent-text"], { forwardSubagentText: true }],
    [["--exclude-dynamic-system-prompt-sections"], { excludeDynamicSections: true }],
    [["--append-subagent-system-prompt", "Be brief."], { appendSubagentSystemPrompt: "Be brief." }],
    [["--output-format", "stream-json", "--include-hook-events"], { includeHookEvents: true }],
    [["--safe-mode"], { env: { HOME: "/home/u", CLAUDE_CODE_SAFE_MODE: "1" } }],
  ])("passes %j to the session", (argv, want) => {
    expect(options("-p", ...argv)).toMatchObject(want);
  });

  test("streams partial messages in a conversation", () => {
    expect(options()).toMatchObject({ headless: false, includePartialMessages: true });
    // Which one is asked once there is a terminal to ask at.
    expect(options("--resume").resume).toBeUndefined();
  });

  test("sets the window of --autocompact over the environment's", () => {
    const env = { HOME: "/home/u", CLAUDE_CODE_AUTO_COMPACT_WINDOW: "200000" };
    const windowOf = (...argv: string[]): unknown => optionsIn(env, argv).env?.["CLAUDE_CODE_AUTO_COMPACT_WINDOW"];
    expect([windowOf("-p", "x"), windowOf("-p", "x", "--autocompact", "400k")]).toEqual(["200000", "400000"]);
  });

  test("reads prompt files from the working folder and joins appended texts", () => {
    writeFileSync(join(folder, "s.md"), "\ufeffsystem");
    writeFileSync(join(folder, "a.md"), "more");
    expect(
      options("--system-prompt-file", "s.md", "--append-system-prompt", "first", "--append-system-prompt-file", "a.md"),
    ).toMatchObject({
      systemPrompt: "system",
      appendSystemPrompt: "first\n\nmore",
    });
    expect(options("--system-prompt", "")).toMatchObject({ systemPrompt: "" });
    expect(() => options("--system-prompt-file", "none.md")).toThrow(
      /^--system-prompt-file: .*none\.md cannot be read: there is no such file or folder \(ENOENT\)\.$/u,
    );
  });

  test("refuses a prompt file of more than 10 MB without reading it", () => {
    writeFileSync(join(folder, "long.md"), "");
    truncateSync(join(folder, "long.md"), 10_000_001);
    for (const flag of ["--system-prompt-file", "--append-system-prompt-file"])
      expect(() => options(flag, "long.md")).toThrow(/^--.*-prompt-file: .*long\.md is larger than 10 MB\.$/u);
  });

  test("requires that additional folders exist", () => {
    writeFileSync(join(folder, "file"), "");
    expect(options("--add-dir", ".").addDirs).toEqual([folder]);
    expect(options("--plugin-dir", ".").pluginDirs).toEqual([folder]);
    expect(options("--plugin-dir-no-mcp", ".").pluginDirsWithoutServers).toEqual([folder]);
    expect(() => options("--add-dir", "gone")).toThrow(/^--add-dir: .*gone does not exist\.$/u);
    expect(() => options("--add-dir", "file")).toThrow(/^--add-dir: .*file is not a folder\.$/u);
  });
});
