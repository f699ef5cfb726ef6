// What is on disk is the conversation: after every turn, after a resume, after a cut anywhere.
import { cpSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import type { QueryEngine } from "../../src/index.ts";
import { readSession } from "../../src/transcript/index.ts";
import { play, sessions, stage, type SessionPlan, type Stage } from "./random-session.ts";
import { clearGrounds, disposeAll, layGround, openOn, turn, type Ground } from "./support.ts";
import { byTestDepth } from "../support/test-depth.ts";

afterEach(async () => {
  await disposeAll();
  clearGrounds();
});

const runs = Number(process.env["SESSIONS"] ?? byTestDepth(12, 60));

const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** The file read back says exactly what the session has in memory, without a repair. */
function expectSame(engine: QueryEngine): void {
  const stored = readSession(engine.getTranscriptPath()!);
  expect(stored.messages).toEqual(json(engine.getMessages()));
  expect(stored.report).toMatchObject({ badLines: 0, gaps: [], repaired: [], chainBreaks: 0 });
}

function prepared(): Ground {
  const ground = layGround();
  ground.file("known.txt", "what is known");
  return ground;
}

/** The same home, as it is now, for another engine to go on from. */
function copyOf(ground: Ground): Ground {
  const other = layGround();
  cpSync(ground.pawlHome, other.pawlHome, { recursive: true, filter: (path) => !path.endsWith(".lock") });
  return { ...other, work: ground.work };
}

const endings = new Map<string, number>();

async function playAll(engine: QueryEngine, set: Stage, plan: SessionPlan, after: () => void): Promise<void> {
  for (const [at, each] of plan.turns.entries()) {
    const ended = (await play(engine, set, each, `prompt ${at}`)) ?? "left";
    endings.set(ended, (endings.get(ended) ?? 0) + 1);
    after();
  }
}

/** Of the random ones most have some that are left or interrupted, and now and then none. */
const stopped = (how: "break" | "interrupt"): SessionPlan => ({
  turns: [{ steps: [{ text: 400, thinks: false, calls: [], fault: null }], act: { at: 1, how } }],
  fallback: false,
  maxTurns: 50,
});

describe("for any session", () => {
  test(
    "the transcript folds to the messages after every turn, and every request is valid",
    { timeout: 1_000 * (60 + runs) },
    async () => {
      await fc.assert(
        fc.asyncProperty(sessions(), async (plan) => {
          const ground = prepared();
          const set = stage(ground, plan);
          const engine = await openOn(ground, set.model, set.options);
          await playAll(engine, set, plan, () => expectSame(engine));
          expect(set.model.violations).toEqual([]);
          await disposeAll();
          clearGrounds();
        }),
        { numRuns: runs, examples: [[stopped("break")], [stopped("interrupt")]] },
      );
      console.log("transcript:", Object.fromEntries(endings));
      for (const ending of ["completed", "aborted_streaming", "left"])
        expect(endings.get(ending), ending).toBeGreaterThan(0);
    },
  );

  test(
    "a resumed session sends the same bytes as the live one would have",
    { timeout: 1_000 * (60 + runs) },
    async () => {
      await fc.assert(
        fc.asyncProperty(sessions(), async (plan) => {
          const ground = prepared();
          const set = stage(ground, plan);
          const engine = await openOn(ground, set.model, set.options);
          await playAll(engine, set, plan, () => undefined);
          const [copy, other] = [copyOf(ground), stage(ground, plan)];
          const resumed = await openOn(copy, other.model, { ...other.options, resume: engine.getSessionId() });
          expect(resumed.getMessages()).toEqual(json(engine.getMessages()));
          for (const each of [set, other]) each.play([]);
          await turn(engine, "And now?");
          await turn(resumed, "And now?");
          expect(other.bodies.at(-1)).toBe(set.bodies.at(-1));
          expect(other.model.violations).toEqual([]);
          await disposeAll();
          clearGrounds();
        }),
        { numRuns: Math.ceil((runs * 2) / 3) },
      );
    },
  );
});

interface Sent {
  body: { model: string; system: unknown; tools: unknown; messages: { role: string; content: object[] }[] };
  /** Bytes of the file when it was sent. */
  size: number;
}

/** What the prefix cache compares: without the marks that move. */
function unmarked(content: object[]): object[] {
  return content.map((block) => ({ ...block, cache_control: undefined }));
}

function expectPrefix(sent: Sent["body"], later: Sent["body"]): void {
  expect(later.system).toEqual(sent.system);
  expect(later.tools).toEqual(sent.tools);
  for (const [at, message] of sent.messages.entries()) {
    const own = unmarked(message.content);
    const isLast = at === sent.messages.length - 1;
    const kept = unmarked(later.messages[at]?.content ?? []);
    expect(isLast ? kept.slice(0, own.length) : kept).toEqual(own);
  }
}

test("a response that paused during thinking is sent back without the thinking", async () => {
  const ground = prepared();
  const set = stage(ground, { fallback: false, maxTurns: 5 });
  const engine = await openOn(ground, set.model, set.options);
  set.play([{ text: 0, thinks: true, calls: [], fault: "pause_turn" }]);
  expect((await turn(engine, "Search.")).result.subtype).toBe("success");
  expect(set.model.violations).toEqual([]);
  expectSame(engine);
});

describe("a transcript cut at any byte", () => {
  test(
    "is continued from its complete records, with a valid request that begins like the live ones",
    { timeout: 1_000 * (60 + runs) },
    async () => {
      let cuts = 0;
      await fc.assert(
        fc.asyncProperty(
          sessions(["overloaded", "reset", "truncate", "max_tokens_in_tool", "invalid_tool_json"]),
          fc.array(fc.double({ min: 0.02, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 }),
          async (plan, shares) => {
            const ground = prepared();
            const set = stage(ground, plan);
            const engine = await openOn(ground, set.model, set.options);
            const path = engine.getTranscriptPath()!;
            const sent: Sent[] = [];
            set.onRequest = () =>
              sent.push({ body: JSON.parse(set.bodies.at(-1)!) as Sent["body"], size: statSync(path).size });
            await playAll(engine, set, plan, () => undefined);
            const whole = readFileSync(path);
            for (const share of shares) {
              const size = Math.max(1, Math.floor(whole.length * share));
              const [copy, other] = [copyOf(ground), stage(ground, plan)];
              writeFileSync(path.replace(ground.pawlHome, copy.pawlHome), whole.subarray(0, size));
              const resumed = await openOn(copy, other.model, { ...other.options, resume: engine.getSessionId() });
              const { result } = await turn(resumed, "And now?");
              expect(result.subtype).toBe("success");
              expect(other.model.violations).toEqual([]);
              const after = JSON.parse(other.bodies[0]!) as Sent["body"];
              const known = sent.filter((each) => each.size <= size && each.body.model === after.model);
              for (const each of known) expectPrefix(each.body, after);
              expectSame(resumed);
              cuts++;
            }
            await disposeAll();
            clearGrounds();
          },
        ),
        { numRuns: Math.ceil(runs / 2) },
      );
      console.log(`transcript: ${cuts} cuts`);
    },
  );

  test("with only a torn first line starts anew under the same id", async () => {
    const ground = prepared();
    const set = stage(ground, { fallback: false, maxTurns: 5 });
    const engine = await openOn(ground, set.model, set.options);
    await turn(engine, "Hi.");
    await engine.dispose();
    const path = engine.getTranscriptPath()!;
    writeFileSync(path, readFileSync(path).subarray(0, 40));
    const notices: string[] = [];
    const resumed = await openOn(ground, set.model, {
      ...set.options,
      resume: engine.getSessionId(),
      onNotice: (text) => notices.push(text),
    });
    expect(resumed.getMessages()).toEqual([]);
    expect(notices.join("\n")).toContain("its last line was cut off (40 bytes, set aside)");
    expect((await turn(resumed, "Hi again.")).result.subtype).toBe("success");
    expect(resumed.getSessionId()).toBe(engine.getSessionId());
    expect(join(resumed.getTranscriptPath()!)).toBe(path);
  });
});
