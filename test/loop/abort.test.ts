// A cancel at every phase: which Terminal, what is recorded and reported, and that nothing new starts.
import { describe, expect, test } from "vitest";
import type { CancelCause } from "../../src/protocol/stop.ts";
import { createCancel } from "../../src/loop/cancel.ts";
import { expectSound } from "./support/after.ts";
import { fold, pairingFaults, requestFaults } from "./support/checks.ts";
import {
  cancelAfter,
  cancelAt,
  createHarness,
  ofType,
  resultsOf,
  runWith,
  userMessage,
  type Consumer,
  type Harness,
  type HarnessOptions,
  type Ran,
} from "./support/harness.ts";
import { createNormalizer } from "../../src/loop/normalize.ts";
import { never } from "./support/virtual-clock.ts";
import { deny } from "./support/ports.ts";
import { call, fail, reply, say, textBlock, thinkingBlock, toolUse } from "./support/script.ts";

const start = Date.UTC(2026, 0, 1);

function marks(ran: Ran): string[] {
  return ran.transcript.records.flatMap((record) =>
    record.type === "user" && record.origin === "interruption" ? [JSON.stringify(record.content)] : [],
  );
}

interface Phase {
  options: HarnessOptions;
  when: (harness: Harness, cause: CancelCause) => Consumer;
  terminal: "aborted_streaming" | "aborted_tools";
}

const after = (ms: number) => (harness: Harness, cause: CancelCause) => cancelAfter(harness, ms, cause);
const atEvent = (type: string) => (harness: Harness, cause: CancelCause) =>
  cancelAt(harness, (event) => event.type === type, cause);

const phases: Record<string, Phase> = {
  "before anything": {
    options: { model: [] },
    when: (harness, cause) => cancelAt(harness, 0, cause),
    terminal: "aborted_streaming",
  },
  preparing: {
    options: { model: [], context: { fit: () => never() } },
    when: after(200),
    terminal: "aborted_streaming",
  },
  admission: { options: { model: [], admit: () => never() }, when: after(200), terminal: "aborted_streaming" },
  "behind other calls' money": {
    options: { model: [], admit: () => ({ admitted: false, message: "later", freed: never() }) },
    when: after(200),
    terminal: "aborted_streaming",
  },
  "before the first byte": {
    options: { model: [{ ...say(""), steps: [{ do: "hang" }] }] },
    when: after(200),
    terminal: "aborted_streaming",
  },
  "in the middle of text": {
    options: { model: [{ ...reply([thinkingBlock("hm"), { do: "hang" }]), partialText: "Half a sent" }] },
    when: after(200),
    terminal: "aborted_streaming",
  },
  "an adapter that does not listen": {
    options: { model: [reply([textBlock("x"), { do: "hang", deaf: true }])] },
    when: after(200),
    terminal: "aborted_streaming",
  },
  "streaming, with calls at work": {
    options: { model: [reply([toolUse("Hang"), toolUse("SlowWrite"), { do: "hang" }])] },
    when: after(200),
    terminal: "aborted_streaming",
  },
  "right after the stream": {
    options: { model: [call(toolUse("Hang"), toolUse("Write"))] },
    when: atEvent("response_end"),
    terminal: "aborted_streaming",
  },
  "waiting to retry": {
    options: { model: [fail("server_error", { retryAfterMs: 9_000 })] },
    when: after(200),
    terminal: "aborted_streaming",
  },
  "while tools run": {
    options: { model: [call(toolUse("Read"), toolUse("Hang"), toolUse("SlowWrite"))] },
    when: after(200),
    terminal: "aborted_tools",
  },
  "a tool that does not listen": {
    options: { model: [call(toolUse("Deaf"), toolUse("Write"))] },
    when: after(200),
    terminal: "aborted_tools",
  },
  "a permission question": {
    options: { model: [call(toolUse("Write"))], permission: () => never() },
    when: after(200),
    terminal: "aborted_tools",
  },
  "a hook before a call": {
    options: { model: [call(toolUse("Write"))], hooks: { PreToolUse: () => never() } },
    when: after(200),
    terminal: "aborted_tools",
  },
  "a hook after a call": {
    options: { model: [call(toolUse("Write"))], hooks: { PostToolUse: () => never() } },
    when: after(200),
    terminal: "aborted_tools",
  },
  "the check of an input": {
    options: { model: [call(toolUse("Slow"))], tools: { Slow: { validateInput: () => never() } } },
    when: after(200),
    terminal: "aborted_tools",
  },
  "a stop hook": {
    options: { model: [say("Done.")], hooks: { Stop: () => never() } },
    when: after(200),
    terminal: "aborted_streaming",
  },
  "a reactive compaction": {
    options: { model: [fail("prompt_too_long")], context: { compact: () => never() } },
    when: after(200),
    terminal: "aborted_streaming",
  },
  "between two turns": {
    options: { model: [call(toolUse("Read"))] },
    when: atEvent("transition"),
    terminal: "aborted_streaming",
  },
};

const effects = new Set([
  "model.stream",
  "tool.call",
  "permission.decide",
  "hooks.run",
  "budget.admit",
  "context.fit",
  "context.drain",
  "context.compact",
  "queue.take",
]);

describe.each(Object.entries(phases))('a cancel during phase "%s"', (_name, phase) => {
  test.each(["user", "terminate", "interrupt"] as const)(
    "by %s ends the run with its reason and starts nothing new",
    async (cause) => {
      const ran = await runWith(phase.options, (harness) => phase.when(harness, cause));
      expect(ran.terminal).toEqual({ reason: phase.terminal });
      expect(marks(ran)).toHaveLength(cause === "interrupt" ? 0 : 1);
      expect(pairingFaults(fold(ran.transcript.records))).toEqual([]);
      const late = ran.world.calls.slice(ran.world.callsAtCancel!).filter((entry) => effects.has(entry.name));
      expect(late.map((entry) => entry.name)).toEqual([]);
      // What is left on record is a request again, whatever comes next.
      const next = [...fold(ran.transcript.records), userMessage("Go on.", "next")];
      const request = createNormalizer()(next, { model: "model-a", thinking: true, maxImages: 9 });
      expect(requestFaults(request)).toEqual([]);
      const leaves = phase.options.model;
      if (Array.isArray(leaves) && JSON.stringify(leaves).includes("deaf")) expect(ran.model.open).toBe(1);
      else if (!phaseIgnoresItsSignal.has(_name)) expectSound(ran);
      else expect([ran.clock.pending, ran.cancel.listeners]).toEqual([0, 0]);
    },
  );
});

/** Phases whose fake never comes back: its own generator stays open, and nothing of the loop's does. */
const phaseIgnoresItsSignal = new Set(["preparing", "a reactive compaction"]);

describe("a cancelled run keeps", () => {
  test("the partial text that was shown, marked as aborted", async () => {
    const ran = await runWith(phases["in the middle of text"]!.options, (harness) => cancelAfter(harness, 200, "user"));
    const shown = ofType(ran.events, "assistant");
    expect(shown.at(-1)).toMatchObject({ aborted: true, content: [{ type: "text", text: "Half a sent" }] });
    expect(ran.events.at(-1)).toMatchObject({ type: "user", origin: "interruption" });
  });

  test("the usage of the answer so far, also in the transcript", async () => {
    const ran = await runWith(phases["in the middle of text"]!.options, (harness) => cancelAfter(harness, 200, "user"));
    const ends = ofType(ran.events, "response_end");
    expect(ends).toMatchObject([{ stopReason: null, usage: { inputTokens: 100 } }]);
    expect(ran.transcript.records).toContain(ends[0]);
  });

  test("finished results, and writes errors that say whether each call had started", async () => {
    const ran = await runWith(
      { model: [call(toolUse("Read", {}, "a"), toolUse("Hang", {}, "b"), toolUse("Write", {}, "c"))] },
      (harness) => cancelAfter(harness, 200, "user"),
    );
    const texts = resultsOf(ran.events).map((result) => result.text);
    expect(texts[0]).toMatch(/^ok/);
    expect(texts[1]).toMatch(/while the tool was running/);
    expect(texts[2]).toMatch(/before the tool ran/);
  });

  test("the hook context of finished calls, before the interruption mark", async () => {
    const ran = await runWith(
      {
        model: [call(toolUse("Read", {}, "a"), toolUse("Hang", {}, "b"))],
        hooks: { PostToolUse: () => ({ additionalContext: ["One warning."] }) },
      },
      (harness) => cancelAfter(harness, 200, "user"),
    );
    const said = ran.transcript.records.findIndex(
      (record) => record.type === "attachment" && JSON.stringify(record.attachment).includes("One warning."),
    );
    const mark = ran.transcript.records.findIndex(
      (record) => record.type === "user" && record.origin === "interruption",
    );
    expect(said).toBeGreaterThan(-1);
    expect(said).toBeLessThan(mark);
    expect(ofType(ran.events, "attachment")).toHaveLength(1);
    expectSound(ran);
  });

  test.each(["a permission question", "a hook before a call", "the check of an input"])(
    "in the result that a call held up by %s had no effect",
    async (name) => {
      const ran = await runWith(phases[name]!.options, (harness) => cancelAfter(harness, 200, "user"));
      const [result] = resultsOf(ran.events);
      expect(result?.text).toContain("It had no effect.");
      expect(result?.text).not.toContain("while the tool was running");
    },
  );

  test("different interruption marks for streaming and for tools", async () => {
    const streaming = await runWith(phases["in the middle of text"]!.options, (harness) =>
      cancelAfter(harness, 200, "user"),
    );
    const tools = await runWith(phases["while tools run"]!.options, (harness) => cancelAfter(harness, 200, "user"));
    expect(marks(streaming)).not.toEqual(marks(tools));
  });

  test("the interruption mark in the transcript before it is shown", async () => {
    const seen: boolean[] = [];
    await runWith(phases["while tools run"]!.options, (harness) => {
      const cancels = cancelAfter(harness, 200, "user");
      return (event, index) => {
        if (event.type === "user" && event.origin === "interruption")
          seen.push(harness.transcript.records.includes(event));
        return cancels(event, index);
      };
    });
    expect(seen).toEqual([true]);
  });
});

describe("time limits of a cancel", () => {
  test("an adapter that ignores its signal is abandoned after 100 ms", async () => {
    const ran = await runWith(phases["an adapter that does not listen"]!.options, (harness) =>
      cancelAfter(harness, 200, "user"),
    );
    expect(ran.clock.now() - start).toBe(300);
  });

  test("a tool that ignores its signal is abandoned after five seconds", async () => {
    const ran = await runWith(phases["a tool that does not listen"]!.options, (harness) =>
      cancelAfter(harness, 200, "user"),
    );
    expect(ran.clock.now() - start).toBe(5_200);
  });
});

describe("an interrupt by a new message", () => {
  test("waits only for tools that ask to finish", async () => {
    const ran = await runWith(
      {
        model: [
          call(
            toolUse("Block", { ms: 3_000 }, "a"),
            toolUse("Slow", { ms: 9_000 }, "b"),
            toolUse("BlockWrite", {}, "c"),
          ),
        ],
      },
      (harness) => cancelAfter(harness, 200, "interrupt"),
    );
    expect(ran.terminal).toEqual({ reason: "aborted_tools" });
    expect(resultsOf(ran.events).map((result) => result.isError)).toEqual([false, true, true]);
    expect(ran.clock.now() - start).toBe(3_000);
    expect(marks(ran)).toEqual([]);
    expectSound(ran);
  });

  test("waits for such a tool also while the message still streams", async () => {
    const ran = await runWith({ model: [reply([toolUse("Block", { ms: 3_000 }, "a"), { do: "hang" }])] }, (harness) =>
      cancelAfter(harness, 200, "interrupt"),
    );
    expect(ran.terminal).toEqual({ reason: "aborted_streaming" });
    expect(resultsOf(ran.events)).toMatchObject([{ id: "a", text: "slept 3000" }]);
    expectSound(ran);
  });

  test.each(["user", "terminate", "shutdown"] as const)(
    "does not wait for such a tool when the cause is %s instead",
    async (cause) => {
      const ran = await runWith({ model: [call(toolUse("Block", { ms: 3_000 }, "a"))] }, (harness) =>
        cancelAfter(harness, 200, cause),
      );
      expect(ran.clock.now() - start).toBe(200);
      expect(resultsOf(ran.events)).toMatchObject([{ isError: true }]);
      expectSound(ran);
    },
  );
});

describe("while an interrupt waits for a tool", () => {
  const waiting: HarnessOptions = { model: [call(toolUse("Block", { ms: 3_000 }, "a"))] };
  const second = (harness: Harness, cause: CancelCause): Consumer => {
    harness.clock.at(300, () => harness.cancel.cancel(cause));
    return cancelAfter(harness, 200, "interrupt");
  };

  test.each(["user", "terminate", "shutdown", "consumer"] as const)(
    "a further cancel by %s ends the tool",
    async (cause) => {
      const ran = await runWith(waiting, (harness) => second(harness, cause));
      expect(ran.cancel.cause).toBe("interrupt");
      expect(ran.clock.now() - start).toBe(300);
      expect(resultsOf(ran.events)).toMatchObject([{ isError: true }]);
      expectSound(ran);
    },
  );

  test("a second interrupt also waits for the tool", async () => {
    const ran = await runWith(waiting, (harness) => second(harness, "interrupt"));
    expect(ran.clock.now() - start).toBe(3_000);
    expect(resultsOf(ran.events)).toMatchObject([{ isError: false }]);
    expectSound(ran);
  });
});

/** Cancels after so many microtasks: no time passes. */
function cancelInSteps(harness: Harness, steps: number): void {
  if (steps === 0) harness.cancel.cancel("user");
  else queueMicrotask(() => cancelInSteps(harness, steps - 1));
}

describe("a cancel between an answer and the step after it", () => {
  const answers = (harness: () => Harness, steps: number): Record<string, Partial<HarnessOptions>> => ({
    "a permission": {
      permission: () => {
        cancelInSteps(harness(), steps);
        return { behavior: "allow", reason: { type: "user" } };
      },
    },
    "a hook": {
      hooks: {
        PreToolUse: () => {
          cancelInSteps(harness(), steps);
          return {};
        },
      },
    },
  });

  test.each(["a permission", "a hook"])("lets nothing start after %s", async (name) => {
    for (let steps = 0; steps < 20; steps++) {
      const harness: Harness = createHarness({
        model: [call(toolUse("Write", {}, "a")), say("never")],
        ...answers(() => harness, steps)[name],
      });
      await harness.run();
      const late = harness.world.calls.slice(harness.world.callsAtCancel!).filter((entry) => effects.has(entry.name));
      expect(late, `after ${steps} steps`).toEqual([]);
      expect(harness.cancel.cause).toBe("user");
    }
  });

  test("keeps the next request from being prepared", async () => {
    const harness = createHarness({ model: [] });
    let isPrepared = false;
    harness.ports.context.fitSteps = () => {
      isPrepared = true;
      throw new Error("not now");
    };
    await harness.run(cancelAt(harness, 0, "user"));
    expect(isPrepared).toBe(false);
  });
});

describe("the cause of a cancel", () => {
  test("is the first one, and is kept once", async () => {
    const ran = await runWith(phases["a tool that does not listen"]!.options, (harness) => {
      harness.clock.at(200, () => harness.cancel.cancel("interrupt"));
      harness.clock.at(300, () => harness.cancel.cancel("user"));
      return () => undefined;
    });
    expect(ran.cancel.cause).toBe("interrupt");
    expect(marks(ran)).toEqual([]);
  });

  test("set before the run begins, prevents every call", async () => {
    const ran = await runWith({ model: [] }, (harness) => {
      harness.cancel.cancel("user");
      return () => undefined;
    });
    expect(ran.terminal).toEqual({ reason: "aborted_streaming" });
    expect(ran.world.calls.map((entry) => entry.name).filter((name) => effects.has(name))).toEqual([]);
    expect(ofType(ran.events, "stream_request_start")).toEqual([]);
    expectSound(ran);
  });

  test("is the user when a permission denial asks to interrupt", async () => {
    const ran = await runWith({
      model: [call(toolUse("Hang", {}, "a"), toolUse("Slow", { ms: 10 }, "b"), toolUse("Write", {}, "c"))],
      permission: (request) =>
        request.toolName === "Slow" ? deny("No, stop.", true) : { behavior: "allow", reason: { type: "user" } },
    });
    expect(ran.terminal?.reason).toMatch(/^aborted_/);
    expect(ran.cancel.cause).toBe("user");
    expect(ofType(ran.events, "permission_denied").map((event) => event.toolUseId)).toEqual(["b"]);
    expect(resultsOf(ran.events).every((result) => result.isError)).toBe(true);
    expect(ran.tools.records.map((record) => record.name)).toEqual(["Hang"]);
    expect(marks(ran)).toHaveLength(1);
    expectSound(ran);
  });

  test("set by a hook that then rejects leaves no unhandled rejection", async () => {
    const unheard: unknown[] = [];
    const onUnheard = (error: unknown): void => void unheard.push(error);
    process.on("unhandledRejection", onUnheard);
    try {
      const harness = createHarness({
        model: [say("Done.")],
        hooks: {
          Stop: () => {
            harness.cancel.cancel("user");
            return Promise.reject(new Error("the hook threw"));
          },
        },
      });
      const ran = await harness.run();
      await new Promise((resolve) => setImmediate(resolve));
      expect(ran.terminal?.reason).toMatch(/^aborted_/);
    } finally {
      process.off("unhandledRejection", onUnheard);
    }
    expect(unheard).toEqual([]);
  });

  test("decides the end of the run even if a port throws during the cancel", async () => {
    const harness = createHarness({ model: [say("Done.")] });
    harness.ports.hooks.has = () => {
      harness.cancel.cancel("user");
      throw new Error("broken");
    };
    const { terminal } = await harness.run();
    expect(terminal).toEqual({ reason: "aborted_streaming" });
  });

  test("is passed to the listeners once, in the order in which they joined", () => {
    const cancel = createCancel();
    const heard: string[] = [];
    cancel.onCancel((cause) => heard.push(`one ${cause}`));
    cancel.onCancel(() => heard.push("forgotten"))();
    cancel.onCancel((cause) => heard.push(`two ${cause}`));
    expect(cancel.cancel("user")).toBe(true);
    expect(cancel.cancel("terminate")).toBe(false);
    cancel.onCancel((cause) => heard.push(`late ${cause}`));
    expect(heard).toEqual(["one user", "two user", "late user"]);
    expect([cancel.cause, cancel.signal.aborted, cancel.signal.reason]).toEqual(["user", true, "user"]);
  });
});
