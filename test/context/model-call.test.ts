// Calls of the model outside the loop: what is reserved for them, and what is given back.
import { expect, test } from "vitest";
import { admitCall, callModel } from "../../src/context/model-call.ts";
import type { Message } from "../../src/protocol/message.ts";
import type { ModelFailure, ModelInfo, ModelOutcome, ModelPort } from "../../src/protocol/model.ts";
import { Ledger } from "../../src/session/ledger/ledger.ts";
import { modelRequest } from "../model/support/wire.ts";

test("nothing stays reserved after an interruption while tokens are counted", async () => {
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
    info: () => info,
    measure: () => ({ bytes: 20_000 }),
    async countTokens() {
      controller.abort();
      return undefined;
    },
  } as Partial<ModelPort> as ModelPort;
  const admission = await admitCall({ model, budget: ledger }, modelRequest(), [], 2_500, controller.signal);
  expect(admission).toMatchObject({ admitted: false });
  expect(ledger.remainingUsd).toBeCloseTo(0.12, 9);
});

test("a linked document is reserved by the API's count, or otherwise by the most it can cost", async () => {
  const prices = [{ input: 2, output: 10, cacheWrite5m: 2.5, cacheWrite1h: 4, cacheRead: 0.2 }];
  const info = { id: "m", known: true, contextWindow: 1_000_000, maxOutputTokens: 64_000, prices } as ModelInfo;
  const ledgerWith = (maxBudgetUsd: number) =>
    new Ledger({
      info: () => info,
      costOf: () => ({ usd: 0, known: true }),
      cacheTtl: "5m",
      onUnknownModel: () => undefined,
      maxBudgetUsd,
    });
  const modelWith = (counted: number | undefined) =>
    ({
      info: () => info,
      measure: () => ({ bytes: 4_000 }),
      countTokens: async () => counted,
    }) as Partial<ModelPort> as ModelPort;
  const request = { ...modelRequest(), maxTokens: 8_000 };
  const source = { type: "url" as const, url: "https://example.com/long.pdf" };
  const own = { uuid: "u", timestamp: "" };
  const messages: Message[] = [{ type: "user", ...own, content: [{ type: "document", source }] }];
  const { signal } = new AbortController();

  const uncounted = ledgerWith(2);
  expect(
    await admitCall({ model: modelWith(undefined), budget: uncounted }, request, messages, 2_500, signal),
  ).toMatchObject({
    admitted: false,
  });
  expect(
    await admitCall({ model: modelWith(undefined), budget: ledgerWith(3) }, request, messages, 2_500, signal),
  ).toMatchObject({
    admitted: true,
  });
  const counted = ledgerWith(2);
  const admission = await admitCall({ model: modelWith(100_000), budget: counted }, request, messages, 2_500, signal);
  expect(admission).toMatchObject({ admitted: true });
  expect(counted.remainingUsd).toBeCloseTo(2 - ((105_000 + 1_000) * 2.5 + 8_000 * 10) / 1e6, 9);
});

const failure: ModelFailure = { kind: "server_error", message: "no", recovery: "none" };
const usage = { inputTokens: 10, outputTokens: 5, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };

test.each<[string, () => Promise<ModelOutcome>, number]>([
  ["that the server refused costs nothing", async () => ({ ok: false, failure: { ...failure, status: 400 } }), 0],
  ["to an overloaded server costs nothing", async () => ({ ok: false, failure: { ...failure, status: 529 } }), 0],
  ["that was never sent costs nothing", async () => ({ ok: false, failure: { ...failure, neverSent: true } }), 0],
  ["that was cut off is charged its maximum", async () => ({ ok: false, failure }), 1],
  ["that broke off with incomplete usage is charged its maximum", async () => ({ ok: false, failure, usage }), 1],
  ["that threw is charged its maximum", () => Promise.reject(new Error("broken")), 1],
  ["that was answered is charged its reported usage", async () => ({ ok: true, stopReason: "end_turn", usage }), 0.25],
  [
    "whose answer reports no output tokens is charged its maximum",
    async () => ({ ok: true, stopReason: "end_turn", usage, outputUntold: true }),
    1,
  ],
  [
    "that the model refused before any text costs nothing",
    async () => ({ ok: true, stopReason: "refusal", usage, unbilled: true }),
    0,
  ],
])("a call %s", async (_name, end, share) => {
  const prices = [{ input: 2, output: 10, cacheWrite5m: 2.5, cacheWrite1h: 4, cacheRead: 0.2 }];
  const info = { id: "m", known: true, contextWindow: 200_000, maxOutputTokens: 64_000, prices } as ModelInfo;
  const ledger = new Ledger({
    info: () => info,
    costOf: () => ({ usd: 0.25, known: true }),
    cacheTtl: "5m",
    onUnknownModel: () => undefined,
    maxBudgetUsd: 10,
  });
  const model = {
    info: () => info,
    measure: () => ({ bytes: 300_000 }),
    async *stream() {
      yield* [];
      return await end();
    },
  } as Partial<ModelPort> as ModelPort;
  const { signal } = new AbortController();
  const admission = await admitCall({ model, budget: ledger }, modelRequest(), [], 2_500, signal);
  if (!admission.admitted) throw new Error(admission.message);
  const reserved = 10 - ledger.remainingUsd;
  expect(reserved).toBeGreaterThan(0.5);
  await callModel({ model, budget: ledger }, modelRequest(), admission.ticket, signal).catch(() => undefined);
  expect(10 - ledger.remainingUsd).toBeCloseTo(share === 1 ? reserved : share, 9);
});
