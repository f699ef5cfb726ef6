// Write-ahead, and what follows when it fails: the run ends with a clear reason, and nothing is executed after it.
import { expect, test } from "vitest";
import { expectSound, leftoverFaults } from "./support/after.ts";
import { createHarness, ofType, runWith, type HarnessOptions, type Ran } from "./support/harness.ts";
import { call, fail, reply, say, textBlock, thinkingBlock, toolUse, truncated, usageOf } from "./support/script.ts";
import { idle } from "./support/virtual-clock.ts";
import type { NoticeMessage } from "../../src/protocol/message.ts";

const effects = new Set([
  "model.stream",
  "tool.call",
  "permission.decide",
  "hooks.run",
  "budget.admit",
  "context.fit",
  "context.drain",
  "context.compact",
  "summary.summarize",
  "queue.take",
]);

async function runWithFullDisk(options: HarnessOptions, from: number): Promise<Ran> {
  const harness = createHarness(options);
  harness.transcript.failFrom = from;
  const driven = await harness.run();
  await idle();
  return { ...harness, ...driven, harness, transcriptFailed: true };
}

/** Effects begun after the first append that failed. */
function startedAfterFailure(ran: Ran, from: number): string[] {
  const appends = ran.world.calls.filter((entry) => entry.name === "transcript.append");
  const failed = appends[from];
  return failed === undefined
    ? []
    : ran.world.calls
        .slice(failed.at + 1)
        .filter((entry) => effects.has(entry.name))
        .map((entry) => entry.name);
}

function noticeOf(uuid: string): NoticeMessage {
  return { type: "notice", uuid, timestamp: "2026-01-01T00:00:00.000Z", level: "info", name: "hook", text: "Look." };
}

const scripts: Record<string, HarnessOptions> = {
  "tools and text": {
    model: [
      reply([thinkingBlock("hm"), textBlock("I look."), toolUse("Read"), toolUse("Write"), toolUse("Slow")]),
      call(toolUse("Fail"), toolUse("SlowWrite"), toolUse("Read")),
      say("Done."),
    ],
    queued: [{ uuid: "q1", prompt: [textBlock("More.")] }],
    hooks: {
      PostToolUse: () => ({ additionalContext: ["context"] }),
      Stop: (_input, _signal, at) => (at === 0 ? { blocking: ["again"] } : {}),
    },
  },
  "slow calls beside each other": {
    model: [
      call(
        toolUse("Slow", { ms: 1_000 }, "a"),
        toolUse("Slow", { ms: 10 }, "b"),
        toolUse("Slow", { ms: 20 }, "c"),
        toolUse("Slow", { ms: 2_000 }, "d"),
      ),
      say("Done."),
    ],
    hooks: {
      PreToolUse: (_input, _signal, at) => ({ notices: [noticeOf(`before-${at}`)] }),
      PostToolUse: (_input, _signal, at) => ({ notices: [noticeOf(`after-${at}`)] }),
    },
  },
  "the end of a teammate's turn": {
    model: [call(toolUse("Read")), say("Done.")],
    hooks: {
      Stop: () => ({ notices: [noticeOf("stop")] }),
      TaskCompleted: () => ({ notices: [noticeOf("task")] }),
      TeammateIdle: () => ({ notices: [noticeOf("idle")] }),
    },
    turnEnd: { teammate: { name: "ada", tasksInProgress: () => [{ id: "1", subject: "Tests" }] } },
  },
  recoveries: {
    model: [truncated("a"), truncated("b"), fail("thinking_rejected"), say("c", { usage: usageOf(10) }), say("d")],
    limits: { tokenBudget: 100 },
  },
  "fallback and retry": {
    model: [
      {
        ...reply([textBlock("x")]),
        outcome: { ok: false, failure: { kind: "stalled", message: "Stalled.", recovery: "retry" }, usage: usageOf(1) },
      },
      fail("model_not_found"),
      reply([textBlock("paused")], { stopReason: "pause_turn" }),
      say("y"),
    ],
    config: { fallbackModels: ["model-b"] },
  },
};

for (const [name, options] of Object.entries(scripts)) {
  test(`a disk that fills up at any record ends the run at once: ${name}`, async () => {
    const whole = await runWith(options);
    const appends = whole.world.calls.filter((entry) => entry.name === "transcript.append").length;
    expect(appends).toBeGreaterThan(6);
    for (let from = 0; from < appends; from++) {
      const ran = await runWithFullDisk(options, from);
      expect(ran.terminal, `record ${from}`).toMatchObject({ reason: "model_error", error: { kind: "transcript" } });
      expect(startedAfterFailure(ran, from), `record ${from}`).toEqual([]);
      const tried = ran.world.calls.filter((entry) => entry.name === "transcript.append");
      expect(tried, `record ${from}`).toHaveLength(from + 1);
      expect(ran.clock.now(), `record ${from}`).toBe(tried.at(-1)?.time);
      expect(leftoverFaults(ran), `record ${from}`).toEqual([]);
      const last = ran.events.at(-1);
      expect(last, `record ${from}`).toMatchObject({ type: "assistant", apiError: { kind: "transcript" } });
      const recorded = new Set(ran.transcript.records.map((record) => record.uuid));
      const unrecorded = ran.events.filter((event) => "uuid" in event && event !== last && !recorded.has(event.uuid));
      expect(
        unrecorded.filter((event) => event.type !== "user"),
        `record ${from}`,
      ).toEqual([]);
    }
  });
}

test("a transcript that throws ends the run with a transcript failure", async () => {
  const harness = createHarness({ model: [say("Hello.")] });
  harness.ports.transcript.append = () => {
    throw new Error("EROFS");
  };
  const { terminal, events } = await harness.run();
  expect(terminal).toMatchObject({ reason: "model_error", error: { kind: "transcript" } });
  expect(ofType(events, "assistant")).toHaveLength(1);
});

test("a transcript that never answers is abandoned", async () => {
  const harness = createHarness({ model: [call(toolUse("Read")), say("Hello.")] });
  harness.ports.transcript.append = () => new Promise(() => {});
  const { terminal } = await harness.run();
  expect(terminal).toMatchObject({ reason: "model_error", error: { kind: "transcript" } });
  expect(harness.tools.records).toEqual([]);
  expect(harness.clock.pending).toBe(0);
});

test("a permission answered after the disk filled up does not start the call", async () => {
  const harness = createHarness({
    model: [reply([toolUse("Read", {}, "a"), { do: "sleep", ms: 10 }, textBlock("more")])],
    permission: async () => {
      await harness.clock.sleep(1_000);
      return { behavior: "allow", reason: { type: "user" } };
    },
  });
  harness.transcript.failFrom = 1;
  const { terminal } = await harness.run();
  expect(terminal).toMatchObject({ error: { kind: "transcript" } });
  expect(harness.tools.records).toEqual([]);
});

test.each(["at work", "asked about"])("a call that is %s when the disk fills up is told to end", async (how) => {
  const harness = createHarness({
    model: [call(toolUse("Slow", { ms: 600_000 }, "a"), toolUse("Slow", { ms: 100 }, "b"))],
    permission: (request, signal) =>
      how === "asked about" && request.toolUseId === "a"
        ? new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("left"))))
        : { behavior: "allow", reason: { type: "user" } },
  });
  const began = harness.clock.now();
  // Two blocks, the end of the response, and then what the shorter one answered.
  harness.transcript.failFrom = 3;
  const { terminal } = await harness.run();
  expect(terminal).toMatchObject({ error: { kind: "transcript" } });
  expect(harness.clock.now() - began).toBe(100);
});

test("no further queued prompt is judged once a record could not be written", async () => {
  const prompt = [textBlock("More.")];
  const harness = createHarness({
    model: [call(toolUse("Read"))],
    queued: [
      { uuid: "q1", prompt },
      { uuid: "q2", prompt },
    ],
  });
  const judged: string[] = [];
  harness.ports.queue.isJudged = () => true;
  harness.ports.queue.judge = async ({ uuid }) => {
    judged.push(uuid);
    return { additionalContext: [], notices: [noticeOf(uuid)] };
  };
  // The call, the end of the response, and the result.
  harness.transcript.failFrom = 3;
  const { terminal } = await harness.run();
  expect(terminal).toMatchObject({ error: { kind: "transcript" } });
  expect(judged).toEqual(["q1"]);
});

test("a block is recorded before its tool runs, and a result before the next request", async () => {
  const ran = await runWith({ model: [call(toolUse("Read", {}, "a"), toolUse("Write", {}, "b")), say("Done.")] });
  const order = ran.world.calls.map((entry) => `${entry.name} ${entry.about ?? ""}`.trim());
  for (const id of ["a", "b"]) {
    const recorded = order.indexOf(`transcript.append use:${id}`);
    const called = order.indexOf(`tool.call ${id}`);
    const answered = order.indexOf(`transcript.append result:${id}`);
    expect(recorded).toBeGreaterThan(-1);
    expect(called).toBeGreaterThan(recorded);
    expect(answered).toBeGreaterThan(called);
    expect(order.lastIndexOf("model.stream")).toBeGreaterThan(answered);
  }
  expectSound(ran);
});
