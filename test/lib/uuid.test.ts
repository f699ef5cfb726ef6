import { expect, test } from "vitest";
import { randomUuid } from "../../src/lib/uuid.ts";

test("each is a UUID of version 4, and another one", () => {
  const made = Array.from({ length: 1000 }, randomUuid);
  expect(new Set(made).size).toBe(made.length);
  for (const uuid of made) expect(uuid).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/u);
});

test("no digit is always the same but those that say what it is", () => {
  const made = Array.from({ length: 1000 }, randomUuid);
  const kinds = Array.from({ length: 36 }, (_, at) => new Set(made.map((uuid) => uuid[at])).size);
  const fixed: Record<number, number> = { 8: 1, 13: 1, 14: 1, 18: 1, 19: 4, 23: 1 };
  expect(kinds).toEqual(kinds.map((_, at) => fixed[at] ?? 16));
});
