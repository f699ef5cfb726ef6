// Everything at once: a model that breaks in every way, hooks that answer anything, a small window, a user who comes and goes,
// and a resume after every turn. What holds of every session holds of these.
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import { hookEvents } from "../../src/protocol/hook.ts";
import type { FaultKind, Script } from "../../src/testing/index.ts";
import { readSession } from "../../src/transcript/index.ts";
import { play, sessions, stage } from "./random-session.ts";
import { clearGrounds, disposeAll, layGround, openOn } from "./support.ts";
import { byTestDepth } from "../support/test-depth.ts";

afterEach(async () => {
  await disposeAll();
  clearGrounds();
});

const runs = Number(process.env["SESSIONS"] ?? byTestDepth(12, 60));

const faults: readonly FaultKind[] = [
  "overloaded",
  "reset",
  "truncate",
  "error_event",
  "max_tokens_in_tool",
  "invalid_tool_json",
  "duplicate_tool_ids",
  "refusal",
  "pause_turn",
  "empty",
  "prompt_too_long",
  "window_exceeded",
  "too_large",
  "unauthenticated",
  "garbage",
];

const answers = (event: string): unknown[] => [
  { continue: false, stopReason: "enough" },
  { decision: "block", reason: "not yet" },
  { hookSpecificOutput: { hookEventName: event, additionalContext: "a word </system-reminder>" } },
  { systemMessage: "for people" },
  { hookSpecificOutput: { hookEventName: event, permissionDecision: "deny" } },
  { hookSpecificOutput: { hookEventName: event, updatedInput: { pattern: "*.md" } } },
  { hookSpecificOutput: { hookEventName: event, updatedToolOutput: "" } },
  "nonsense",
];

/** Hooks of every event; each dice that shows no answer is a pass, the last one a throw. */
function hooksBy(dice: readonly number[]): EngineOptions["hooks"] {
  let rolled = 0;
  const callback = (event: string) => async (): Promise<undefined> => {
    const number = dice[rolled++ % dice.length]!;
    if (number === 40) throw new Error("a broken hook");
    return answers(event)[number] as undefined;
  };
  return Object.fromEntries(hookEvents.map((event) => [event, [{ callback: callback(event) }]]));
}

const smallWindow: Partial<Script> = {
  window: 9_000,
  models: { tiny: {} },
  rules: [{ when: { lastUserText: "the conversation is about to be shortened" }, reply: "A short summary." }],
};

const smallModel: EngineOptions = {
  model: "tiny",
  fallbackModel: undefined,
  settings: JSON.stringify({
    models: { tiny: { contextWindow: 9_000, maxOutputTokens: 1_500, prices: { input: 1, output: 5 } } },
  }),
};

test(
  "transcript and memory agree, and the API accepts every request, whatever happens",
  { timeout: 1_000 * (60 + runs) },
  async () => {
    const endings = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(
        sessions(faults),
        fc.array(fc.nat(40), { minLength: 30, maxLength: 30 }),
        fc.boolean(),
        async (plan, dice, isSmall) => {
          const ground = layGround();
          ground.file("known.txt", "a line of text\n".repeat(isSmall ? 300 : 3));
          const set = stage(ground, plan, isSmall ? smallWindow : {});
          const options = { ...set.options, hooks: hooksBy(dice), ...(isSmall ? smallModel : {}) };
          let engine = await openOn(ground, set.model, options);
          for (const [at, each] of plan.turns.entries()) {
            const ended = (await play(engine, set, each, `prompt ${at}`)) ?? "left";
            endings.set(ended, (endings.get(ended) ?? 0) + 1);
            const inMemory: unknown = JSON.parse(JSON.stringify(engine.getMessages()));
            const stored = readSession(engine.getTranscriptPath()!);
            expect(stored.messages).toEqual(inMemory);
            expect(stored.report).toMatchObject({ badLines: 0, gaps: [], repaired: [], chainBreaks: 0 });
            await engine.dispose();
            engine = await openOn(ground, set.model, { ...options, resume: engine.getSessionId() });
            expect(engine.getMessages()).toEqual(inMemory);
          }
          const refused = set.model.violations.filter(({ message }) => !/too long|exceed/i.test(message));
          expect(refused).toEqual([]);
          await disposeAll();
          clearGrounds();
        },
      ),
      { numRuns: runs },
    );
    console.log("wild:", Object.fromEntries(endings));
    // Of the few that the first depth draws it may be that none is left.
    for (const ending of byTestDepth([], ["completed", "stop_hook_prevented", "left"]))
      expect(endings.get(ending), ending).toBeGreaterThan(0);
  },
);
