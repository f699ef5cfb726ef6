// How a summary is requested if another model wrote the thinking in the turn before it.
import { expect, test } from "vitest";
import type { ModelInfo } from "../../src/protocol/index.ts";
import { drive, fixture, inputOf, readLoop, unboundModel } from "./support.ts";

test("a summary is requested as the model that writes it may be asked, such as a fallback model", async () => {
  const base = fixture().deps.requestBase(unboundModel.id);
  const requestBase = (model: string) => ({ ...base, model, effort: model === "stand-in" ? "low" : "high" }) as const;
  const { context, requests } = fixture({ deps: { requestBase } });
  const input = inputOf(readLoop(100, 3_000), { model: { ...unboundModel, id: "stand-in" } });
  await drive(context.fit(input, new AbortController().signal));
  expect(requests[0]).toMatchObject({ model: "stand-in", effort: "low" });
});

test("a summary in the middle of another model's turn is requested without a thinking budget", async () => {
  const budget = { type: "enabled", budgetTokens: 4_000 } as const;
  const base = fixture().deps.requestBase(unboundModel.id);
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
