// The bill never exceeds the budget, as the server counts it.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { purchases, spend } from "./bill.ts";
import { byTestDepth } from "../support/test-depth.ts";
import { sharedTemporaryFolder } from "../support/temporary-folder.ts";

const cwd = sharedTemporaryFolder();

describe("under a budget", () => {
  test(
    "the server's bill stays within the limit, whatever fails, is cut off or runs in parallel",
    { timeout: 120_000 },
    async () => {
      const endings = new Map<string, number>();
      await fc.assert(
        fc.asyncProperty(purchases, async (purchase) => {
          for (const paid of await spend(purchase, cwd)) {
            expect(paid.billedUsd).toBeLessThanOrEqual(purchase.budget);
            expect(paid.violations).toEqual([]);
            for (const ending of paid.endings) endings.set(ending, (endings.get(ending) ?? 0) + 1);
          }
        }),
        { numRuns: byTestDepth(45, 120) },
      );
      console.log("budget:", Object.fromEntries(endings));
      // What is drawn differs from run to run: each end is reached, how often is chance.
      expect([...endings.keys()]).toEqual(expect.arrayContaining(["budget_exhausted", "completed"]));
    },
  );
});
