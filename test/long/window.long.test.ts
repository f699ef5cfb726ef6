// 300 turns of the whole product in a window of 20,000 tokens, with each layer switched off in turn, against the server that says
// "prompt is too long" exactly when it would be: the job finishes, or stops for the right named reason. Never a loop, never a 400.
import { afterAll, afterEach, expect, test } from "vitest";
import { allBut, expectLawful, layerNames, noticesOf, refusals, work, type Job } from "../session/small-window.ts";
import { clearGrounds, disposeAll } from "../session/support.ts";

afterEach(disposeAll);
afterAll(clearGrounds);

const turns = 300;
type Case = [name: string, job: Partial<Job>, reason: string];

const untold = ([name, job, reason]: Case): Case => [
  `${name}, and a catalogue that says a million`,
  { ...job, told: false },
  reason,
];
const models = ["claude-opus-5-5", "claude-opus-4-8", "claude-sonnet-4-5"];

const finishing: Case[] = [
  ["nothing", {}, "completed"],
  ...layerNames.map((name): Case => [name, { off: [name] }, "completed"]),
  ["everything but auto_compact", { off: allBut("auto_compact") }, "completed"],
  ["everything but reactive_compact", { off: allBut("reactive_compact") }, "completed"],
  ["every summary (refused)", { noSummaries: true }, "completed"],
];
const cases: Case[] = [
  ...finishing,
  // The one overflow before the server's figure is known has nobody to meet it.
  ...finishing.map(untold).map(([name, job, reason]): Case => {
    const helpless = job.off?.includes("reactive_compact") === true;
    return [name, job, helpless ? "prompt_too_long" : reason];
  }),
  ...models.map((model): Case => [`nothing, ${model}`, { model }, "completed"]),
  ...models.map((model): Case => [`auto_compact, ${model}`, { model, off: ["auto_compact"] }, "completed"]),
  ["everything but the gate", { off: allBut("blocking_limit") }, "blocking_limit"],
  untold(["everything but the gate", { off: allBut("blocking_limit") }, "prompt_too_long"]),
  ["everything", { off: layerNames }, "prompt_too_long"],
  untold(["everything", { off: layerNames }, "prompt_too_long"]),
];

test.each(cases)(`${turns} turns without %s finish, or stop for the expected reason`, async (_name, job, reason) => {
  const ran = await work({ turns, ...job });
  expectLawful(ran);
  expect(ran.results.at(-1)?.terminal_reason).toBe(reason);
  if (reason === "completed") expect(ran.done()).toBe(turns);
  expect(noticesOf(ran, "compaction_thrashing")).toEqual([]);
  const { count } = refusals(ran);
  if (job.off?.includes("auto_compact") === true) expect(count).toBeLessThan(turns / 10);
  else if (reason === "completed") expect(count).toBe(job.told === false ? 1 : 0);
});

test.each([700, 1_000, 1_500, 3_000])(
  "a job with files of up to %d lines, each filling the window, finishes or stops for a named reason",
  async (lines) => {
    for (const job of [
      {},
      { told: false },
      { noSummaries: true },
      { off: ["signed_summaries"] },
      { off: ["auto_compact"] },
    ]) {
      const ran = await work({ turns, lines, ...job });
      expectLawful(ran);
      if (ran.done() < turns)
        expect(["blocking_limit", "prompt_too_long"]).toContain(ran.results.at(-1)?.terminal_reason);
      await ran.engine.dispose();
    }
  },
);
