// How a summary is requested if another model wrote the thinking in the turn before it.
import { expect, test } from "vitest";
import type { ModelInfo } from "../../src/protocol/index.ts";
import { drive, fixture, inputOf, readLoop, unboundModel } from "./support.ts";

test("a summary in the middle of another model's turn is requested without a thinking budget", async () => {
  const budget = { type: "enabled", budgetTokens: 4_000 } as const;
  const base = fixture().deps.requestBase();
  const asked = async (model: Partial<ModelInfo>) => {
    const options = { deps: { requestBase: () => ({ ...base, thinking: budget }) } };
    const { context, requests } = fixture(options);
    const input = inputOf(readLoop(100, 3_000), { model: { ...unboundModel, thinking: "enabled", ...model } });
    await drive(context.fit(input, new AbortController().signal));
    return requests[0]!.thinking;
  };
  expect(await asked({ id: "claude-haiku-4-5" })).toEqual({ type: "disabled" });
  expect(await asked({})).toEqual(budget);
});
