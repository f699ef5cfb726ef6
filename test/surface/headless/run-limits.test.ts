// A headless run whose turn ended at a limit while agents work in the background.
import { describe, expect, test } from "vitest";
import { runHeadless } from "../../../src/surface/headless/run.ts";
import { StopDesk } from "../../../src/surface/stop-desk.ts";
import { failure, fakeEngine } from "../support/messages.ts";
import { Collector } from "../support/sink.ts";

describe("a headless run", () => {
  // Seen: the model reported what its agents had found in a turn of its own, and --max-turns ended with the exit code 0.
  test.each([
    ["error_max_turns", "max_turns", 3],
    ["error_max_budget_usd", "budget_exhausted", 4],
  ] as const)("that ended in %s does not wait for its agents", async (subtype, reason, code) => {
    const engine = fakeEngine(() => [failure(subtype, reason, ["the limit"])]);
    Object.defineProperties(engine, {
      openAgents: { get: () => 1 },
      whenAgentsEnd: { value: () => new Promise(() => undefined) },
    });
    const places = { stdout: new Collector(), stderr: new Collector(), stop: new StopDesk(), env: {}, cwd: "/w" };
    const run = { engine, prompt: "hello", outputFormat: "text" as const, verbose: false, ...places };
    expect(await runHeadless(run)).toBe(code);
    expect(engine.prompts).toHaveLength(1);
  });
});
