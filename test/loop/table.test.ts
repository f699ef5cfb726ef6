// One row for every way the loop can stop and every way it can go on. A reason without a row does not compile.
import { describe, expect, test } from "vitest";
import type { ContinueReason, Terminal, TerminalReason } from "../../src/protocol/stop.ts";
import type { CompactBoundaryMessage, Message } from "../../src/protocol/message.ts";
import type { ContextInput, ShrinkResult } from "../../src/protocol/context.ts";
import { expectSound } from "./support/after.ts";
import {
  cancelAfter,
  cancelAt,
  errorsShown,
  ofType,
  reasons,
  resultsOf,
  runWith,
  transitions,
  userMessage,
  type Consumer,
  type Harness,
  type HarnessOptions,
  type Ran,
} from "./support/harness.ts";
import { deny } from "./support/ports.ts";
import { call, fail, reply, say, textBlock, toolUse, truncated, usageOf } from "./support/script.ts";

interface Case<Reason> {
  options: HarnessOptions;
  consumer?: (harness: Harness) => Consumer;
  /** The Continues of the whole run, in order. */
  transitions: ContinueReason[];
  terminal: Reason extends TerminalReason ? Extract<Terminal, { reason: Reason }> : Terminal;
  check: (ran: Ran) => void;
}

/** A compaction that leaves one summary: what a context layer would hand over, with its boundary. */
export function shrinkTo(text: string, input: ContextInput, from = 1_000, to = 100): ShrinkResult {
  const summary = userMessage(text, `summary-${text}-${input.key}`, { isCompactSummary: true, origin: "compaction" });
  const boundary: CompactBoundaryMessage = {
    type: "compact_boundary",
    uuid: `boundary-${text}-${input.key}`,
    timestamp: "2026-01-01T00:00:00.000Z",
    trigger: "reactive",
    preTokens: from,
    postTokens: to,
    lastSummarizedUuid: null,
    messages: [summary],
  };
  return {
    kind: "shrunk",
    messages: [summary],
    records: [boundary],
    beforeTokens: from,
    afterTokens: to,
    committed: 2,
  };
}

function textOf(messages: readonly { content: unknown }[]): string {
  return JSON.stringify(messages.map((message) => message.content));
}

function attachments(ran: Ran): string[] {
  return ofType(ran.events, "attachment").map((event) => event.attachment.kind);
}

function interruptions(messages: readonly Message[]): number {
  return messages.filter((message) => message.type === "user" && message.origin === "interruption").length;
}

const prevents = { Stop: () => ({ preventContinuation: "enough", blocking: ["and do this"] }) };

const terminals: { [Reason in TerminalReason]: Case<Reason> } = {
  completed: {
    options: { model: [say("Hello.")] },
    transitions: [],
    terminal: { reason: "completed" },
    check: (ran) =>
      expect(ran.events.map((event) => event.type)).toEqual(["stream_request_start", "assistant", "response_end"]),
  },
  max_turns: {
    options: { model: [call(toolUse("Read")), call(toolUse("Read"), toolUse("Write"))], limits: { maxTurns: 2 } },
    transitions: ["next_turn"],
    terminal: { reason: "max_turns", turnCount: 3 },
    check: (ran) => {
      expect(resultsOf(ran.events)).toHaveLength(3);
      expect(resultsOf(ran.events).every((result) => !result.isError)).toBe(true);
      expect(ran.events.at(-1)).toMatchObject({
        type: "attachment",
        attachment: { kind: "max_turns_reached", maxTurns: 2, turnCount: 3 },
      });
    },
  },
  aborted_streaming: {
    options: { model: [reply([textBlock("One moment."), toolUse("Slow"), { do: "hang" }])] },
    consumer: (harness) => cancelAt(harness, 2, "user"),
    transitions: [],
    terminal: { reason: "aborted_streaming" },
    check: (ran) => {
      expect(resultsOf(ran.events)).toMatchObject([{ isError: true }]);
      expect(interruptions(ran.transcript.records)).toBe(1);
      expect(ran.events.at(-1)).toMatchObject({ type: "user", isMeta: true, origin: "interruption" });
    },
  },
  aborted_tools: {
    options: {
      model: [call(toolUse("Read"), toolUse("Hang"), toolUse("Write"))],
      limits: { maxTurns: 1 },
    },
    consumer: (harness) => cancelAfter(harness, 500, "user"),
    transitions: [],
    terminal: { reason: "aborted_tools" },
    check: (ran) => {
      expect(resultsOf(ran.events).map((result) => result.isError)).toEqual([false, true, true]);
      expect(interruptions(ran.transcript.records)).toBe(1);
      expect(attachments(ran)).toEqual(["max_turns_reached"]);
      expect(ran.tools.records.map((record) => record.name)).toEqual(["Read", "Hang"]);
    },
  },
  blocking_limit: {
    options: {
      model: [],
      context: {
        fit: (input) => ({ kind: "full", estimatedTokens: 199_000, limitTokens: 197_000, tracking: input.tracking }),
      },
    },
    transitions: [],
    terminal: { reason: "blocking_limit" },
    check: (ran) => {
      expect(ran.model.requests).toHaveLength(0);
      expect(errorsShown(ran.events)).toEqual(["prompt_too_long"]);
    },
  },
  stop_hook_prevented: {
    options: { model: [say("Done.")], hooks: prevents },
    transitions: [],
    terminal: { reason: "stop_hook_prevented" },
    check: (ran) => {
      expect(attachments(ran)).toEqual(["hook_stopped_continuation"]);
      expect(ran.model.requests).toHaveLength(1);
    },
  },
  hook_stopped: {
    options: {
      model: [call(toolUse("Read"), toolUse("Write"))],
      hooks: { PostToolUse: (input) => (input.tool_name === "Read" ? { preventContinuation: "enough" } : {}) },
      limits: { maxTurns: 1 },
      queued: [{ uuid: "q1", prompt: [textBlock("And another thing.")] }],
    },
    transitions: [],
    terminal: { reason: "hook_stopped" },
    check: (ran) => {
      expect(resultsOf(ran.events).map((result) => result.isError)).toEqual([false, false]);
      expect(attachments(ran)).toEqual(["hook_stopped_continuation"]);
      expect(ran.queue.entries).toHaveLength(1);
    },
  },
  prompt_too_long: {
    options: {
      model: [fail("prompt_too_long"), fail("prompt_too_long"), fail("prompt_too_long", { detail: "300 > 200" })],
      context: {
        drain: (input, at) => (at === 0 ? shrinkTo("drained", input) : { kind: "no_progress", why: "nothing staged" }),
        compact: (input) => shrinkTo("compacted", input),
      },
      hooks: { StopFailure: () => ({}), Stop: () => ({ blocking: ["never asked"] }) },
    },
    transitions: ["collapse_drain_retry", "reactive_compact_retry"],
    terminal: { reason: "prompt_too_long" },
    check: (ran) => {
      expect(errorsShown(ran.events)).toEqual(["prompt_too_long"]);
      const told = { hook_event_name: "StopFailure", error: "invalid_request", error_details: "300 > 200" };
      expect(ran.hooks.detached).toMatchObject([told]);
      expect(ran.hooks.inputs).toEqual([]);
    },
  },
  image_error: {
    options: {
      model: [
        fail("media", { message: "photo.png is too large." }),
        fail("media", { message: "photo.png is too large." }),
      ],
      context: { drain: (input) => shrinkTo("never", input), compact: (input) => shrinkTo("compacted", input) },
      hooks: { StopFailure: () => ({}) },
    },
    transitions: ["reactive_compact_retry"],
    terminal: { reason: "image_error" },
    check: (ran) => {
      expect(errorsShown(ran.events)).toEqual(["media"]);
      expect(textOf(ofType(ran.events, "assistant"))).toContain("photo.png");
      expect(ran.hooks.detached).toMatchObject([{ hook_event_name: "StopFailure", error: "invalid_request" }]);
    },
  },
  max_budget_usd: {
    options: {
      model: [call(toolUse("Read"), toolUse("Write"))],
      admit: (asked, at) =>
        at === 0
          ? { admitted: true, ticket: "t", maxTokens: asked.maxTokens, lowered: false }
          : { admitted: false, message: "The budget is spent." },
    },
    transitions: ["next_turn"],
    terminal: { reason: "max_budget_usd" },
    check: (ran) => {
      expect(resultsOf(ran.events)).toHaveLength(2);
      expect(ran.model.requests).toHaveLength(1);
      expect(errorsShown(ran.events)).toEqual([]);
    },
  },
  model_error: {
    options: {
      model: [fail("authentication_failed", { status: 401, requestId: "req_7" })],
      hooks: { StopFailure: () => ({}), Stop: () => ({ blocking: ["never asked"] }) },
    },
    transitions: [],
    terminal: {
      reason: "model_error",
      error: {
        kind: "authentication_failed",
        message: "The model's side said: authentication_failed.",
        recovery: "none",
        status: 401,
        requestId: "req_7",
      } as never,
    },
    check: (ran) => {
      expect(errorsShown(ran.events)).toEqual(["authentication_failed"]);
      expect(ran.hooks.detached).toMatchObject([{ hook_event_name: "StopFailure", error: "authentication_failed" }]);
      expect(ran.hooks.inputs).toEqual([]);
    },
  },
};

const continues: { [Reason in ContinueReason]: Case<Reason> } = {
  next_turn: {
    options: { model: [call(toolUse("Read", {}, "a")), say("Read it.")] },
    transitions: ["next_turn"],
    terminal: { reason: "completed" },
    check: (ran) => {
      expect(ran.model.requests[1]?.messages.map((message) => message.role)).toEqual(["user", "assistant", "user"]);
      expect(ran.model.requests[1]?.messages.at(-1)?.content).toMatchObject([
        { type: "tool_result", tool_use_id: "a" },
      ]);
      expect(ofType(ran.events, "stream_request_start").map((event) => event.turnCount)).toEqual([1, 2]);
    },
  },
  collapse_drain_retry: {
    options: {
      model: [fail("prompt_too_long", { tokens: { actual: 210_000, maximum: 200_000 } }), say("It fits now.")],
      context: {
        drain: (input) => shrinkTo("the collapsed view", input),
        compact: (input) => shrinkTo("never", input),
      },
    },
    transitions: ["collapse_drain_retry"],
    terminal: { reason: "completed" },
    check: (ran) => {
      expect(transitions(ran.events)).toEqual([{ reason: "collapse_drain_retry", committed: 2 }]);
      expect(ran.context.inputs.map((entry) => entry.kind)).toEqual(["fit", "drain", "fit"]);
      expect(textOf(ran.model.requests[0]!.messages)).toContain("Do it.");
      // Down to the request: the model is sent the collapsed view, and nothing of what it replaced.
      expect(ran.model.requests[1]?.messages).toEqual([
        { role: "user", content: [{ type: "text", text: "the collapsed view" }] },
      ]);
      expect(errorsShown(ran.events)).toEqual([]);
    },
  },
  reactive_compact_retry: {
    options: {
      model: [fail("prompt_too_long"), say("It fits now.")],
      context: { compact: (input) => shrinkTo("the summary", input) },
    },
    transitions: ["reactive_compact_retry"],
    terminal: { reason: "completed" },
    check: (ran) => {
      expect(textOf(ran.model.requests[1]!.messages)).toContain("the summary");
      expect(textOf(ran.model.requests[1]!.messages)).not.toContain("Do it.");
      expect(errorsShown(ran.events)).toEqual([]);
      expect(ofType(ran.events, "compacting")).toEqual([{ type: "compacting", trigger: "reactive" }]);
      expect(ran.context.inputs.at(-1)?.input.tracking).toEqual({ lastCompactedTurn: 1, consecutiveFailures: 0 });
    },
  },
  max_output_tokens_escalate: {
    options: { model: [truncated("Half a sent"), say("A whole sentence.")] },
    transitions: ["max_output_tokens_escalate"],
    terminal: { reason: "completed" },
    check: (ran) => {
      expect(ran.model.requests.map((request) => request.maxTokens)).toEqual([8_000, 64_000]);
      expect(ran.model.requests[1]?.messages).toEqual(ran.model.requests[0]?.messages);
      const shown = ofType(ran.events, "assistant")[0]!;
      expect(ofType(ran.events, "tombstone")).toMatchObject([{ targets: [shown.uuid], reason: "escalate" }]);
      expect(errorsShown(ran.events)).toEqual([]);
    },
  },
  max_output_tokens_recovery: {
    options: {
      model: [truncated("One"), truncated("Two"), truncated("Three"), say("and four.")],
    },
    transitions: ["max_output_tokens_escalate", "max_output_tokens_recovery", "max_output_tokens_recovery"],
    terminal: { reason: "completed" },
    check: (ran) => {
      expect(transitions(ran.events).slice(1)).toMatchObject([{ attempt: 1 }, { attempt: 2 }]);
      expect(ran.model.requests.map((request) => request.maxTokens)).toEqual([8_000, 64_000, 64_000, 64_000]);
      const last = ran.model.requests[3]!.messages;
      expect(last.map((message) => message.role)).toEqual(["user", "assistant", "user", "assistant", "user"]);
      expect(textOf(last)).not.toContain("One");
      expect(textOf(last)).toContain("Two");
      expect(textOf(last)).toContain("Three");
      expect(errorsShown(ran.events)).toEqual([]);
    },
  },
  stop_hook_blocking: {
    options: {
      model: [say("Done."), say("Really done.")],
      hooks: { Stop: (_input, _signal, at) => (at === 0 ? { blocking: ["The tests fail."] } : {}) },
    },
    transitions: ["stop_hook_blocking"],
    terminal: { reason: "completed" },
    check: (ran) => {
      expect(ran.hooks.inputs.map((input) => input.stop_hook_active)).toEqual([false, true]);
      expect(ran.hooks.inputs.map((input) => input.last_assistant_message)).toEqual(["Done.", "Really done."]);
      const feedback = ofType(ran.events, "user");
      expect(feedback).toMatchObject([{ isMeta: true, origin: "stop_hook" }]);
      expect(textOf(feedback)).toContain("The tests fail.");
      expect(textOf(ran.model.requests[1]!.messages)).toContain("The tests fail.");
    },
  },
  token_budget_continuation: {
    options: {
      model: [say("A little.", { usage: usageOf(600) }), say("The rest.", { usage: usageOf(400) })],
      limits: { tokenBudget: 1_000 },
    },
    transitions: ["token_budget_continuation"],
    terminal: { reason: "completed" },
    check: (ran) => {
      const nudge = ofType(ran.events, "user");
      expect(nudge).toMatchObject([{ isMeta: true, origin: "token_budget" }]);
      expect(textOf(nudge)).toMatch(/600.*1000/);
    },
  },
};

describe("every Terminal", () => {
  test.each(Object.entries(terminals))("%s is reached by its case", async (reason, row) => {
    const ran = await runWith(row.options, row.consumer);
    expect(ran.terminal).toEqual(row.terminal);
    expect(ran.terminal?.reason).toBe(reason);
    expect(reasons(ran.events)).toEqual(row.transitions);
    row.check(ran);
    expectSound(ran);
    expect(ran.trace.spans).toMatchObject([{ name: "query", attributes: { reason } }]);
  });
});

describe("every Continue", () => {
  test.each(Object.entries(continues))("%s is reached by its case", async (reason, row) => {
    const ran = await runWith(row.options, row.consumer);
    expect(ran.terminal).toEqual(row.terminal);
    expect(reasons(ran.events)).toEqual(row.transitions);
    expect(reasons(ran.events)).toContain(reason);
    row.check(ran);
    expectSound(ran);
  });
});

test("a call that was denied does not run", async () => {
  const ran = await runWith({ model: [call(toolUse("Write")), say("Well.")], permission: () => deny() });
  expect(ran.tools.records).toEqual([]);
  expectSound(ran);
});
