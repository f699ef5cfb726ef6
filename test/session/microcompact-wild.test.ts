// Sessions of any course in windows of any size: results left out, collapsed, summarised, snipped, interrupted, resumed.
import fc from "fast-check";
import { expect, test } from "vitest";
import { snipReplay, type QueryEngine } from "../../src/index.ts";
import { SnipError } from "../../src/session/context/snips.ts";
import { readSession } from "../../src/transcript/index.ts";
import { clearGroundsAfterwards, disposeAll, impatientClock, layGround, openOn, scripted, turn } from "./support.ts";
import { byTestDepth } from "../support/test-depth.ts";

clearGroundsAfterwards();

const models = ["claude-sonnet-5-5", "claude-sonnet-4-6", "claude-haiku-4-5"] as const;
const course = fc.record({
  model: fc.constantFrom(...models),
  window: fc.constantFrom(20_000, 40_000, 150_000),
  ttl: fc.constantFrom("5m", "1h"),
  turns: fc.array(
    fc.record({
      reads: fc.integer({ min: 0, max: 12 }),
      leaveAt: fc.option(fc.integer({ min: 2, max: 60 }), { freq: 3, nil: undefined }),
      snip: fc.option(fc.tuple(fc.nat(), fc.nat()), { freq: 2, nil: undefined }),
      snipAt: fc.integer({ min: 1, max: 40 }),
      pauseMs: fc.constantFrom(0, 0, 400_000),
      resumes: fc.boolean(),
    }),
    { minLength: 2, maxLength: 4 },
  ),
});

type Course = typeof course extends fc.Arbitrary<infer Value> ? Value : never;

/** A course in which results are left out and spans of whole turns go, so that the counts at the end hold for any seed. */
const certain: Course = {
  model: models[0],
  window: 40_000,
  ttl: "5m",
  turns: [0, 1, 2, 3].map((at) => ({
    reads: 12,
    leaveAt: undefined,
    snip: [0, 1],
    snipAt: 1_000,
    pauseMs: 400_000,
    resumes: at === 1,
  })),
};

const none = { leaveAt: undefined, snip: undefined, snipAt: 1, pauseMs: 0, resumes: false } as const;
/** A span goes that is a prompt and a mark, in whose place another mark stands: more than it had. */
const vain: Course = {
  model: models[0],
  window: 20_000,
  ttl: "5m",
  turns: [
    { ...none, reads: 2 },
    { ...none, reads: 7, resumes: true },
    { ...none, reads: 0, leaveAt: 2 },
    { ...none, reads: 4, snip: [0, 11], snipAt: 17 },
  ],
};

const summary = {
  name: "summary",
  when: { lastUserText: /about to be shortened|is to be left out/ },
  reply: "They read.",
};

test(
  "every request is valid and the transcript folds to the messages, whatever happens in a session",
  { timeout: 120_000 },
  async () => {
    const seen = { cleared: 0, snipped: 0 };
    await fc.assert(
      fc.asyncProperty(course, async ({ model: name, window, ttl, turns }) => {
        const ground = layGround();
        const paths = Array.from({ length: 7 }, (_, at) =>
          ground.file(`f${at}.txt`, `words of file ${at}, and more\n`.repeat(150 + at * 40)),
        );
        let [left, made, late] = [0, 0, 0];
        const model = scripted(
          {
            window,
            rules: [summary],
            fallback: () =>
              left-- > 0
                ? {
                    content: [
                      { thinking: "hm" },
                      { tool: "Read", input: { file_path: paths[made++ % paths.length]! } },
                    ],
                  }
                : "Done.",
          },
          { now: () => Date.now() + late },
        );
        const clock = {
          ...impatientClock,
          now: () => Date.now() + late,
          timestamp: () => new Date(Date.now() + late).toISOString(),
        };
        const settings = JSON.stringify({ promptCacheTtl: ttl, models: { [name]: { contextWindow: window } } });
        const options = { model: name, clock, settings, snipReplay };
        let engine = await openOn(ground, model, options);
        for (const [at, { reads, leaveAt, snip, snipAt, pauseMs, resumes }] of turns.entries()) {
          left = reads;
          late += pauseMs;
          let shown = 0;
          await turn(engine, "Read on.", {
            uuid: `prompt-${at}`,
            onMessage(message) {
              if (message.type === "system" && message.subtype === "results_cleared") seen.cleared++;
              if (message.type === "system" && message.subtype === "snip_boundary") seen.snipped++;
              if (++shown === leaveAt) engine.interrupt();
              if (shown === snipAt && snip !== undefined) trySnip(engine, snip);
            },
          });
          if (snip !== undefined && trySnip(engine, snip)) seen.snipped++;
          expect(readSession(engine.getTranscriptPath()!, undefined, snipReplay).messages).toEqual(
            JSON.parse(JSON.stringify(engine.getMessages())),
          );
          if (!resumes) continue;
          await engine.dispose();
          const before = JSON.parse(JSON.stringify(engine.getMessages())) as unknown;
          engine = await openOn(ground, model, { ...options, resume: engine.getSessionId() });
          expect(engine.getMessages()).toEqual(before);
        }
        expect(model.violations.filter(({ message }) => !message.startsWith("prompt is too long"))).toEqual([]);
        await disposeAll();
      }),
      { numRuns: byTestDepth(10, 25), examples: [[certain], [vain]] },
    );
    console.log("microcompact:", seen);
    expect(seen.cleared).toBeGreaterThan(0);
    expect(seen.snipped).toBeGreaterThan(0);
  },
);

/** Some span of the conversation, of a whole user turn where the first number is even; whether it went. */
function trySnip(engine: QueryEngine, [one, other]: readonly [number, number]): boolean {
  const uuids = engine.getMessages().map(({ uuid }) => uuid);
  const starts = uuids.flatMap((uuid, at) => (uuid.startsWith("prompt-") ? [at] : []));
  const ofTurn = [...starts, uuids.length].slice(other % Math.max(1, starts.length)).slice(0, 2);
  const anywhere = [one % uuids.length, other % uuids.length].toSorted((a, b) => a - b);
  const [from, to] = one % 2 === 0 && ofTurn.length === 2 ? [ofTurn[0]!, ofTurn[1]! - 1] : anywhere;
  try {
    return engine.snip({ fromUuid: uuids[from!]!, toUuid: uuids[to!]! }).state === "applied";
  } catch (error) {
    expect(error).toBeInstanceOf(SnipError);
    return false;
  }
}
