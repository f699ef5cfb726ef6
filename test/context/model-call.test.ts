// Calls beside the loop's own: what is admitted for them, and given back.
import { expect, test } from "vitest";
import { admit } from "../../src/context/model-call.ts";
import type { ModelInfo, ModelPort } from "../../src/protocol/model.ts";
import { Ledger } from "../../src/session/ledger.ts";
import { modelRequest } from "../model/support/wire.ts";

test("of a call that is interrupted while it is counted nothing stays reserved", async () => {
  const prices = [{ input: 2, output: 10, cacheWrite5m: 2.5, cacheWrite1h: 4, cacheRead: 0.2 }];
  const info = { id: "m", known: true, contextWindow: 200_000, maxOutputTokens: 64_000, prices } as ModelInfo;
  const ledger = new Ledger({
    info: () => info,
    costOf: () => ({ usd: 0, known: true }),
    cacheTtl: "5m",
    onUnknownModel: () => undefined,
    maxBudgetUsd: 0.12,
  });
  const controller = new AbortController();
  const model = {
    measure: () => ({ bytes: 20_000 }),
    async countTokens() {
      controller.abort();
      return undefined;
    },
  } as Partial<ModelPort> as ModelPort;
  const admission = await admit({ model, budget: ledger }, modelRequest(), [], 2_500, controller.signal);
  expect(admission).toMatchObject({ admitted: false });
  expect(ledger.remainingUsd).toBeCloseTo(0.12, 9);
});
