// Who may start, end and leave a user turn, and when.
import { afterEach, describe, expect, test } from "vitest";
import { tool } from "../../src/session/tools/custom-tool.ts";
import type { SDKMessage } from "../../src/protocol/sdk.ts";
import type { Reply } from "../../src/testing/index.ts";
import { acquireLock } from "../../src/transcript/index.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  impatientClock,
  layGround,
  lastUserTexts,
  linesOf,
  openOn,
  openSession,
  scripted,
  turn,
} from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const stalled: Reply = { content: ["One.", "Two."], fault: { kind: "stall", at: "mid_last_block" } };

/** Says when it runs, and waits to be let go. */
function gate() {
  const entered = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const passage = tool(
    "Gate",
    "Waits.",
    { type: "object" },
    async (_input, { signal }) => {
      entered.resolve();
      await Promise.race([
        release.promise,
        new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true })),
      ]);
      return signal.aborted ? { content: "ended", isError: true } : "through";
    },
    { readOnlyHint: true },
  );
  return { tool: passage, entered: entered.promise, release: release.resolve };
}

describe("interrupt()", () => {
  test("before a turn returns false", async () => {
    const { engine } = await openSession({ steps: ["Hello."] });
    expect(engine.interrupt()).toBe(false);
    expect((await turn(engine, "Hi.")).result.subtype).toBe("success");
  });

  test("after a turn returns false, and the next turn runs", async () => {
    const { engine } = await openSession({ steps: ["One.", "Two."] });
    await turn(engine, "1");
    expect(engine.interrupt()).toBe(false);
    expect((await turn(engine, "2")).result.subtype).toBe("success");
  });

  test("before the first message is requested returns false", async () => {
    const { engine } = await openSession({ steps: ["Hello."] });
    const messages = engine.submitMessage("Hi.");
    expect(engine.interrupt()).toBe(false);
    const seen: SDKMessage[] = [];
    for await (const message of messages) seen.push(message);
    expect(seen.at(-1)).toMatchObject({ type: "result", subtype: "success" });
  });

  test("twice ends the turn once, with the first cause", async () => {
    const { engine } = await openSession({ steps: [stalled, "Next."] });
    const { result } = await turn(engine, "Go.", {
      onMessage: (message) => {
        if (message.type !== "assistant") return;
        expect(engine.interrupt("user")).toBe(true);
        expect(engine.interrupt("terminate")).toBe(true);
      },
    });
    expect(result.terminal_reason).toBe("aborted_streaming");
    const marks = linesOf(engine).filter((line) => JSON.stringify(line).includes("[Request interrupted by user]"));
    expect(marks).toHaveLength(1);
    expect((await turn(engine, "Go on.")).result.subtype).toBe("success");
  });

  test("on init ends the turn without a model call", async () => {
    const { engine, model } = await openSession({ steps: ["Never."] });
    const { result } = await turn(engine, "Go.", { onMessage: () => engine.interrupt() });
    expect(result.terminal_reason).toBe("aborted_streaming");
    expect(calls(model)).toHaveLength(0);
  });

  test("for a new message leaves no interrupt mark", async () => {
    const { engine, model } = await openSession({ steps: [stalled, "Next."] });
    await turn(engine, "Go.", {
      onMessage: (message) => message.type === "assistant" && engine.interrupt("interrupt"),
    });
    await turn(engine, "Instead.");
    expect(JSON.stringify(linesOf(engine))).not.toContain("[Request interrupted");
    expect(lastUserTexts(calls(model)[1]!)).toEqual(["Instead."]);
    expect(model.violations).toEqual([]);
  });
});

describe("a turn that runs", () => {
  test("refuses a second turn, and goes on", async () => {
    const { engine } = await openSession({ steps: ["Hello."] });
    const first = engine.submitMessage("1");
    await first.next();
    await expect(engine.submitMessage("2").next()).rejects.toThrow(/running/);
    const rest: SDKMessage[] = [];
    for await (const message of first) rest.push(message);
    expect(rest.at(-1)).toMatchObject({ type: "result", subtype: "success" });
  });

  test("is cancelled if its consumer leaves, and the results of its calls are recorded", async () => {
    const { tool: passage, entered } = gate();
    const { engine, model } = await openSession(
      { steps: [{ content: ["So.", { tool: "Gate" }] }, "Next."] },
      {
        customTools: [passage],
      },
    );
    for await (const message of engine.submitMessage("Go.")) {
      if (message.type !== "assistant" || message.message.content[0]?.type !== "tool_use") continue;
      await entered;
      break;
    }
    expect(JSON.stringify(linesOf(engine))).toContain("tool_result");
    const { result } = await turn(engine, "And now?");
    expect(result.subtype).toBe("success");
    expect(model.violations).toEqual([]);
  });

  test("is over once it yielded its result, even if the consumer does not ask for more", async () => {
    const { engine } = await openSession({ fallback: "Hello." });
    const first = engine.submitMessage("1");
    for (let step = await first.next(); step.value?.type !== "result"; step = await first.next()) continue;
    expect(engine.interrupt()).toBe(false);
    expect((await turn(engine, "2")).result.subtype).toBe("success");
    expect(await first.next()).toEqual({ done: true, value: undefined });
  });

  test("that is left at init keeps its prompt for the next turn's request", async () => {
    const { engine, model } = await openSession({ steps: ["Both."] });
    for await (const message of engine.submitMessage("First.")) if (message.type === "system") break;
    await turn(engine, "Second.");
    expect(lastUserTexts(calls(model)[0]!).slice(-2)).toEqual(["First.", "Second."]);
  });

  test("that is left by its consumer has its cost recorded", async () => {
    const { engine } = await openSession({ steps: [{ content: ["So.", { tool: "Glob", input: { pattern: "*" } }] }] });
    for await (const message of engine.submitMessage("Go."))
      if (message.type === "system" && message.subtype === "transition") break;
    const ledger = linesOf(engine).findLast((line) => line.type === "ledger");
    expect(ledger?.data).toMatchObject({ totalUsd: engine.getCost().totalUsd });
    expect(engine.getCost().totalUsd).toBeGreaterThan(0);
  });
});

test("an invalid prompt throws, and the next turn runs", async () => {
  const { engine } = await openSession({ steps: ["Hello."] });
  await expect(turn(engine, undefined as never)).rejects.toMatchObject({
    name: "UsageError",
    message: "A prompt must be a string or a list of blocks, not undefined.",
  });
  expect(() => engine.enqueue(null as never)).toThrow("A prompt must be a string or a list of blocks, not null.");
  expect((await turn(engine, "Hi.")).result.subtype).toBe("success");
});

test("a host may change its list of blocks once the turn has begun", async () => {
  const { engine, model } = await openSession({ steps: ["Hello.", "Two."] });
  await turn(engine, "Hi.");
  const blocks = [{ type: "text" as const, text: "Count the herons." }];
  for await (const message of engine.submitMessage(blocks)) {
    if (message.type !== "system" || message.subtype !== "init") continue;
    blocks[0]!.text = "";
    blocks.push(null as never);
  }
  expect(JSON.stringify(model.requests[1]!.body)).toContain("Count the herons.");
});

describe("dispose()", () => {
  test("ends the running turn, whose consumer gets the remaining messages and the result", async () => {
    const { tool: passage, entered } = gate();
    const { engine } = await openSession({ steps: [{ content: [{ tool: "Gate" }] }] }, { customTools: [passage] });
    const running = turn(engine, "Go.");
    await entered;
    await engine.dispose();
    const { result } = await running;
    expect(result).toMatchObject({
      terminal_reason: expect.stringMatching(/^aborted_/),
      subtype: "error_during_execution",
    });
  });

  test("called from within the loop over the messages ends the loop", async () => {
    const { engine, model } = await openSession({ steps: [stalled] }, { clock: impatientClock });
    const seen: string[] = [];
    for await (const message of engine.submitMessage("Go.")) {
      seen.push(message.type);
      if (message.type === "assistant") await engine.dispose();
    }
    expect(seen.at(-1)).toBe("assistant");
    expect(calls(model)).toHaveLength(1);
  });

  test("does not wait for a consumer that stopped reading", async () => {
    const ground = layGround();
    const engine = await openOn(ground, scripted({ steps: ["Hello."] }), { clock: impatientClock });
    const forgotten = engine.submitMessage("Go.");
    await forgotten.next();
    await engine.dispose();
    expect(await forgotten.next()).toEqual({ done: true, value: undefined });
    acquireLock(engine.getTranscriptPath()!).release();
  });

  test("may be called again, at once and later", async () => {
    const { engine } = await openSession({ steps: ["Hello."] });
    await turn(engine, "Hi.");
    await Promise.all([engine.dispose(), engine.dispose()]);
    await engine.dispose();
  });

  test("makes a later submit fail with advice", async () => {
    const { engine } = await openSession({});
    await engine.dispose();
    await expect(engine.submitMessage("Hi.").next()).rejects.toThrow(/createEngine/);
    await expect(engine.clear()).rejects.toThrow(/closed/);
    expect(engine.interrupt()).toBe(false);
  });

  test("is called by `await using`", async () => {
    const ground = layGround();
    let path = "";
    {
      await using engine = await openOn(ground, scripted({ steps: ["Hello."] }));
      await turn(engine, "Hi.");
      path = engine.getTranscriptPath()!;
    }
    acquireLock(path).release();
  });
});

describe("clear()", () => {
  test("starts an empty session under a new id and keeps the user's choices", async () => {
    const { engine, model } = await openSession({ steps: ["One.", "Two."] }, { effort: "low" });
    await turn(engine, "Remember the milk.");
    const [id, path] = [engine.getSessionId(), engine.getTranscriptPath()];
    engine.setModel("claude-haiku-5-5");
    engine.setPermissionMode("acceptEdits");
    engine.setEffort("high");
    await engine.clear();
    expect(engine.getSessionId()).not.toBe(id);
    expect(engine.getTranscriptPath()).not.toBe(path);
    expect(engine.getMessages()).toEqual([]);
    const work = { durationMs: expect.any(Number), apiDurationMs: 0, linesAdded: 0, linesRemoved: 0 };
    expect(engine.getCost()).toEqual({ totalUsd: 0, modelUsage: {}, ...work });
    expect([engine.getModel(), engine.getPermissionMode()]).toEqual(["claude-haiku-5-5", "acceptEdits"]);
    const { messages } = await turn(engine, "What should you remember?");
    expect(messages[0]).toMatchObject({ session_id: engine.getSessionId(), model: "claude-haiku-5-5" });
    const body = calls(model)[1]!.body!;
    expect(JSON.stringify(body.messages)).not.toContain("milk");
    expect(JSON.stringify(body)).toContain('"effort":"high"');
    acquireLock(path!).release();
  });

  test("resets the budget", async () => {
    const { engine } = await openSession({ fallback: "word ".repeat(4_000) }, { maxBudgetUsd: 0.11 });
    const ends: string[] = [];
    for (const prompt of ["1", "2", "3"]) ends.push((await turn(engine, prompt)).result.terminal_reason);
    expect(ends).toContain("budget_exhausted");
    await engine.clear();
    expect((await turn(engine, "1")).result.terminal_reason).toBe(ends[0]);
  });

  test("keeps queued input, and refuses a submit meanwhile", async () => {
    const { engine } = await openSession({ steps: ["One."] });
    engine.enqueue("later", "0b2d5a0c-77a4-4f2a-8a43-2f9a6f2d3c11");
    const clearing = engine.clear();
    await expect(engine.submitMessage("Now.").next()).rejects.toThrow(/cleared/);
    await clearing;
    expect(engine.takeQueued()).toMatchObject({ uuid: "0b2d5a0c-77a4-4f2a-8a43-2f9a6f2d3c11" });
  });

  test("and dispose() at the same time leave nothing open", async () => {
    const ground = layGround();
    const engine = await openOn(ground, scripted({}));
    const path = engine.getTranscriptPath()!;
    await Promise.all([engine.clear(), engine.dispose()]);
    acquireLock(path).release();
    acquireLock(engine.getTranscriptPath()!).release();
  });

  test("ends a running turn", async () => {
    const { tool: passage, entered } = gate();
    const { engine } = await openSession(
      { steps: [{ content: [{ tool: "Gate" }] }, "Fresh."] },
      { customTools: [passage] },
    );
    const running = turn(engine, "Go.");
    await entered;
    await engine.clear();
    expect((await running).result.terminal_reason).toMatch(/^aborted_/);
    expect((await turn(engine, "Again.")).result.subtype).toBe("success");
  });
});
