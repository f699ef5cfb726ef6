// A failing run is made small without leaving what makes it fail.
import { expect, test } from "vitest";
import { shrink } from "./shrink.ts";

test("shrinking leaves only the choices the failure needs, as small as possible", async () => {
  const choices = Array.from({ length: 300 }, (_, at) => (at * 7) % 90);
  const stillFails = async (given: number[]): Promise<boolean> =>
    given.includes(42) && given.some((each) => each >= 60);
  const { choices: small, runs } = await shrink(choices, stillFails);
  const needed = small.filter((each) => each !== 0).toSorted((one, other) => one - other);
  expect(needed).toHaveLength(2);
  expect(needed[0]).toBe(42);
  expect(needed[1]).toBeGreaterThanOrEqual(60);
  expect(small.length).toBeLessThan(10);
  expect(runs).toBeLessThanOrEqual(400);
});

test("shrinking ends when nothing can be left out", async () => {
  const { choices } = await shrink([1, 1], async (given) => given.join() === "1,1");
  expect(choices).toEqual([1, 1]);
});
