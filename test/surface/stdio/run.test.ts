import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { agentsEndedPrompt } from "../../../src/session/query/late-agents.ts";
import type { DrivenEngine } from "../../../src/surface/engine-port.ts";
import { runStdio } from "../../../src/surface/stdio/run.ts";
import type { StdioRun } from "../../../src/surface/stdio/run-options.ts";
import { StopDesk } from "../../../src/surface/stop-desk.ts";
import { jsonLines } from "../../support/json-lines.ts";
import { failure, fakeEngine, success, type Turn } from "../support/messages.ts";
import { Collector, settled } from "../support/sink.ts";

function setup(turn: Turn, options: Partial<StdioRun> = {}) {
  const engine = fakeEngine(turn);
  const stdout = new Collector();
  const stderr = new Collector();
  const stop = new StopDesk();
  const run: StdioRun = {
    open: async () => engine as unknown as DrivenEngine,
    stdin: new PassThrough(),
    stdout,
    stderr,
    asksClient: false,
    replaysUserMessages: false,
    env: {},
    mayBypass: false,
    clientServers: {},
    version: "1.2.3",
    stop,
    newId: () => "new-id",
    ...options,
  };
  return { engine, stdout, stderr, stop, run };
}

const interrupt = `${JSON.stringify({ type: "control_request", request_id: "i", request: { subtype: "interrupt" } })}\n`;

describe("stream-json input", () => {
  const user = (content: unknown, extra: object = {}): string =>
    `${JSON.stringify({ type: "user", message: { role: "user", content }, parent_tool_use_id: null, session_id: "", ...extra })}\n`;

  const echo: Turn = (_engine, prompt) => [success(JSON.stringify(prompt))];

  test("runs one turn per message, in order, until the input ends", async () => {
    const stdin = new PassThrough();
    const { run, stdout, engine } = setup(echo, { stdin });
    const running = runStdio(run);
    stdin.write(user("one", { uuid: "u1" }));
    stdin.write(user([{ type: "text", text: "two", cache_control: { type: "ephemeral" } }], { isSynthetic: true }));
    await settled();
    stdin.end(user("three").trimEnd());
    expect(await running).toBe(0);
    expect(engine.prompts).toEqual([
      { prompt: "one", uuid: "u1", isMeta: undefined },
      { prompt: [{ type: "text", text: "two" }], uuid: undefined, isMeta: true },
      { prompt: "three", uuid: undefined, isMeta: undefined },
    ]);
    expect(jsonLines(stdout.text)).toHaveLength(3);
  });

  test("reports a bad line on stdout and stderr, exits with 1, and continues", async () => {
    const stdin = new PassThrough();
    const { run, stdout, stderr, engine } = setup(echo, { stdin });
    stdin.end(`{"type":"user"\n[1]\n\n${user("good")}`);
    expect(await runStdio(run)).toBe(1);
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["good"]);
    expect(stderr.text).toMatch(/^pawl: line 1 of standard input was not used: it is not JSON \(.*\)\n/u);
    expect(jsonLines(stdout.text)).toMatchObject([
      { type: "system", subtype: "informational", level: "warning", uuid: "new-id", session_id: "" },
      { content: 'line 2 of standard input was not used: it is not an object with a "type"' },
      { type: "result" },
    ]);
  });

  test("answers an unusable user message with an error result, in its place", async () => {
    const stdin = new PassThrough();
    const refusing: Turn = (_engine, prompt) => [
      prompt === "" ? failure("error_during_execution", "model_error", ["The prompt is empty."]) : success("ok"),
    ];
    const { run, stdout, stderr } = setup(refusing, { stdin });
    stdin.end(`${user("")}${user([{ type: "tool_result" }])}{"type":"user","uuid":"u1"}\n${user("good")}`);
    expect(await runStdio(run)).toBe(1);
    const told = [
      "line 1 of standard input was not used: its content is empty",
      "line 2 of standard input was not used: block 0 of its content is not a text, image or document",
      'line 3 of standard input was not used: a user message needs "message" with the role "user"',
    ];
    expect(jsonLines(stdout.text)).toMatchObject([
      { type: "result", is_error: true, errors: [told[0]] },
      { type: "result", is_error: true, errors: [told[1]] },
      { type: "result", is_error: true, errors: [told[2]] },
      { type: "result", is_error: false },
    ]);
    for (const line of told) expect(stderr.text).toContain(`pawl: ${line}\n`);
  });

  test("answers control requests, and ignores keep-alives and unknown types", async () => {
    const stdin = new PassThrough();
    const { run, stdout, stderr } = setup(echo, { stdin });
    stdin.write('{"type":"control_request","request_id":"r1","request":{"subtype":"get_binary_version"}}\n');
    stdin.write('{"type":"control_request","request_id":"r2","request":{"subtype":"dance"}}\n{"type":"keep_alive"}\n');
    stdin.end(`{"type":"novelty"}\n${user("x")}`);
    expect(await runStdio(run)).toBe(0);
    expect(jsonLines(stdout.text)).toMatchObject([
      { type: "control_response", response: { subtype: "success", request_id: "r1", response: { version: "1.2.3" } } },
      { response: { subtype: "error", request_id: "r2", error: 'pawl does not know the control request "dance"' } },
      { type: "result" },
    ]);
    expect(stderr.text).toContain('pawl: line 4 of standard input was ignored: its type "novelty" is unknown\n');
  });

  test("exits with a usage error if there is no message at all", async () => {
    const stdin = new PassThrough();
    const { run, stderr } = setup(echo, { stdin });
    stdin.end();
    expect(await runStdio(run)).toBe(2);
    expect(stderr.text).toContain("no user message came on standard input");
  });

  test("exits with 0 if the only message was cancelled before its turn", async () => {
    const stdin = new PassThrough();
    const { run, stdout, stderr } = setup(echo, { stdin });
    const fields = { subtype: "cancel_async_message", message_uuid: "u1" };
    const cancel = { type: "control_request", request_id: "c", request: fields };
    stdin.end(`${user("one", { uuid: "u1" })}${JSON.stringify(cancel)}\n`);
    expect(await runStdio(run)).toBe(0);
    expect(jsonLines(stdout.text)).toMatchObject([{ response: { response: { cancelled: true } } }]);
    expect(stderr.text).not.toContain("no user message");
  });

  test.each(["interrupted", "terminated"] as const)(
    "%s between turns ends the session and drops waiting messages",
    async (cause) => {
      const stdin = new PassThrough();
      const { run, stop, engine } = setup(echo, { stdin });
      const running = runStdio(run);
      stdin.write(user("one"));
      await settled(10);
      stop.stop(cause);
      expect(await running).toBe(cause === "interrupted" ? 130 : 143);
      expect(engine.prompts).toHaveLength(1);
      expect(stdin.destroyed).toBe(true);
    },
  );

  test.each([
    ["terminated", "after its turn", 143],
    ["terminated", "in its turn", 143],
    ["interrupted", "after its turn", 130],
    ["output_closed", "after its turn", 141],
  ] as const)(
    "%s while background agents outlast a turn, %s, ends the session without waiting for them",
    async (...row) => {
      const [cause, when, code] = row;
      const stdin = new PassThrough();
      const turn: Turn = function* () {
        if (when === "in its turn") stop.stop(cause);
        yield success("begun");
      };
      const timers: string[] = [];
      const start = (): (() => void) => () => void timers.push("cancelled");
      const { run, stop, engine } = setup(turn, { stdin, start });
      Object.defineProperty(engine, "openAgents", { get: () => 1 });
      engine.whenAgentsEnd = () => {
        stop.stop(cause);
        return new Promise(() => undefined);
      };
      const running = runStdio(run);
      stdin.write(user("one"));
      expect(await running).toBe(code);
      expect(engine.prompts).toHaveLength(1);
      if (when === "after its turn") expect(timers).toContain("cancelled");
    },
  );

  /** An agent of the background; the turn `waitsIn` waits until `goOn` or an interrupt, and the turn `toldIn` tells of the agent. */
  function withAgent(waitsIn: number, toldIn = 3) {
    const stdin = new PassThrough();
    const waits = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    let open = 1;
    const turn: Turn = async function* () {
      const number = engine.prompts.length;
      if (number === waitsIn) await waits.promise;
      if (number >= toldIn) open = 0;
      yield success("begun");
    };
    const { run, engine } = setup(turn, { stdin });
    Object.defineProperty(engine, "openAgents", { get: () => open });
    engine.whenAgentsEnd = () => ended.promise;
    engine.interrupt = () => {
      waits.resolve();
      return true;
    };
    const running = runStdio(run);
    const send = async (line: string): Promise<void> => {
      stdin.write(line);
      await settled();
    };
    const agentEnds = async (): Promise<void> => {
      ended.resolve();
      await settled();
    };
    const asked = (): unknown[] => engine.prompts.map(({ prompt }) => prompt);
    return { stdin, running, send, agentEnds, goOn: waits.resolve, asked };
  }

  // As on a terminal, and in a query: after an interrupt, the next turn is the person's.
  test("starts no turn for background agents after an interrupt before the client's next prompt", async () => {
    const { stdin, running, send, agentEnds, asked } = withAgent(1);
    await send(user("one"));
    await send(interrupt);
    await agentEnds();
    expect(asked()).toEqual(["one"]);
    await send(user("two"));
    stdin.end();
    expect(await running).toBe(0);
    expect(asked()).toEqual(["one", "two", agentsEndedPrompt]);
  });

  test("starts no turn for background agents after an interrupt of a waiting prompt's turn", async () => {
    const { stdin, running, send, agentEnds, asked } = withAgent(2);
    await send(user("one"));
    await send(user("two"));
    await agentEnds();
    stdin.end(interrupt);
    expect(await running).toBe(0);
    expect(asked()).toEqual(["one", "two"]);
  });

  test("starts no turn for background agents that the previous turn has reported", async () => {
    const { stdin, running, send, agentEnds, goOn, asked } = withAgent(2, 2);
    await send(user("one"));
    await send(user("two"));
    await agentEnds();
    goOn();
    stdin.end();
    expect(await running).toBe(0);
    expect(asked()).toEqual(["one", "two"]);
  });

  test("limits the wait for background agents from the end of the last turn", async () => {
    const stdin = new PassThrough();
    const timers: { late: () => void; isOver: boolean }[] = [];
    const start = (milliseconds: number, late: () => void): (() => void) => {
      if (milliseconds !== 600_000) return () => undefined;
      const timer = { late, isOver: false };
      timers.push(timer);
      return () => void (timer.isOver = true);
    };
    const { run, engine } = setup(echo, { stdin, start });
    Object.defineProperty(engine, "openAgents", { get: () => 1 });
    engine.whenAgentsEnd = () => new Promise(() => undefined);
    const running = runStdio(run);
    stdin.write(user("one"));
    await settled();
    stdin.end(user("two"));
    await settled();
    expect(timers.map(({ isOver }) => isOver)).toEqual([true, false]);
    timers.at(-1)?.late();
    expect(await running).toBe(0);
  });

  // Seen: what the agents reported became a turn of its own, and a run that ended at --max-turns had the exit code 0.
  test.each(["during the last turn", "after it"])(
    "does not wait for background agents if the last turn reached a limit and the input ends %s",
    async (when) => {
      const stdin = new PassThrough();
      const { promise: goesOn, resolve: goOn } = Promise.withResolvers<void>();
      const turn: Turn = async function* () {
        await goesOn;
        yield failure("error_max_turns", "max_turns", ["the limit"]);
      };
      const { run, engine } = setup(turn, { stdin });
      Object.defineProperty(engine, "openAgents", { get: () => 1 });
      engine.whenAgentsEnd = () => new Promise(() => undefined);
      const running = runStdio(run);
      stdin.write(user("one"));
      await settled();
      if (when === "after it") goOn();
      await settled();
      stdin.end();
      await settled();
      goOn();
      expect(await running).toBe(3);
      expect(engine.prompts).toHaveLength(1);
    },
  );

  test("stops waiting for background agents at an interrupt", async () => {
    const stdin = new PassThrough();
    const turn: Turn = function* () {
      yield success("begun");
    };
    const { run, engine } = setup(turn, { stdin });
    Object.defineProperty(engine, "openAgents", { get: () => 1 });
    engine.whenAgentsEnd = () => new Promise(() => undefined);
    const running = runStdio(run);
    stdin.write(user("one"));
    await settled();
    stdin.end(interrupt);
    expect(await running).toBe(0);
    expect(engine.prompts).toHaveLength(1);
  });
});
