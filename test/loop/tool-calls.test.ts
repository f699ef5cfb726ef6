// Calls: when they start, side by side or alone, in which order their results come, and what becomes of the broken ones.
import { describe, expect, test } from "vitest";
import { expectSound } from "./support/after.ts";
import { callsOf, fold } from "./support/checks.ts";
import { cancelAfter, createHarness, ofType, reasons, resultsOf, runWith } from "./support/harness.ts";
import { deny } from "./support/ports.ts";
import { block, call, reply, say, textBlock, toolUse, type Step } from "./support/script.ts";
import type { ToolSpec } from "./support/tools.ts";
import type { QueryEvent } from "../../src/protocol/event.ts";

const start = Date.UTC(2026, 0, 1);
const done = say("Done.");

function at(event: QueryEvent): number {
  return "timestamp" in event ? Date.parse(event.timestamp) - start : -1;
}

describe("streaming execution", () => {
  test("a call starts when its block is complete, and its result comes while the message still streams", async () => {
    const ran = await runWith({
      model: [
        reply([
          toolUse("Read", {}, "a"),
          { do: "sleep", ms: 1_000 },
          textBlock("still talking"),
          { do: "sleep", ms: 1_000 },
        ]),
        done,
      ],
    });
    expect(ran.tools.records[0]?.startedAt).toBe(start);
    const kinds = ran.events.map((event) => event.type);
    expect(kinds.slice(0, 5)).toEqual(["stream_request_start", "assistant", "user", "assistant", "response_end"]);
    expect(at(ran.events[2]!)).toBe(0);
    expect(at(ran.events[3]!)).toBe(1_000);
    expectSound(ran);
  });

  test("a tool is told when the model begins to write its call, and an exception it throws then is ignored", async () => {
    const told: string[] = [];
    const opens = (name: unknown): Step => ({
      do: "raw",
      event: { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "a", name, input: {} } },
    });
    const announced = (name: string): ToolSpec => ({
      isConcurrencySafe: () => true,
      onAnnounced() {
        told.push(name);
        if (name === "Second") throw new Error("not ready");
      },
      async body() {
        told.push(`${name} runs`);
        return { content: "ok" };
      },
    });
    const first = reply([
      opens("First"),
      { do: "sleep", ms: 1_000 },
      toolUse("First"),
      opens("Second"),
      opens("Nobody's"),
      opens(7),
      { do: "raw", event: { type: "content_block_start", index: 0, content_block: null } },
      toolUse("Second"),
    ]);
    const tools = { First: announced("First"), Second: announced("Second") };
    const ran = await runWith({ model: [first, done], tools });
    expect(told).toEqual(["First", "First runs", "Second", "Second runs"]);
    expectSound(ran);
  });

  test("results come in the order of the blocks, whichever is ready first", async () => {
    const ran = await runWith({
      model: [
        call(toolUse("Slow", { ms: 300 }, "slow"), toolUse("Slow", { ms: 100 }, "quick"), toolUse("Read", {}, "now")),
        done,
      ],
    });
    expect(resultsOf(ran.events).map((result) => result.id)).toEqual(["slow", "quick", "now"]);
    expect(ran.tools.records.map((record) => record.endedAt! - start)).toEqual([300, 100, 0]);
    expectSound(ran);
  });

  test("at most ten calls run at once", async () => {
    const calls = Array.from({ length: 25 }, () => toolUse("Slow", { ms: 100 }));
    const ran = await runWith({ model: [call(...calls), done] });
    const starts = ran.tools.records.map((record) => record.startedAt - start);
    expect(starts).toEqual([
      ...Array<number>(10).fill(0),
      ...Array<number>(10).fill(100),
      ...Array<number>(5).fill(200),
    ]);
    expectSound(ran);
  });

  test("the number of parallel calls is a setting", async () => {
    const calls = Array.from({ length: 4 }, () => toolUse("Slow", { ms: 100 }));
    const ran = await runWith({ model: [call(...calls), done], limits: { toolConcurrency: 1 } });
    expect(ran.tools.records.map((record) => record.startedAt - start)).toEqual([0, 100, 200, 300]);
  });

  test("a call that is not concurrency-safe runs alone, in order", async () => {
    const ran = await runWith({
      model: [
        call(
          toolUse("Slow", { ms: 100 }, "a"),
          toolUse("Slow", { ms: 50 }, "b"),
          toolUse("SlowWrite", { ms: 100 }, "c"),
          toolUse("Slow", { ms: 10 }, "d"),
          toolUse("SlowWrite", { ms: 10 }, "e"),
        ),
        done,
      ],
    });
    const spans = Object.fromEntries(
      ran.tools.records.map((record) => [record.toolUseId, [record.startedAt - start, record.endedAt! - start]]),
    );
    expect(spans).toEqual({ a: [0, 100], b: [0, 50], c: [100, 200], d: [200, 210], e: [210, 220] });
    expectSound(ran);
  });

  test("whether a call is concurrency-safe depends on its input", async () => {
    const tools = {
      Shell: { isConcurrencySafe: (input: Record<string, unknown>) => input["read"] === true, body: sleepTen },
    };
    const calls = [toolUse("Shell", { read: true }), toolUse("Shell", { read: true }), toolUse("Shell", {})];
    const ran = await runWith({ model: [call(...calls), done], tools });
    expect(ran.tools.records.map((record) => record.startedAt - start)).toEqual([0, 0, 10]);
  });

  test("progress comes at once, and a slow consumer gets it combined", async () => {
    const ran = await runWith({ model: [call(toolUse("Progress", { ms: 100 }, "p")), done] });
    const progress = ofType(ran.events, "tool_progress").map((event) => event.progress.text);
    expect(progress.join("")).toBe("one two three");
    const slow = await runWith(
      { model: [call(toolUse("Progress", { ms: 100 }, "p")), done] },
      (harness) => async () => {
        await harness.clock.until(harness.clock.sleep(50));
      },
    );
    const late = ofType(slow.events, "tool_progress").map((event) => event.progress.text);
    expect(late.length).toBeLessThanOrEqual(progress.length);
    expect(late.join("")).toBe("one two three");
    expectSound(slow);
  });

  test("no progress is reported after a call is done", async () => {
    const harness = createHarness({ model: [call(toolUse("Read", {}, "a"), toolUse("Slow", { ms: 100 }, "b")), done] });
    const read = harness.ports.tools.find("Read")!;
    const ownCall = read.call.bind(read);
    const late: unknown[] = [];
    read.call = (input, context, onProgress) => {
      harness.clock.at(50, () => late.push(onProgress({ toolUseId: "a", toolName: "Read", text: "late" })));
      return ownCall(input, context, onProgress);
    };
    expect(ofType((await harness.run()).events, "tool_progress")).toEqual([]);
    expect(late).toHaveLength(1);
  });

  test("content that a tool adds after its result follows all results of the message", async () => {
    const tools = { Image: { body: async () => ({ content: "seen", followUp: [textBlock("the picture")] }) } };
    const ran = await runWith({ model: [call(toolUse("Image", {}, "a"), toolUse("Read", {}, "b")), done], tools });
    const content = ran.model.requests[1]?.messages.at(-1)?.content.map((part) => part.type);
    expect(content).toEqual(["tool_result", "tool_result", "text"]);
    expectSound(ran);
  });
});

async function sleepTen(
  _input: unknown,
  context: { signal: AbortSignal },
  clock: { sleep(ms: number, signal: AbortSignal): Promise<void> },
) {
  await clock.sleep(10, context.signal);
  return { content: "ok" };
}

describe("broken calls become error results, and the turn goes on", () => {
  const rows: [string, Parameters<typeof toolUse>[0], Record<string, unknown>, RegExp][] = [
    ["an unknown tool", "Nope", {}, /<tool_use_error>No such tool available: Nope/],
    ["an input the schema refuses", "Strict", {}, /<tool_use_error>InputValidationError/],
    ["an input the tool refuses", "Check", { bad: true }, /<tool_use_error>It is bad\./],
    ["a tool that throws", "Throw", {}, /<tool_use_error>the tool threw/],
    ["a tool that fails", "Fail", {}, /^it failed$/],
  ];
  test.each(rows)("for %s", async (_name, name, input, text) => {
    const ran = await runWith({ model: [call(toolUse(name, input, "x")), done] });
    expect(resultsOf(ran.events)).toMatchObject([{ id: "x", isError: true }]);
    expect(resultsOf(ran.events)[0]?.text).toMatch(text);
    expect(reasons(ran.events)).toEqual(["next_turn"]);
    expectSound(ran);
  });

  test.each([
    ["undefined", undefined],
    ["null", null],
    ["no content", {}],
    ["a number", { content: 7 }],
    ["an empty list", { content: [undefined] }],
  ])("for a tool that returns %s", async (_name, value) => {
    const tools = { Odd: { body: async () => value as never } };
    const ran = await runWith({ model: [call(toolUse("Odd", {}, "x"), toolUse("Read", {}, "y")), done], tools });
    expect(resultsOf(ran.events)).toMatchObject([
      { id: "x", isError: true },
      { id: "y", isError: false },
    ]);
    expectSound(ran);
  });

  test("an input with an integer too large for a number is refused, and the model is told how to write it", async () => {
    const said = '{"id":2512292042121000001}';
    const ran = await runWith({ model: [reply([block(toolUse("Write", {}, "x"), said)]), done] });
    expect(ran.tools.records).toEqual([]);
    expect(JSON.parse(resultsOf(ran.events)[0]!.text)).toEqual({
      INVALID_JSON: said,
      reason:
        "2512292042121000001 has more digits than a number can hold here: it would become 2512292042121000000. Nothing was done. Write it as a string, or use the rounded number if that will do.",
    });
    expect(resultsOf(ran.events)[0]?.isError).toBe(true);
    expectSound(ran);
  });

  test("input that is not JSON is returned to the model, and nothing runs", async () => {
    const ran = await runWith({ model: [reply([block(toolUse("Write", {}, "x"), '{"path": "/a')]), done] });
    expect(ran.tools.records).toEqual([]);
    expect(JSON.parse(resultsOf(ran.events)[0]!.text)).toEqual({ INVALID_JSON: '{"path": "/a' });
    expect(resultsOf(ran.events)[0]?.isError).toBe(true);
    expectSound(ran);
  });

  test.each([
    ["a list", [1]],
    ["null", null],
    ["a text", "x"],
  ])("an input that is %s is refused", async (_name, input) => {
    const ran = await runWith({ model: [call(toolUse("Write", input as never, "x")), done] });
    expect(ran.tools.records).toEqual([]);
    expect(resultsOf(ran.events)).toMatchObject([{ id: "x", isError: true }]);
    expect(ran.model.requests[1]?.messages[1]?.content).toMatchObject([{ input: {} }]);
    expectSound(ran);
  });

  test("a call past its time limit is ended, and its result says why", async () => {
    const tools = { Late: { body: standingStill, timeLimitMs: () => 2_000 } };
    const ran = await runWith({ model: [call(toolUse("Late", {}, "x")), done], tools });
    expect(ran.tools.records[0]?.abortedBy).toBe("timeout");
    const [result] = resultsOf(ran.events);
    expect(result?.text).toMatch(/limit of 2 s/);
    expect(result?.text).not.toContain("session");
    expectSound(ran);
  });

  test("a call that never ends is abandoned, and its late result is ignored", async () => {
    const ran = await runWith({ model: [call(toolUse("Deaf", {}, "x")), done], limits: { toolMs: 1_000 } });
    expect(resultsOf(ran.events)).toMatchObject([{ id: "x", isError: true }]);
    expect(ran.clock.now() - start).toBe(6_000);
    expectSound(ran);
  });

  test("a result over its limit is stored, and the model gets the stored preview", async () => {
    const tools = { Big: { maxResultSizeChars: 10, body: async () => ({ content: "x".repeat(100) }) } };
    const ran = await runWith({ model: [call(toolUse("Big", {}, "x")), done], tools });
    expect(resultsOf(ran.events)[0]?.text).toBe("[a preview; the rest is in a file]");
    // Seen: of one that gave back what is no result the run threw, and an unhandled rejection ended the process.
    for (const given of [new Promise<never>(() => {}), Promise.resolve({} as never)]) {
      const model = [call(toolUse("Big", {}, "x")), done];
      const broken = await runWith({ model, tools, context: { fitToolResult: () => given } });
      expect(resultsOf(broken.events)[0]?.text).toMatch(/^x{10}\n.*left out/s);
      expectSound(broken);
    }
  });

  test("results that are too long together are stored too", async () => {
    const tools = { Big: { isConcurrencySafe: () => true, body: async () => ({ content: "x".repeat(60) }) } };
    const ran = await runWith({
      model: [call(toolUse("Big"), toolUse("Big")), done],
      tools,
      limits: { resultCharsPerMessage: 100 },
    });
    expect(resultsOf(ran.events).map((result) => result.text.length)).toEqual([60, 34]);
  });
});

test("a result stored elsewhere leaves its room to the other results of the message", async () => {
  const long: ToolSpec = {
    isConcurrencySafe: () => false,
    maxResultSizeChars: 150_000,
    body: async ({ characters }) => ({ content: "x".repeat(Number(characters)) }),
  };
  const used = async (...sizes: number[]): Promise<number[]> => {
    const seen: number[] = [];
    const ran = await runWith({
      model: [call(...sizes.map((characters) => toolUse("Long", { characters }))), say("Done.")],
      tools: { Long: long },
      context: {
        fitToolResult: async (_content, { usedChars }) => {
          seen.push(usedChars);
          return "a preview";
        },
      },
    });
    expectSound(ran);
    return seen;
  };
  expect(await used(160_000, 140_000, 70_000)).toEqual([0, 140_009]);
  expect(await used(160_000, 140_000, 50_000)).toEqual([0]);
});

describe("a truncated call never runs", () => {
  test.each(["max_tokens", "end_turn"])(
    "alone: it counts as a truncation, even with stop reason %s",
    async (stopReason) => {
      const ran = await runWith({ model: [reply([textBlock("I will")], { stopReason, partialToolUse: true }), done] });
      expect(reasons(ran.events)).toEqual(["max_output_tokens_escalate"]);
      expect(ran.tools.records).toEqual([]);
      expectSound(ran);
    },
  );

  test("after complete calls: those run, and the turn goes on", async () => {
    const ran = await runWith({
      model: [
        reply([toolUse("Read", {}, "a"), toolUse("Write", {}, "b")], {
          stopReason: "max_tokens",
          partialToolUse: true,
        }),
        done,
      ],
    });
    expect(ran.tools.records.map((record) => record.toolUseId)).toEqual(["a", "b"]);
    expect(reasons(ran.events)).toEqual(["next_turn"]);
    expect(ofType(ran.events, "notice").map(({ name }) => name)).toEqual(["answer_cut"]);
    expectSound(ran);
  });
});

describe("call ids and tool names", () => {
  test.each([
    ["used twice in one reply", [call(toolUse("Read", {}, "x"), toolUse("Write", {}, "x")), done]],
    ["used again later", [call(toolUse("Read", {}, "x")), call(toolUse("Write", {}, "x")), done]],
    ["empty", [call(toolUse("Read", {}, ""), toolUse("Write", {}, "")), done]],
    ["of letters the API refuses", [call(toolUse("Read", {}, "call:1"), toolUse("Write", {}, "a b")), done]],
  ])("an id %s is replaced before anything depends on it", async (_name, model) => {
    const ran = await runWith({ model });
    const ids = callsOf(fold(ran.transcript.records)).map((use) => use.id);
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9_-]+$/);
    expect(ran.tools.records.map((record) => record.toolUseId)).toEqual(ids);
    expectSound(ran);
  });

  test("an id of the resumed conversation is not used again", async () => {
    const before = await runWith({ model: [call(toolUse("Read", {}, "x")), done] });
    const ran = await runWith({
      model: [call(toolUse("Read", {}, "x")), done],
      history: fold(before.transcript.records),
      prompt: "Again.",
    });
    expect(ran.tools.records.map(({ toolUseId }) => toolUseId)).toEqual([expect.not.stringMatching(/^x?$/u)]);
  });

  test("a name the API would refuse is replaced and counts as an unknown tool", async () => {
    const ran = await runWith({
      model: [call(toolUse("rm -rf /", {}, "x"), toolUse("", {}, "y"), toolUse("n".repeat(80), {}, "z")), done],
    });
    expect(resultsOf(ran.events).every((result) => result.isError)).toBe(true);
    expect(callsOf(fold(ran.transcript.records)).map((use) => use.name)).toEqual([
      "rm_-rf__",
      "unnamed",
      "n".repeat(64),
    ]);
    expectSound(ran);
  });

  test("an alias finds its tool", async () => {
    const ran = await runWith({
      model: [call(toolUse("OldRead", {}, "x")), done],
      tools: { New: { aliases: ["OldRead"] } },
    });
    expect(ran.tools.records.map((record) => record.name)).toEqual(["New"]);
  });
});

describe("calls of the same message", () => {
  test("a failed shell command ends the running ones, and their results say why", async () => {
    const ran = await runWith({
      model: [
        call(
          toolUse("Read", {}, "a"),
          toolUse("Hang", {}, "b"),
          toolUse("FailShell", {}, "c"),
          toolUse("Write", {}, "d"),
        ),
        done,
      ],
    });
    const results = Object.fromEntries(resultsOf(ran.events).map((result) => [result.id, result]));
    expect(results["a"]?.isError).toBe(false);
    expect(results["b"]?.text).toMatch(/another call of the same message failed/);
    expect(results["c"]?.text).toBe("exit 1");
    expect(results["d"]?.isError).toBe(false);
    expectSound(ran);
  });

  test.each([
    ["a hook that has already stopped the run ends it", "enough", "hook_stopped"],
    ["hooks that have not stopped the run let it continue", undefined, "completed"],
  ])("if one call ends another call's hooks, %s", async (_, said, terminal) => {
    const ran = await runWith({
      model: [
        call(toolUse("Slow", {}, "asked"), toolUse("FailShell", {}, "shell")),
        ...(said === undefined ? [done] : []),
      ],
      hooks: {
        PreToolUse: (input, signal) =>
          input.tool_use_id !== "asked"
            ? {}
            : new Promise((resolve) => {
                const answer = said === undefined ? {} : { preventContinuation: said };
                signal.addEventListener("abort", () => resolve(answer));
              }),
      },
    });
    expect(ran.terminal).toMatchObject({ reason: terminal });
    expect(ran.tools.records.map((record) => record.toolUseId)).toEqual(["shell"]);
    expect(resultsOf(ran.events)[0]?.text).toMatch(/another call of the same message failed/);
    expectSound(ran);
  });

  test("a failure withdraws the permission question of another call, which then does not run", async () => {
    let withdrawn: unknown = null;
    const ran = await runWith({
      model: [call(toolUse("Slow", {}, "asked"), toolUse("FailShell", {}, "shell")), done],
      permission: (request, signal) =>
        request.toolName !== "Slow"
          ? { behavior: "allow", reason: { type: "user" } }
          : new Promise((resolve) => {
              signal.addEventListener("abort", () => {
                withdrawn = signal.reason;
                resolve(deny("withdrawn"));
              });
            }),
    });
    expect(withdrawn).toBe("sibling");
    expect(ran.tools.records.map((record) => record.toolUseId)).toEqual(["shell"]);
    expect(ran.clock.now() - start).toBeLessThan(10_000);
    expectSound(ran);
  });

  test("the failure of another tool, or of a cancelled call, does not end the others", async () => {
    const ran = await runWith({ model: [call(toolUse("Slow", { ms: 500 }, "a"), toolUse("Fail", {}, "b")), done] });
    expect(resultsOf(ran.events)[0]?.isError).toBe(false);
    const cancelled = await runWith(
      { model: [call(toolUse("Block", { ms: 3_000 }, "keeps"), toolUse("FailShell", { ms: 2_000 }, "ends"))] },
      (harness) => cancelAfter(harness, 100, "interrupt"),
    );
    expect(resultsOf(cancelled.events)).toMatchObject([
      { id: "keeps", isError: false, text: "slept 3000" },
      { id: "ends", isError: true },
    ]);
    expectSound(cancelled);
  });
});

async function standingStill(_input: unknown, context: { signal: AbortSignal }) {
  await new Promise<void>((resolve) => context.signal.addEventListener("abort", () => resolve(), { once: true }));
  return { content: "told to stop", isError: true };
}

test("keys name the position of each call and request in the run", async () => {
  const ran = await runWith({ model: [call(toolUse("Read"), toolUse("Read")), call(toolUse("Write")), done] });
  expect(ran.tools.records.map((record) => record.key)).toEqual(["t1.tool.0", "t1.tool.1", "t2.tool.0"]);
  expect(ran.model.requests.map((request) => request.key)).toEqual(["t1.model", "t2.model", "t3.model"]);
});

test("a call gets its result even if the context port throws when asked for the room", async () => {
  const harness = createHarness({ model: [call(toolUse("Read", {}, "x")), done] });
  harness.ports.context.resultChars = () => {
    throw new Error("no room");
  };
  const { terminal, events } = await harness.run();
  expect(terminal).toMatchObject({ reason: "completed" });
  expect(resultsOf(events)).toMatchObject([{ id: "x" }]);
});

test("a call whose result cannot be made ends the run instead of blocking it", async () => {
  const harness = createHarness({ model: [call(toolUse("Read", {}, "x")), done] });
  const { ids } = harness.ports;
  let isBroken = false;
  harness.ports.ids = {
    ...ids,
    uuid() {
      if (isBroken) return ids.uuid();
      isBroken = harness.tools.records.some(({ endedAt }) => endedAt !== null);
      if (isBroken) throw new Error("no more ids");
      return ids.uuid();
    },
  };
  await expect(harness.run()).rejects.toThrow("no more ids");
});
