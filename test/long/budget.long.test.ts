// The property of test/session/budget.test.ts over ten thousand random scripts and prices; PURCHASES=500 for fewer.
import fc from "fast-check";
import { expect, test } from "vitest";
import { purchases, spend } from "../session/bill.ts";
import { sharedTemporaryFolder } from "../support/temporary-folder.ts";

const cwd = sharedTemporaryFolder();

const runs = Number(process.env["PURCHASES"] ?? 10_000);

test(`over ${runs} scripts and prices the server's bill stays within the budget`, { timeout: 1_800_000 }, async () => {
  let sessions = 0;
  let calls = 0;
  let closest = 0;
  await fc.assert(
    fc.asyncProperty(purchases, async (purchase) => {
      for (const paid of await spend(purchase, cwd)) {
        sessions++;
        calls += paid.calls;
        closest = Math.max(closest, paid.billedUsd / purchase.budget);
        expect(paid.billedUsd).toBeLessThanOrEqual(purchase.budget);
        expect(paid.violations).toEqual([]);
      }
    }),
    { numRuns: runs },
  );
  console.log(
    `budget: ${sessions} sessions, ${calls} billed calls; the bill came to at most ${(closest * 100).toFixed(1)} % of its budget`,
  );
  expect(closest).toBeGreaterThan(0.9);
});
