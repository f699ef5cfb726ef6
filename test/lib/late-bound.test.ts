import { expect, test } from "vitest";
import { lateBound } from "../../src/lib/late-bound.ts";

test("a value that is read before it was made is an error that names it", () => {
  const ledger = lateBound<{ cost: number }>("the ledger");
  expect(() => ledger.get()).toThrow("Something asked for the ledger before it was made.");
  const made = { cost: 1 };
  ledger.set(made);
  expect(ledger.get()).toBe(made);
});
