// The ten laws, each a property over random script × abort point × hook answers × fault: fast-check finds the smallest
// scenario that breaks one. `every-point.test.ts` and `every-call.test.ts` try every point of a chosen few.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runAt, subjects } from "./support/law-run.ts";
import { allLaws, story } from "./support/laws.ts";

describe("law", () => {
  test.each(Object.entries(allLaws))("%s", async (_name, law) => {
    await fc.assert(
      fc.asyncProperty(subjects, async (subject) => {
        const run = await runAt(subject);
        const faults = law(run);
        if (faults.length > 0) expect.fail(story(run, faults));
      }),
      { numRuns: 100 },
    );
  });
});
