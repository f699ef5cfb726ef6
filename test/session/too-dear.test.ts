import { expect, test } from "vitest";
import { Ledger } from "../../src/session/ledger/ledger.ts";
import { noUsage } from "../../src/protocol/usage.ts";
import { createCatalog } from "../../src/model/index.ts";

const catalog = createCatalog();
const model = "claude-sonnet-5-5";
const call = { model, requestBytes: 9_000, estimatedInputTokens: 2_500, maxTokens: 7_000, mediaTokens: () => 0 };

test("explains once what the budget was spent on when a call is unaffordable, until one is admitted again", async () => {
  const told: string[] = [];
  const ledger = new Ledger({
    maxBudgetUsd: 0.3,
    info: (name) => catalog.info(name),
    costOf: (name, usage) => catalog.costOf(name, usage),
    cacheTtl: "5m",
    onUnknownModel: () => undefined,
    onUnaffordable: (text) => told.push(text),
  });
  const admitted = async (): Promise<string> => {
    const admission = await ledger.admit(call);
    if (!admission.admitted) throw new Error(admission.message);
    return admission.ticket;
  };
  ledger.settle(await admitted(), { usage: { ...noUsage, inputTokens: 5_000 }, final: true });
  ledger.settle(await admitted(), { unknown: true });
  const running = await admitted();
  const dear = { ...call, requestBytes: 39_000 };
  for (let time = 0; time < 2; time++) expect((await ledger.admit(dear)).admitted).toBe(false);
  expect(told).toEqual([
    "The next call can cost $0.11. Of the budget of $0.3, $0.0100 is spent, $0.0950 is held for calls whose bill was not told, $0.0950 is reserved for calls under way.",
  ]);
  ledger.settle(running, { notBilled: true });
  ledger.settle(await admitted(), { unknown: true });
  expect((await ledger.admit(dear)).admitted).toBe(false);
  expect(told[1]).toMatch(/spent, \$[\d.]+ is held for calls whose bill was not told\.$/u);
});

test("reserves later calls at the US price once an answer was processed within the US", async () => {
  const ledger = new Ledger({
    maxBudgetUsd: 10,
    info: (name) => catalog.info(name),
    costOf: (name, usage) => catalog.costOf(name, usage),
    cacheTtl: "5m",
    onUnknownModel: () => undefined,
  });
  const reserved = async (): Promise<number> => {
    const before = ledger.remainingUsd;
    const admission = await ledger.admit(call);
    const usd = before - ledger.remainingUsd;
    const usage = { ...noUsage, inputTokens: 5_000, inferenceGeo: "us" as const };
    if (admission.admitted) ledger.settle(admission.ticket, { usage, final: true });
    return usd;
  };
  const first = await reserved();
  expect(first).toBeGreaterThan(0);
  expect(await reserved()).toBeCloseTo(first * 1.1, 12);
});
