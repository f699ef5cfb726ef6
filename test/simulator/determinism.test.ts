// The same seed is the same run; what was chosen, chosen again, is the same run too.
import { beforeAll, expect, test } from "vitest";
import { readChoices, writeChoices } from "./choices.ts";
import { preload } from "./preload.ts";
import { simulate } from "./run.ts";

beforeAll(preload);

test("the same seed gives the same trace, and another seed another one", async () => {
  const hashes: string[] = [];
  for (const seed of [5, 6, 7]) {
    const [one, other] = [await simulate(seed), await simulate(seed)];
    expect(other).toEqual(one);
    hashes.push(one.hash);
  }
  expect(new Set(hashes).size).toBe(3);
});

test("the recorded choices replay a run, also through their text form", async () => {
  const run = await simulate(11);
  const given = readChoices(writeChoices(run.choices));
  expect((await simulate(11, { given })).hash).toBe(run.hash);
});

test("changing a choice changes the run", async () => {
  const run = await simulate(11);
  const at = run.choices.findIndex((choice) => choice > 0);
  expect((await simulate(11, { given: run.choices.with(at, 0) })).hash).not.toBe(run.hash);
});
