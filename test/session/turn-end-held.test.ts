// What tools hold for a turn is let go of at its end, whatever the end, once and in order.
import { afterEach, expect, test } from "vitest";
import { tool, type EngineOptions, type QueryEngine } from "../../src/index.ts";
import type { Reply } from "../../src/testing/index.ts";
import { clearGroundsAfterwards, disposeAll, impatientClock, openSession, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const hold: Reply = { content: [{ tool: "Hold", input: {} }] };

/** A tool that holds these for the turn, and what was released when. */
function holding(names: readonly string[], dispose: (name: string) => unknown = () => undefined) {
  const released: string[] = [];
  const lines: string[] = [];
  const holder = tool("Hold", "Holds.", { type: "object" }, async (_input, { registerTurnEnd }) => {
    for (const name of names)
      registerTurnEnd(name, () => {
        released.push(name);
        return dispose(name);
      });
    return "held";
  });
  const options: EngineOptions = {
    customTools: [holder],
    allowedTools: ["Hold"],
    clock: impatientClock,
    debug: (line) => lines.push(line),
  };
  return { released, lines, options };
}

test("releases registered resources in order, before the Stop hooks, and only once", async () => {
  const { released, options } = holding(["browser", "screen", "browser"]);
  const seen: string[][] = [];
  const hooks = { Stop: [{ callback: async () => void seen.push([...released]) }] };
  const { engine } = await openSession({ steps: [hold, hold, "Done.", "Again."] }, { ...options, hooks });
  await turn(engine, "Hold.");
  expect(seen).toEqual([["screen", "browser"]]);
  await turn(engine, "Again.");
  expect(released).toEqual(["screen", "browser"]);
});

test.each<[string, EngineOptions, (engine: QueryEngine) => unknown, Reply]>([
  ["an error", {}, () => undefined, { fault: "bad_request" }],
  ["a limit", { maxTurns: 1 }, () => undefined, { content: "x" }],
  ["an interrupt", {}, (engine) => engine.interrupt(), { content: "x" }],
])("releases resources also when the turn ends by %s", async (_name, extra, onResult, next) => {
  const { released, options } = holding(["browser"]);
  const { engine } = await openSession({ steps: [hold, next] }, { ...options, ...extra });
  await turn(engine, "Hold.", { onMessage: (message) => (message.type === "user" ? onResult(engine) : undefined) });
  expect(released).toEqual(["browser"]);
});

test("logs a release that fails or never ends, and still releases the next resource", async () => {
  const { released, lines, options } = holding(["a", "b", "c"], (name) => {
    if (name === "a") throw new Error("stuck");
    return name === "b" ? new Promise(() => undefined) : undefined;
  });
  const clock: NonNullable<EngineOptions["clock"]> = {
    ...impatientClock,
    timer: (ms, onFire) => impatientClock.timer(ms === 5_000 ? 300 : ms, onFire),
  };
  const { engine } = await openSession({ steps: [hold, "Done."] }, { ...options, clock });
  const { messages, result } = await turn(engine, "Hold.");
  expect(released).toEqual(["a", "b", "c"]);
  expect(result.subtype).toBe("success");
  expect(JSON.stringify(messages)).not.toContain("stuck");
  expect(lines).toEqual(expect.arrayContaining(["turn_end a failed: stuck", "turn_end b was not released within 5 s"]));
});

test("an invalid name or function is an error for the tool", async () => {
  const wrong = tool("Hold", "Holds.", { type: "object" }, async (_input, context) => {
    context.registerTurnEnd("", () => undefined);
    return "held";
  });
  const { engine } = await openSession({ steps: [hold, "Done."] }, { customTools: [wrong], allowedTools: ["Hold"] });
  const { messages } = await turn(engine, "Hold.");
  expect(JSON.stringify(messages)).toContain("registerTurnEnd takes a name and a function.");
});

test("a subagent keeps its resources until its session is closed", async () => {
  const { released, options } = holding(["browser"]);
  const subagent = { agentId: "a", agentType: "b" };
  const { engine } = await openSession({ steps: [hold, "Done."] }, { ...options, subagent });
  await turn(engine, "Hold.");
  expect(released).toEqual([]);
  await engine.dispose();
  expect(released).toEqual(["browser"]);
});
