// Which name was probably meant: letters that were left out, put in, mistaken or swapped.
import { expect, test } from "vitest";
import { editDistance, nearestName } from "../../src/lib/edit-distance.ts";

test.each([
  ["", "ab", 2],
  ["abc", "abc", 0],
  ["model", "modle", 1],
  ["ab", "ba", 1],
  ["abcd", "badc", 2],
  ["kitten", "sitting", 3],
])("the distance from %j to %j is %i", (one, other, distance) => {
  expect(editDistance(one, other)).toBe(distance);
  expect(editDistance(other, one)).toBe(distance);
});

test("two swapped letters in a short name count as one mistake", () => {
  expect(nearestName("modle", ["hooks", "models", "model"])).toBe("model");
  expect(nearestName("omdel", ["hooks", "model"])).toBe("model");
  expect(nearestName("elmod", ["hooks", "model"])).toBeUndefined();
});

test("a name without its end is meant sooner than another name with as few mistakes", () => {
  const names = ["taskBudget", "maxBudgetUsd", "maxTurns"];
  expect(nearestName("maxBudget", names)).toBe("maxBudgetUsd");
  expect(nearestName("max", names)).toBeUndefined();
  expect(nearestName("maxBudget", ["maxBudgetUsd", "maxBudgetEur", "minBudget"])).toBe("minBudget");
});
