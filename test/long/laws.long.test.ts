// The loop's laws, longer: many more scripts, every point of many more runs, histories by the ten thousand, and a run of
// ten thousand turns. Same judges as in test/laws; a failure here prints the scenario to add there.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createNormalizer } from "../../src/loop/normalize.ts";
import { requestFaults } from "../loop/support/checks.ts";
import { leftoverFaults, requestsFaults, transcriptFaults } from "../loop/support/after.ts";
import { runWith } from "../loop/support/harness.ts";
import { histories, normalizeOptions } from "../loop/support/histories.ts";
import { call, say, toolUse } from "../loop/support/script.ts";
import { wireFaults } from "../loop/support/wire.ts";
import { adversaries, adversaryOptions, excesses } from "../laws/support/adversary.ts";
import { coveringRuns } from "../laws/support/covering.ts";
import { injectionsOf, lawRun, runAt, subjects } from "../laws/support/law-run.ts";
import { allLaws, faultsOf, story } from "../laws/support/laws.ts";

describe("law", () => {
  test.each(Object.entries(allLaws))("%s", async (_name, law) => {
    await fc.assert(
      fc.asyncProperty(subjects, async (subject) => {
        const run = await runAt(subject);
        const faults = law(run);
        if (faults.length > 0) expect.fail(story(run, faults));
      }),
      { numRuns: 3_000 },
    );
  });
});

test.each([1, 2, 3, 4])("every law holds at every point, seed %s", async (seed) => {
  let runs = 0;
  for (const counted of await coveringRuns(seed, 2_000, 20_000))
    for (const injection of injectionsOf(counted)) {
      const run = await lawRun(counted.scenario, injection, counted);
      runs++;
      const faults = faultsOf(run);
      if (faults.length > 0) expect.fail(story(run, faults));
    }
  console.log(`laws, long: ${runs} runs`);
});

test("random adversaries that never stop exceed no bound and leave no faulty transcript or request", async () => {
  await fc.assert(
    fc.asyncProperty(adversaries, async (adversary) => {
      const ran = await runWith(adversaryOptions(adversary));
      const faults = [
        ...excesses(adversary, ran),
        ...transcriptFaults(ran),
        ...requestsFaults(ran),
        ...leftoverFaults(ran),
      ];
      expect(faults).toEqual([]);
    }),
    { numRuns: 5_000 },
  );
});

test("any history is normalized to a valid request", () => {
  fc.assert(
    fc.property(histories, normalizeOptions, (messages, change) => {
      const request = createNormalizer()(messages, change);
      expect([...requestFaults(request), ...wireFaults(request)]).toEqual([]);
    }),
    { numRuns: 50_000 },
  );
});

test("ten thousand turns in one run leave nothing behind", async () => {
  const turns = 10_000;
  const ran = await runWith({
    model: (_request, at) => (at < turns ? call(toolUse("Read"), toolUse("Write")) : say("Done.")),
    lean: true,
  });
  expect(ran.model.requested).toBe(turns + 1);
  expect(ran.terminal).toEqual({ reason: "completed" });
  expect(leftoverFaults(ran)).toEqual([]);
});
