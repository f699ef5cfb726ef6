// A consumer that walks away, and a process that runs for long: nothing that a run opened is left.
import { describe, expect, test } from "vitest";
import { expectSound, leftoverFaults } from "./support/after.ts";
import { fold, pairingFaults } from "./support/checks.ts";
import { cancelAt, createHarness, runWith, type HarnessOptions } from "./support/harness.ts";
import { untilAborted } from "./support/model.ts";
import { call, reply, say, textBlock, toolUse, truncated } from "./support/script.ts";
import { idle, VirtualClock } from "./support/virtual-clock.ts";

const scripts: Record<string, HarnessOptions> = {
  tools: {
    model: [
      reply([
        textBlock("x"),
        toolUse("Read"),
        toolUse("Slow", { ms: 50 }),
        toolUse("SlowWrite", { ms: 50 }),
        toolUse("Write"),
        { do: "sleep", ms: 200 },
        textBlock("y"),
      ]),
      say("Done."),
    ],
    queued: [{ uuid: "q1", prompt: [textBlock("More.")] }],
  },
  "slow hooks": {
    model: [call(toolUse("Write")), say("Done.")],
    hooks: {
      PreToolUse: () => new Promise((resolve) => setImmediate(() => resolve({}))),
      Stop: async (_input, _signal, at) => (at < 2 ? { blocking: ["again"] } : {}),
    },
  },
  recoveries: { model: [truncated("a"), truncated("b"), say("c")] },
};

describe("a consumer that stops reading", () => {
  test.each(Object.entries(scripts))(
    "at any event leaves one interruption mark and nothing running: %s",
    async (_name, options) => {
      const whole = await runWith(options);
      for (let at = 0; at < whole.events.length; at++) {
        const ran = await runWith(options, () => (_event, index) => (index === at ? "return" : undefined));
        expect(ran.terminal).toBeNull();
        expect(pairingFaults(fold(ran.transcript.records)), `event ${at}`).toEqual([]);
        expect(leftoverFaults(ran), `event ${at}`).toEqual([]);
        expect(ran.tools.running, `event ${at}`).toBe(0);
        const marks = ran.transcript.records.filter(
          (record) => record.type === "user" && record.origin === "interruption",
        );
        expect(marks.length, `event ${at}`).toBe(1);
        expect(ran.transcript.records.at(-1), `event ${at}`).toBe(marks[0]);
        expect(ran.trace.spans).toMatchObject([{ attributes: { reason: "abandoned" } }]);
      }
    },
  );

  test("while a waiting event is shown leaves nothing running", async () => {
    for (const options of [
      { model: [say("Done.")], hooks: { Stop: () => new Promise<never>(() => {}) } },
      { model: [], admit: () => new Promise<never>(() => {}) },
      { model: [call(toolUse("Write"))], permission: () => new Promise<never>(() => {}) },
    ] satisfies HarnessOptions[]) {
      const ran = await runWith(options, () => (event) => (event.type === "waiting" ? "return" : undefined));
      expect(ran.terminal).toBeNull();
      expect(leftoverFaults(ran)).toEqual([]);
      expect(ran.cancel.cause).toBe("consumer");
    }
  });

  test("in the middle of an answer leaves the text and its usage on record, as a cancel does", async () => {
    const model = [{ ...reply([textBlock("One."), { do: "hang" }]), partialText: "Half a sent" }];
    const isSaid = ({ type }: { type: string }): boolean => type === "assistant";
    const left = await runWith({ model }, () => (event) => (isSaid(event) ? "return" : undefined));
    const cancelled = await runWith({ model }, (harness) => cancelAt(harness, isSaid, "user"));
    const recorded = left.transcript.records.map(({ type }) => type);
    expect(recorded).toEqual(cancelled.transcript.records.map(({ type }) => type));
    expect(left.transcript.records).toContainEqual(
      expect.objectContaining({ aborted: true, content: [textBlock("Half a sent")] }),
    );
    expect(left.budget.settled).toEqual(cancelled.budget.settled);
    expect(left.budget.settled).toMatchObject([{ outcome: { usage: { inputTokens: 100 }, final: false } }]);
    expect(left.cancel.cause).toBe("consumer");
    expect(leftoverFaults(left)).toEqual([]);
  });

  test("at the partial text after a cancel leaves the call booked once and closed", async () => {
    const model = [{ ...reply([textBlock("One."), { do: "hang" }]), partialText: "Half a sent" }];
    const ran = await runWith({ model }, (harness) => (event) => {
      if (event.type !== "assistant") return undefined;
      if (event.aborted === true) return "return";
      harness.cancel.cancel("user");
      return undefined;
    });
    expect(ran.transcript.records.filter(({ type }) => type === "response_end")).toHaveLength(1);
    expect(ran.budget.settled).toMatchObject([{ outcome: { usage: { inputTokens: 100 }, final: false } }]);
    expect(leftoverFaults(ran)).toEqual([]);
  });

  // Seen: the cost of the answer was lost if the adapter threw while its connection was closed.
  test.each(["its consumer leaves", "it is cancelled", "it is cancelled, and then left"])(
    "leaves the answer booked and closed when the adapter throws as %s",
    async (how) => {
      const harness = createHarness({ model: [reply([textBlock("One."), textBlock("Two.")])] });
      const { model } = harness.ports;
      const stream = model.stream.bind(model);
      model.stream = (request, signal) => {
        const inner = stream(request, signal);
        const next = inner.next.bind(inner);
        let late = how === "it is cancelled, and then left" ? 1 : 0;
        inner.next = async () => {
          if (!signal.aborted) return await next();
          if (late-- > 0) return { done: false, value: { type: "block", index: 1, block: textBlock("Late.") } };
          throw new Error("This operation was aborted.");
        };
        return inner;
      };
      let answers = 0;
      await harness.run((event) => {
        if (event.type !== "assistant") return undefined;
        if (how === "its consumer leaves" || ++answers === 2) return "return";
        harness.cancel.cancel("user");
        return undefined;
      });
      expect(harness.transcript.records.map(({ type }) => type).slice(-2)).toEqual(["response_end", "user"]);
      expect(harness.budget.settled).toMatchObject([{ outcome: { usage: {}, final: false } }]);
    },
  );

  test("during a tool use summary aborts the summary and waits for it", async () => {
    let isOver = false;
    const harness = createHarness({
      model: [call(toolUse("Read"), toolUse("Read"), toolUse("Read")), reply([textBlock("x"), { do: "hang" }])],
      summary: async (_messages, signal) => {
        await untilAborted(signal);
        await harness.clock.sleep(50);
        isOver = true;
        return null;
      },
    });
    await harness.run((event) =>
      event.type === "assistant" && event.content[0]?.type === "text" ? "return" : undefined,
    );
    expect(isOver).toBe(true);
  });

  test("after a cancel, before the interruption mark, still leaves one mark", async () => {
    const ran = await runWith({ model: [reply([toolUse("Hang", {}, "a"), { do: "hang" }])] }, (harness) => (event) => {
      if (event.type === "assistant") harness.cancel.cancel("user");
      return event.type === "user" ? "return" : undefined;
    });
    expect(ran.terminal).toBeNull();
    const marks = ran.transcript.records.filter((record) => record.type === "user" && record.origin === "interruption");
    expect(marks).toHaveLength(1);
    expectSound(ran, true);
  });

  test("after the run has ended leaves no interruption mark", async () => {
    const ran = await runWith(
      { model: [call(toolUse("Read"))], limits: { maxTurns: 1 } },
      () => (event) => (event.type === "attachment" ? "return" : undefined),
    );
    expect(ran.terminal).toBeNull();
    expect(ran.transcript.records.some((record) => record.type === "user" && record.origin === "interruption")).toBe(
      false,
    );
  });

  test("before the first event has opened nothing", async () => {
    const harness = createHarness({ model: [] });
    await harness.open().return(undefined as never);
    expect(harness.world.calls).toEqual([]);
  });

  test("returns queued prompts as cancelled before the model's answer, as completed after it", async () => {
    const before = await runWith(
      scripts["tools"]!,
      () => (event) => (event.type === "transition" ? "return" : undefined),
    );
    expect(before.queue.settled).toEqual([{ uuids: ["q1"], outcome: "cancelled" }]);
    let answers = 0;
    const after = await runWith(
      scripts["tools"]!,
      () => (event) => (event.type === "response_end" && ++answers === 2 ? "return" : undefined),
    );
    expect(after.queue.settled).toEqual([{ uuids: ["q1"], outcome: "completed" }]);
  });
});

describe("endurance", () => {
  test("a thousand turns in one run leave nothing running", async () => {
    const turns = 1_000;
    const ran = await runWith({
      model: (_request, at) => (at < turns ? call(toolUse("Read"), toolUse("Write")) : say("Done.")),
      lean: true,
    });
    expect(ran.model.requested).toBe(turns + 1);
    expectSoundAtTheEdges(ran);
  });

  test("a hundred consecutive runs with tools that never end leave nothing running", async () => {
    for (let round = 0; round < 100; round++) {
      const model = [call(toolUse("Progress", { ms: 5 }), toolUse("Hang"), toolUse("Deaf")), say("Done.")];
      expectSoundAtTheEdges(await runWith({ model, limits: { toolMs: 50 } }));
    }
  });
});

function expectSoundAtTheEdges(ran: Parameters<typeof leftoverFaults>[0]): void {
  expect(leftoverFaults(ran)).toEqual([]);
  expect(ran.terminal).toEqual({ reason: "completed" });
}

test("the virtual clock rejects a wait without a time limit", async () => {
  const clock = new VirtualClock();
  await expect(clock.until(new Promise(() => {}))).rejects.toThrow("without a limit");
  await idle();
});
