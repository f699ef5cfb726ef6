import { describe, expect, test } from "vitest";
import type { SDKMessage } from "../../../src/protocol/sdk.ts";
import { runHeadless, type HeadlessRun } from "../../../src/surface/headless/run.ts";
import { StopDesk } from "../../../src/surface/stop-desk.ts";
import { jsonLines } from "../../support/json-lines.ts";
import { assistant, delta, failure, fakeEngine, success, system, toolResult, type Turn } from "../support/messages.ts";
import { Collector, GoneReader, settled, SlowReader } from "../support/sink.ts";

const farewellLines =
  'pawl: session s1, kept in /home/u/.pawl/projects/p/s1.jsonl\npawl: resume with: pawl -p --resume s1 "…"\n';

function setup(turn: Turn, options: Partial<HeadlessRun> = {}) {
  const engine = fakeEngine(turn);
  const stdout = new Collector();
  const stderr = new Collector();
  const stop = new StopDesk();
  const run: HeadlessRun = {
    engine,
    prompt: "hello",
    outputFormat: "text",
    verbose: false,
    stdout,
    stderr,
    env: {},
    cwd: "/w",
    stop,
    ...options,
  };
  return { engine, stdout, stderr, stop, run };
}

const answer: Turn = () => [
  system({ subtype: "init", model: "m", permissionMode: "default" }),
  assistant({ type: "text", text: "4" }),
  success("4"),
];

describe("output formats", () => {
  test("text writes only the answer to stdout, and the session and how to resume it to stderr", async () => {
    const { run, stdout, stderr, engine } = setup(answer);
    expect(await runHeadless(run)).toBe(0);
    expect(stdout.text).toBe("4\n");
    expect(stderr.text).toBe(farewellLines);
    expect(engine.prompts).toEqual([{ prompt: "hello", uuid: undefined, isMeta: undefined }]);
  });

  test("text writes what a hook displays instead of the answer, and json writes both", async () => {
    const shown = { ...success("4"), display_content: "four\x1b[31m" } as SDKMessage;
    const text = setup(() => [shown]);
    await runHeadless(text.run);
    expect(text.stdout.text).toBe("four\n");
    const json = setup(() => [shown], { outputFormat: "json" });
    await runHeadless(json.run);
    expect(jsonLines(json.stdout.text)).toMatchObject([{ result: "4", display_content: "four\x1b[31m" }]);
  });

  test("text removes controls for a pipe, and makes invisible characters visible on a terminal", async () => {
    const turn: Turn = () => [success("a\x1b[31mb\u202ec\x07\n")];
    const piped = setup(turn);
    await runHeadless(piped.run);
    expect(piped.stdout.text).toBe("ab\u202ec\n");
    const shown = setup(turn);
    shown.stdout.isTTY = true;
    await runHeadless(shown.run);
    expect(shown.stdout.text).toBe("ab<U+202E>c\n");
  });

  test("json writes the unchanged result", async () => {
    const { run, stdout } = setup(() => [assistant(), success("a\x1b[0m")], { outputFormat: "json" });
    expect(await runHeadless(run)).toBe(0);
    expect(jsonLines(stdout.text)).toMatchObject([{ type: "result", result: "a\x1b[0m" }]);
  });

  test("json replaces lone surrogates, which other readers refuse", async () => {
    for (const verbose of [false, true]) {
      const { run, stdout } = setup(() => [success("a\ud83e")], { outputFormat: "json", verbose });
      await runHeadless(run);
      expect(stdout.text).toContain("a\ufffd");
      expect(stdout.text).not.toContain(String.raw`\ud83e`);
    }
  });

  test.each(["text", "json"] as const)(
    "%s writes the last answer if background agents made the run continue",
    async (outputFormat) => {
      let rounds = 0;
      const { run, stdout, engine } = setup(() => [assistant(), success(`answer ${++rounds}`)], { outputFormat });
      Object.defineProperty(engine, "openAgents", { get: () => 3 - rounds });
      expect(await runHeadless(run)).toBe(0);
      expect(engine.prompts).toHaveLength(3);
      if (outputFormat === "text") expect(stdout.text).toBe("answer 3\n");
      else expect(jsonLines(stdout.text)).toMatchObject([{ type: "result", result: "answer 3" }]);
    },
  );

  test("json includes the cost of agents that the run did not wait for", async () => {
    const { run, stdout, engine } = setup(answer, {
      outputFormat: "json",
      start: (_, late) => {
        late();
        return () => undefined;
      },
    });
    const spent = { ...engine.getCost(), totalUsd: 1 };
    // Seen: calls that they made between the result and their end were missing.
    const endAgents = async () => ((spent.totalUsd = 2), []);
    Object.defineProperties(engine, {
      background: { value: { ...engine.background, endAgents } },
      openAgents: { get: () => 1 },
      whenAgentsEnd: { value: () => new Promise(() => undefined) },
      getCost: { value: () => spent },
    });
    await runHeadless(run);
    expect(jsonLines(stdout.text)).toMatchObject([{ type: "result", result: "4", total_cost_usd: 2 }]);
  });

  test("a failed turn for background agents is not repeated", async () => {
    const { run, engine } = setup(() => [failure("error_during_execution", "model_error", ["the disk is full"])]);
    Object.defineProperty(engine, "openAgents", { get: () => 1 });
    expect(await runHeadless(run)).toBe(1);
    expect(engine.prompts).toHaveLength(2);
  });

  test("json with --verbose writes an array of all messages", async () => {
    const { run, stdout } = setup(answer, { outputFormat: "json", verbose: true });
    await runHeadless(run);
    expect((JSON.parse(stdout.text) as { type: string }[]).map(({ type }) => type)).toEqual([
      "system",
      "assistant",
      "result",
    ]);
  });

  test.each([false, true])(
    "stream-json writes one message per line, with --verbose or without (%s)",
    async (verbose) => {
      const { run, stdout } = setup(answer, { outputFormat: "stream-json", verbose });
      await runHeadless(run);
      expect(jsonLines(stdout.text)).toMatchObject([{ subtype: "init" }, { type: "assistant" }, { type: "result" }]);
    },
  );
});

describe("exit codes", () => {
  test.each<[SDKMessage, number, string]>([
    [
      failure("error_max_turns", "max_turns", ["Reached maximum number of turns (3)"]),
      3,
      "pawl: Reached maximum number of turns (3)\n",
    ],
    [
      failure("error_max_turns", "max_turns"),
      3,
      "pawl: Stopped at the turn limit after 1 turn: --max-turns raises it.\n",
    ],
    [
      failure("error_max_budget_usd", "budget_exhausted"),
      4,
      "pawl: Stopped before exceeding the budget: --max-budget-usd raises it.\n",
    ],
    [
      failure("error_during_execution", "model_error", ["boom\x1b[2J (request req_9)"]),
      1,
      "pawl: boom (request req_9)\n",
    ],
    [failure("error_during_execution", "aborted_tools"), 130, "pawl: Interrupted.\n"],
    [
      failure("error_max_structured_output_retries", "completed"),
      1,
      "pawl: The answer never matched the requested schema.\n",
    ],
  ])("%#: reports a result that is not a success", async (result, code, told) => {
    const { run, stdout, stderr } = setup(() => [result]);
    expect(await runHeadless(run)).toBe(code);
    expect(stdout.text).toBe("");
    expect(stderr.text).toBe(told + farewellLines);
  });

  test("returns 1 if there is no result", async () => {
    const { run } = setup(() => []);
    expect(await runHeadless(run)).toBe(1);
  });

  test("returns 130 after an interrupt, and writes the engine's result", async () => {
    const { run, stop, stdout, engine, stderr } = setup(
      async function* () {
        yield assistant({ type: "text", text: "working" });
        stop.stop("interrupted");
        await settled();
        yield failure("error_during_execution", "aborted_streaming", ["Interrupted by user"]);
      },
      { outputFormat: "json" },
    );
    expect(await runHeadless(run)).toBe(130);
    expect(engine.causes).toEqual(["user"]);
    expect(jsonLines(stdout.text)).toMatchObject([{ terminal_reason: "aborted_streaming" }]);
    expect(stderr.text).toBe(`pawl: interrupted\n${farewellLines}`);
  });

  test("returns 143 after a termination without a result, and says how to resume", async () => {
    const { run, stop, engine, stderr } = setup(function* () {
      yield assistant({ type: "text", text: "working" });
      stop.stop("terminated");
    });
    expect(await runHeadless(run)).toBe(143);
    expect(engine.causes).toEqual(["terminate"]);
    expect(stderr.text).toBe(`pawl: terminated; the work so far is saved\n${farewellLines}`);
  });

  test.each([
    ["terminated", 143],
    ["interrupted", 130],
    ["output_closed", 141],
  ] as const)("%s while waiting for background agents ends the wait with exit code %i", async (cause, code) => {
    const { run, stop, engine } = setup(answer);
    Object.defineProperty(engine, "openAgents", { get: () => 1 });
    engine.whenAgentsEnd = () => {
      stop.stop(cause);
      return new Promise(() => undefined);
    };
    const timers: string[] = [];
    const start = (): (() => void) => () => void timers.push("cancelled");
    expect(await runHeadless({ ...run, start })).toBe(code);
    expect(engine.prompts).toHaveLength(1);
    expect(timers).toContain("cancelled");
  });

  test("starts no turn if the run was stopped before", async () => {
    const { run, stop, engine } = setup(answer);
    stop.stop("terminated");
    expect(await runHeadless(run)).toBe(143);
    expect(engine.prompts).toEqual([]);
  });
});

describe("the reader of the output", () => {
  test("slows the engine down if it is slow", async () => {
    const stdout = new SlowReader();
    const { run, engine } = setup(
      function* () {
        for (let index = 0; index < 1000; index += 1) yield delta("x".repeat(10_000));
        yield success("done");
      },
      { outputFormat: "stream-json", stdout },
    );
    const running = runHeadless(run);
    await settled(20);
    const early = engine.yielded;
    expect(early).toBeLessThan(20);
    stdout.take();
    await settled(20);
    expect(engine.yielded).toBeGreaterThan(early);
    expect(engine.yielded).toBeLessThan(60);
    stdout.open();
    expect(await running).toBe(0);
    expect(jsonLines(stdout.text)).toHaveLength(1001);
  });

  test.each(["interrupted", "terminated"] as const)(
    "%s while the reader is behind: the run ends without waiting for it",
    async (cause) => {
      const stdout = new SlowReader();
      const { run, engine, stop } = setup(
        function* (self) {
          while (self.causes.length === 0) yield delta("x".repeat(10_000));
          if (cause === "interrupted") yield failure("error_during_execution", "aborted_streaming");
        },
        { outputFormat: "stream-json", stdout },
      );
      const running = runHeadless(run);
      await settled(20);
      stop.stop(cause);
      await settled(20);
      expect(engine.causes).toHaveLength(1);
      const settledAt = engine.yielded;
      stdout.open();
      expect(await running).toBe(cause === "interrupted" ? 130 : 143);
      expect(engine.yielded).toBe(settledAt);
      expect(jsonLines(stdout.text)).toHaveLength(settledAt);
    },
  );

  test("ends the run silently with 141 if it goes away, and the engine is interrupted", async () => {
    const { run, engine, stderr } = setup(
      async function* (self) {
        for (let index = 0; index < 100 && self.causes.length === 0; index += 1) {
          yield delta("y".repeat(1000));
          await settled(1);
        }
        yield failure("error_during_execution", "aborted_streaming", ["Interrupted by user"]);
      },
      { outputFormat: "stream-json", stdout: new GoneReader(1) },
    );
    expect(await runHeadless(run)).toBe(141);
    expect(engine.causes).toEqual(["user"]);
    expect(engine.yielded).toBeLessThan(20);
    expect(stderr.text).toBe("");
  });

  test("a full disk is reported as an error", async () => {
    const { run, stderr } = setup(answer, { outputFormat: "stream-json", stdout: new GoneReader(0, "ENOSPC") });
    expect(await runHeadless(run)).toBe(1);
    expect(stderr.text).toBe(`pawl: the output could not be written: the disk is full (ENOSPC)\n${farewellLines}`);
  });

  test("a disk that fills up during a turn ends the run with 1, not as an interrupt", async () => {
    const { run, engine } = setup(
      async function* (self) {
        for (let index = 0; index < 100 && self.causes.length === 0; index += 1) {
          yield delta("y".repeat(1000));
          await settled(1);
        }
        yield failure("error_during_execution", "aborted_streaming", ["Interrupted by user"]);
      },
      { outputFormat: "stream-json", stdout: new GoneReader(1, "ENOSPC") },
    );
    expect(await runHeadless(run)).toBe(1);
    expect(engine.causes).toEqual(["user"]);
  });

  test("the run gives up after 30 s if the reader does not take the rest", async () => {
    let late = (): void => undefined;
    const { run, stderr } = setup(answer, {
      outputFormat: "stream-json",
      stdout: new SlowReader(),
      start: (milliseconds, then) => {
        expect(milliseconds).toBe(30_000);
        late = then;
        return () => undefined;
      },
    });
    const running = runHeadless(run);
    await settled(10);
    late();
    expect(await running).toBe(1);
    expect(stderr.text).toContain("did not read all of it within 30 s");
  });

  test("gets many messages in few chunks and in order", async () => {
    const { run, stdout } = setup(
      function* () {
        for (let index = 0; index < 5000; index += 1) yield delta(String(index));
        yield success("done");
      },
      { outputFormat: "stream-json" },
    );
    await runHeadless(run);
    const texts = jsonLines(stdout.text).map(
      (line) => (line as { event?: { delta: { text: string } } }).event?.delta.text,
    );
    expect(texts.slice(0, -1)).toEqual(Array.from({ length: 5000 }, (_, index) => String(index)));
    expect(stdout.writes).toBeLessThan(40);
  });
});

describe("RunReport", () => {
  const refusal = (text: string): SDKMessage =>
    system({ subtype: "permission_denied", tool_name: "Bash", tool_use_id: text, message: text });

  test("prints each refusal once at the end, with the way to allow the call", async () => {
    const { run, stdout, stderr } = setup(() => [
      ...["A", "B\x1b[2J", "A"].map((name) => refusal(`Denied ${name}. To allow it: --allowed-tools ${name}`)),
      success("done"),
    ]);
    expect(await runHeadless(run)).toBe(0);
    expect(stdout.text).toBe("done\n");
    expect(stderr.text).toBe(
      "pawl: Denied A. To allow it: --allowed-tools A\npawl: Denied B. To allow it: --allowed-tools B\n" +
        farewellLines,
    );
  });

  test.each([
    ["prompt_blocked", "warning", "A hook blocked the prompt: no"],
    ["hook_stopped_continuation", "notice", "Stop hook stopped the run: enough"],
    ["empty_answer", "warning", "The model ended its turn without saying anything."],
    ["answer_unfinished", "warning", "The server has paused this answer 11 times, and it is not finished."],
  ] as const)("prints why a hook ended the turn or why the answer is incomplete: %s", async (tag, level, content) => {
    const ended: SDKMessage = { ...success(""), terminal_reason: "stop_hook_prevented" };
    const { run, stderr } = setup(() => [system({ subtype: "informational", level, tag, content }), ended]);
    expect(await runHeadless(run)).toBe(0);
    expect(stderr.text).toBe(`pawl: ${content}\n${farewellLines}`);
    const other = setup(() => [system({ subtype: "informational", level: "notice", content }), success("done")]);
    await runHeadless(other.run);
    expect(other.stderr.text).toBe(farewellLines);
  });

  test("prints which call a hook deferred", async () => {
    const deferred_tool_use = { id: "t1", name: "Bash", input: { command: "npm publish" } };
    const ended: SDKMessage = { ...success(""), terminal_reason: "tool_deferred", deferred_tool_use };
    const { run, stderr } = setup(() => [ended]);
    expect(await runHeadless(run)).toBe(0);
    expect(stderr.text).toBe(
      `pawl: a hook deferred a call of Bash, which has not run: continue the session to run it\n${farewellLines}`,
    );
  });

  test("counts the refusals beyond three", async () => {
    const { run, stderr } = setup(() => [...["A", "B", "C", "D", "E"].map(refusal), success("done")]);
    await runHeadless(run);
    expect(stderr.text).toBe(`pawl: A\npawl: B\npawl: C\npawl: and 2 more calls were refused\n${farewellLines}`);
  });
});

describe("progress", () => {
  const busy: Turn = () => [
    system({ subtype: "init", model: "model-a", permissionMode: "default" }),
    assistant({ type: "tool_use", id: "t1", name: "Bash", input: { command: "npm test\x1b]0;x\x07" } }),
    toolResult("ok 1\nok 2"),
    system({ subtype: "transition", transition: { reason: "next_turn" }, turn_count: 2 }),
    system({
      subtype: "api_retry",
      attempt: 1,
      max_retries: 10,
      retry_delay_ms: 8000,
      error_status: 529,
      error: "overloaded",
      message: "Overloaded",
      request_id: "req_7",
    }),
    assistant({ type: "tool_use", id: "t2", name: "Read", input: { file_path: "/w/src/a.ts" } }),
    toolResult("no such file", true),
    system({ subtype: "transition", transition: { reason: "reactive_compact_retry" }, turn_count: 3 }),
    success("done", { permission_denials: [{ tool_name: "Bash", tool_use_id: "t1", tool_input: {} }] }),
  ];

  const shown = [
    "model-a · default mode",
    "● Bash npm test<U+001B>]0;x<U+0007>",
    "  └ 2 lines: ok 1",
    "turn 2 · 0 in · 0 out · $0.0123",
    "Overloaded (attempt 1 of 10, request req_7); retrying in 8 s",
    "● Read src/a.ts",
    "  └ no such file",
    "the conversation was too long: it was shortened, asking again",
    "1 turn in 1 s · 0 in · 0 out · $0.0123",
    "",
  ].join("\n");

  test("names the call in a result that is not right below it", async () => {
    const turn: Turn = () => [
      assistant({ type: "tool_use", id: "a", name: "Bash", input: { command: "npm test" } }),
      assistant({ type: "tool_use", id: "b", name: "Read", input: { file_path: "/w/src/a.ts" } }),
      toolResult("ok", false, "a"),
      success("done"),
    ];
    const { run, stderr } = setup(turn, { verbose: true });
    await runHeadless(run);
    expect(stderr.text).toContain("● Bash npm test\n● Read src/a.ts\n  └ Bash npm test: ok\n");
  });

  test("is shown in a pipe with --verbose, without colours", async () => {
    const { run, stdout, stderr } = setup(busy, { verbose: true });
    await runHeadless(run);
    expect(stdout.text).toBe("done\n");
    expect(stderr.text).toBe(shown + farewellLines);
  });

  test("shows only retries in a pipe, and none with stream-json", async () => {
    const retry = "pawl: Overloaded (attempt 1 of 10, request req_7); retrying in 8 s\n";
    for (const [outputFormat, told] of [
      ["text", retry],
      ["json", retry],
      ["stream-json", ""],
    ] as const) {
      const { run, stderr } = setup(busy, { outputFormat });
      await runHeadless(run);
      expect(stderr.text).toBe(told + farewellLines);
    }
  });

  test("is shown in colour on a terminal, but not with NO_COLOR or on a dumb terminal", async () => {
    for (const [env, hasColour] of [
      [{}, true],
      [{ NO_COLOR: "1" }, false],
      [{ TERM: "dumb" }, false],
    ] as const) {
      const { run, stderr } = setup(busy, { env });
      stderr.isTTY = true;
      await runHeadless(run);
      expect(stderr.text.includes("\x1b[")).toBe(hasColour);
      expect(stderr.text).toContain("Bash npm test");
    }
  });

  test("the debug file gets request ids, transitions and retries", async () => {
    const trace: string[] = [];
    const { run } = setup(busy, { debug: (line) => trace.push(line) });
    await runHeadless(run);
    expect(trace).toEqual([
      "init session=s1 model=model-a",
      "assistant m1 request=req_1",
      "transition next_turn turn=2",
      "retry attempt=1 delay=8000ms status=529 request=req_7",
      "assistant m1 request=req_1",
      "transition reactive_compact_retry turn=3",
    ]);
  });
});
