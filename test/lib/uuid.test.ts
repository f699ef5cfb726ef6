// Ids that are random in all their bits but those that say so.
import { expect, test } from "vitest";
import { uuid } from "../../src/lib/uuid.ts";

const many = 4_000;

test("every uuid is different and of version 4", () => {
  const ids = Array.from({ length: many }, uuid);
  for (const id of ids) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/u);
  expect(new Set(ids).size).toBe(many);
});

test("every digit occurs at every random place, independently of the other places", () => {
  const ids = Array.from({ length: many }, () => uuid().replaceAll("-", ""));
  for (let place = 0; place < 32; place++) {
    const digits = new Set(ids.map((id) => id[place]));
    expect(digits.size).toBe(place === 12 ? 1 : place === 16 ? 4 : 16);
    for (let other = 0; other < place; other++) {
      if (place === 12 || other === 12) continue;
      const pairs = new Set(ids.map((id) => `${id[other]}${id[place]}`));
      expect(pairs.size).toBeGreaterThan(digits.size * 2);
    }
  }
});
