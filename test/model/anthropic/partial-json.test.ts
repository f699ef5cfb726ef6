// A call whose input is only the beginning of a document must never run, wherever the limit or the network cut it.
import fc from "fast-check";
import { expect, test } from "vitest";
import { createAnthropicModel } from "../../../src/model/index.ts";
import { describeVectors } from "../../support/vectors.ts";
import { answering, blocksOf, end, hear, sse, start, stop, toolBlock, type Heard } from "../support/wire.ts";

function say(partial: string, reason: string): Promise<Heard> {
  const body = sse(start(), ...toolBlock(0, "toolu_1", partial), end(reason), stop);
  return hear(createAnthropicModel({ transport: answering(body), version: "1.0.0" }));
}

/** Calls that a loop would run, by input. */
async function runnable(partial: string, reason: string): Promise<unknown[]> {
  const { events } = await say(partial, reason);
  return blocksOf(events).flatMap(({ block, invalidInput }) =>
    block.type === "tool_use" && invalidInput === undefined ? [block.input] : [],
  );
}

function isObjectText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

async function expectSafe(partial: string): Promise<void> {
  const complete = isObjectText(partial);
  const expected = complete ? [JSON.parse(partial)] : [];
  expect(await runnable(partial, "max_tokens")).toEqual(expected);
  expect(await runnable(partial, "tool_use")).toEqual(partial.trim() === "" ? [{}] : expected);
}

interface PartialJson {
  fixJson: { input: string }[];
  best_effort: { input: string }[];
  documents: string[];
  prefixes: { doc: number; input: string }[];
}

describeVectors<PartialJson>("partial_json", ({ fixJson, best_effort: bestEffort, documents, prefixes }) => {
  test("a call runs only if its input is a complete object", async () => {
    for (const { input } of [...fixJson, ...bestEffort, ...prefixes]) await expectSafe(input);
  });

  test("no prefix of the documents runs unless it is complete", async () => {
    for (const document of documents)
      for (let length = 0; length <= document.length; length++) await expectSafe(document.slice(0, length));
  });
});

test("no proper prefix of an object runs as a call", async () => {
  const objects = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }).map((value) => JSON.stringify(value));
  await fc.assert(
    fc.asyncProperty(objects, fc.nat(), async (text, at) => {
      const prefix = text.slice(0, at % text.length);
      expect(await runnable(prefix, "max_tokens")).toEqual([]);
      expect(await runnable(text, "max_tokens")).toEqual([JSON.parse(text)]);
    }),
    { numRuns: 200 },
  );
});
