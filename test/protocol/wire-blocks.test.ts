// Blocks as clients get them: equal to the conversation's own, and sharing nothing with them.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { ContentBlock } from "../../src/protocol/message.ts";
import { toWireBlocks } from "../../src/protocol/wire-block.ts";

function objectsIn(value: unknown): object[] {
  if (typeof value !== "object" || value === null) return [];
  return [value, ...Object.values(value).flatMap(objectsIn)];
}

test("toWireBlocks copies any JSON without sharing an object, whatever the keys", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const input = JSON.parse(
        JSON.stringify({ value, list: [value], other: 1 }).replace('"other"', '"__proto__"'),
      ) as Record<string, unknown>;
      const content: ContentBlock[] = [{ type: "tool_use", id: "t", name: "n", input }];
      const [copy] = toWireBlocks(content);
      expect(JSON.stringify(copy)).toBe(JSON.stringify(content[0]));
      const own = new Set(objectsIn(content[0]));
      expect(objectsIn(copy).some((object) => own.has(object))).toBe(false);
    }),
  );
});
