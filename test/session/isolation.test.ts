// Sessions side by side in one process: nothing of one is ever in another's requests, messages, transcript, files or bill.
import fc from "fast-check";
import { test } from "vitest";
import { isolatedPlan, sideBySide } from "./isolated-sessions.ts";
import { clearGroundsAfterwards } from "./support.ts";

clearGroundsAfterwards();

test("dozens of random sessions in one process do not affect each other", { timeout: 60_000 }, async () => {
  await fc.assert(fc.asyncProperty(fc.array(isolatedPlan, { minLength: 24, maxLength: 30 }), sideBySide), {
    numRuns: 1,
    endOnFailure: true,
  });
});
