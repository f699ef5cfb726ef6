// Admission before the call, settlement after it: what is reserved, what is booked, what is left.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Ledger } from "../../src/session/ledger/ledger.ts";
import { readLedgerSnapshot } from "../../src/session/ledger/read-ledger-snapshot.ts";
import type { PriceTier } from "../../src/protocol/model.ts";
import { noUsage, type Usage } from "../../src/protocol/usage.ts";
import { asking, bill, flat, hidden, info, ledgerOf, ticketOf, whole } from "./ledgers.ts";

describe("a call that is only made if the budget can spare it", () => {
  const spare = { spare: true, requestBytes: 1_000, maxTokens: 1_000 } as const;
  // 2,000 tokens of input as a cache write and 1,000 of output.
  const worst = (2_000 * 2.5 + 1_000 * 10) / 1e6;

  test("is admitted if it takes at most a tenth of what is left", async () => {
    const enough = ledgerOf({ maxBudgetUsd: worst * 10 });
    const admission = await enough.admit(asking(spare));
    expect(admission).toMatchObject({ admitted: true, maxTokens: 1_000, lowered: false });
    expect(enough.remainingUsd).toBeCloseTo(worst * 9, 12);
    const tooLittle = ledgerOf({ maxBudgetUsd: worst * 9.9 });
    expect(await tooLittle.admit(asking(spare))).toMatchObject({ admitted: false });
    expect(tooLittle.remainingUsd).toBe(worst * 9.9);
  });

  test("needs no price without a budget, and is refused without a price under one", async () => {
    expect(await ledgerOf().admit(asking({ ...spare, model: "unpriced" }))).toMatchObject({ admitted: true });
    const ledger = ledgerOf({ maxBudgetUsd: 1_000 });
    expect(await ledger.admit(asking({ ...spare, model: "unpriced" }))).toMatchObject({ admitted: false });
  });

  test("reserves what media can cost beyond their bytes", async () => {
    const seen = asking({ ...spare, mediaTokens: () => 2_000 });
    expect(await ledgerOf({ maxBudgetUsd: worst * 10 }).admit(seen)).toMatchObject({ admitted: false });
  });

  test("does not change the refusal reported for the run's own calls", async () => {
    const ledger = ledgerOf({ maxBudgetUsd: worst * 10 });
    expect(await ledger.admit(asking({ maxTokens: 64_000, requestBytes: 9e9 }))).toMatchObject({ admitted: false });
    const { refusal } = ledger;
    expect(refusal).toContain("maximum budget");
    await ledger.admit(asking(spare));
    await ledger.admit(asking({ ...spare, requestBytes: 9e9 }));
    expect(ledger.refusal).toBe(refusal);
  });

  test("is booked at its actual cost", async () => {
    const ledger = ledgerOf({ maxBudgetUsd: 1 });
    const admission = await ledger.admit(asking(spare));
    if (!admission.admitted) throw new Error(admission.message);
    ledger.settle(admission.ticket, { usage: { ...noUsage, inputTokens: 500, outputTokens: 100 }, final: true });
    expect(ledger.totalUsd).toBeCloseTo(0.002, 12);
    expect(ledger.remainingUsd).toBeCloseTo(0.998, 12);
  });
});

describe("admission", () => {
  test("without a budget admits everything and never asks for a token count", async () => {
    const ledger = ledgerOf();
    expect(ledger.remainingUsd).toBe(Infinity);
    const admission = await ledger.admit(asking({ countTokens: () => Promise.reject(new Error("asked")) }));
    expect(admission).toMatchObject({ admitted: true, maxTokens: 8_000, lowered: false });
    expect(ledger.remainingUsd).toBe(Infinity);
  });

  test.each<[string, Partial<Usage>, number]>([
    ["anywhere", {}, 1],
    ["within the US", { inferenceGeo: "us" }, 1.1],
  ])("reserves what the next call can cost if the last was answered %s", async (_, place, factor) => {
    const ledger = ledgerOf({ maxBudgetUsd: 10 });
    const ticket = ticketOf(await ledger.admit(asking()));
    ledger.settle(ticket, { usage: { ...noUsage, inputTokens: 1, ...place }, final: true });
    const left = ledger.remainingUsd;
    await ledger.admit(asking());
    expect(left - ledger.remainingUsd).toBeCloseTo(whole * factor, 12);
  });

  test("reserves every byte as a token at the cache-write price, and the whole output", async () => {
    const ledger = ledgerOf({ maxBudgetUsd: 1 });
    await ledger.admit(asking());
    expect(ledger.remainingUsd).toBeCloseTo(1 - whole, 12);
  });

  test("uses the price of the longer cache lifetime if it is requested", async () => {
    const ledger = ledgerOf({ maxBudgetUsd: 1, cacheTtl: "1h" });
    await ledger.admit(asking());
    expect(ledger.remainingUsd).toBeCloseTo(1 - (10_000 * 4 + 8_000 * 10) / 1e6, 12);
  });

  test("uses the prices of the requested speed, and plain ones for a model with one speed", async () => {
    const fastPrices = [{ input: 12, output: 60, cacheWrite5m: 15, cacheWrite1h: 24, cacheRead: 1.2 }];
    const ofBoth = ledgerOf({ maxBudgetUsd: 10, info: (id) => ({ ...info(id, flat), fastPrices }) });
    await ofBoth.admit(asking({ speed: "fast" }));
    expect(ofBoth.remainingUsd).toBeCloseTo(10 - whole * 6, 12);
    await ofBoth.admit(asking());
    expect(ofBoth.remainingUsd).toBeCloseTo(10 - whole * 7, 12);
    const ofOne = ledgerOf({ maxBudgetUsd: 10 });
    await ofOne.admit(asking({ speed: "fast" }));
    expect(ofOne.remainingUsd).toBeCloseTo(10 - whole, 12);
  });

  test("reserves what media can cost beyond their bytes", async () => {
    const ledger = ledgerOf({ maxBudgetUsd: 1 });
    await ledger.admit(asking({ mediaTokens: () => 3_000 }));
    expect(ledger.remainingUsd).toBeCloseTo(1 - (13_000 * 2.5 + 8_000 * 10) / 1e6, 12);
  });

  test("uses the most expensive price tier that can apply, and no higher one", async () => {
    const tiers: PriceTier[] = [
      { ...flat[0]!, upToInputTokens: 10_000 },
      { input: 4, output: 30, cacheWrite5m: 5, cacheWrite1h: 8, cacheRead: 0.4, upToInputTokens: 20_000 },
      { input: 9, output: 90, cacheWrite5m: 11, cacheWrite1h: 18, cacheRead: 0.9 },
    ];
    const within = ledgerOf({ maxBudgetUsd: 10 }, tiers);
    await within.admit(asking({ requestBytes: 8_000 }));
    expect(within.remainingUsd).toBeCloseTo(10 - (9_000 * 2.5 + 8_000 * 10) / 1e6, 12);
    const above = ledgerOf({ maxBudgetUsd: 10 }, tiers);
    await above.admit(asking({ requestBytes: 9_001 }));
    expect(above.remainingUsd).toBeCloseTo(10 - (10_001 * 5 + 8_000 * 30) / 1e6, 12);
    const far = ledgerOf({ maxBudgetUsd: 10 }, tiers);
    await far.admit(asking({ requestBytes: 30_000 }));
    expect(far.remainingUsd).toBeCloseTo(10 - (31_000 * 11 + 8_000 * 90) / 1e6, 12);
  });

  test("ignores a later tier that is cheaper", async () => {
    const odd: PriceTier[] = [
      { ...flat[0]!, upToInputTokens: 1_000 },
      { input: 0.1, output: 0.1, cacheWrite5m: 0.1, cacheWrite1h: 0.1, cacheRead: 0.1 },
    ];
    const ledger = ledgerOf({ maxBudgetUsd: 1 }, odd);
    await ledger.admit(asking());
    expect(ledger.remainingUsd).toBeCloseTo(1 - whole, 12);
  });

  test("asks for an exact token count only if the bytes do not fit, and adds a margin to it", async () => {
    let asked = 0;
    const countTokens = async () => {
      asked++;
      return 2_000;
    };
    const roomy = ledgerOf({ maxBudgetUsd: whole + 0.001 });
    expect(await roomy.admit(asking({ countTokens }))).toMatchObject({ lowered: false });
    expect(asked).toBe(0);
    const near = ledgerOf({ maxBudgetUsd: whole - 0.001 });
    expect(await near.admit(asking({ countTokens }))).toMatchObject({ maxTokens: 8_000, lowered: false });
    expect(asked).toBe(1);
    expect(near.remainingUsd).toBeCloseTo(whole - 0.001 - ((2_100 + hidden) * 2.5 + 8_000 * 10) / 1e6, 12);
  });

  test("falls back to the bytes if the count is missing, larger, or impossibly small", async () => {
    for (const countTokens of [async () => 50_000, async () => undefined, async () => 0, async () => 1]) {
      const ledger = ledgerOf({ maxBudgetUsd: whole - 0.01 });
      expect(await ledger.admit(asking({ countTokens }))).toMatchObject({ maxTokens: 7_000, lowered: true });
    }
  });

  test("adds media that a token count does not include", async () => {
    const ledger = ledgerOf({ maxBudgetUsd: whole - 0.001 });
    await ledger.admit(asking({ mediaTokens: () => 100, countTokens: async () => 200 }));
    expect(ledger.remainingUsd).toBeCloseTo(whole - 0.001 - ((100 + 210 + hidden) * 2.5 + 8_000 * 10) / 1e6, 12);
  });

  test("uses the token count for linked content, unless it is impossibly small", async () => {
    const linked = (counted: number) =>
      asking({ mediaTokens: (isCounted) => (isCounted === true ? 0 : 50_000), countTokens: async () => counted });
    const ledger = ledgerOf({ maxBudgetUsd: 0.17 });
    expect(await ledger.admit(linked(30_000))).toMatchObject({ maxTokens: 8_000, lowered: false });
    expect(ledger.remainingUsd).toBeCloseTo(0.17 - ((31_500 + hidden) * 2.5 + 8_000 * 10) / 1e6, 12);
    expect(await ledgerOf({ maxBudgetUsd: 0.17 }).admit(linked(1))).toMatchObject({ maxTokens: 2_000, lowered: true });
  });

  test("lowers max_tokens to what the budget covers", async () => {
    const ledger = ledgerOf({ maxBudgetUsd: (10_000 * 2.5 + 5_000 * 10) / 1e6 + 1e-9 });
    const admission = await ledger.admit(asking());
    expect(admission).toMatchObject({ admitted: true, maxTokens: 5_000, lowered: true });
    expect(ledger.remainingUsd).toBeGreaterThanOrEqual(0);
    expect(ledger.remainingUsd).toBeLessThan(0.000_02);
  });

  test("refuses a call that leaves fewer than 1,024 tokens for the answer", async () => {
    const usd = (tokens: number) => (10_000 * 2.5 + tokens * 10) / 1e6 + 1e-9;
    expect(await ledgerOf({ maxBudgetUsd: usd(1_024) }).admit(asking())).toMatchObject({ maxTokens: 1_024 });
    const poor = ledgerOf({ maxBudgetUsd: usd(1_023) });
    const refusal = await poor.admit(asking());
    expect(refusal).toMatchObject({ admitted: false, message: expect.stringMatching(/^Reached maximum budget \(\$/) });
    expect(poor.remainingUsd).toBe(usd(1_023));
  });

  test("reports a first call that costs too much, and clears the refusal once a call is admitted", async () => {
    const told: string[] = [];
    const ledger = ledgerOf({ maxBudgetUsd: 0.031, onUnaffordable: (text) => told.push(text) });
    await ledger.admit(asking());
    expect(told).toEqual([
      expect.stringMatching(/^The next call can cost \$.*Of the budget of \$0\.031, \$\S+ is spent\.$/),
    ]);
    expect(ledger.refusal).toContain("maximum budget");
    expect(await ledger.admit(asking({ maxTokens: 500 }))).toMatchObject({ admitted: true });
    expect(ledger.refusal).toBeUndefined();
  });

  test("admits a call that asks for fewer than 1,024 tokens if those are covered", async () => {
    const ledger = ledgerOf({ maxBudgetUsd: (10_000 * 2.5 + 100 * 10) / 1e6 + 1e-9 });
    expect(await ledger.admit(asking({ maxTokens: 100 }))).toMatchObject({ maxTokens: 100, lowered: false });
    const short = ledgerOf({ maxBudgetUsd: (10_000 * 2.5 + 99 * 10) / 1e6 + 1e-9 });
    expect(await short.admit(asking({ maxTokens: 100 }))).toMatchObject({ admitted: false });
  });

  test("refuses a model without a price with advice, and admits it without a budget", async () => {
    const refusal = await ledgerOf({ maxBudgetUsd: 100 }).admit(asking({ model: "unpriced" }));
    expect(refusal).toMatchObject({
      admitted: false,
      message: expect.stringMatching(/unpriced has no known price.*settings/),
    });
    expect(await ledgerOf().admit(asking({ model: "unpriced" }))).toMatchObject({ admitted: true });
  });

  test("always admits a model that costs nothing", async () => {
    const free: PriceTier[] = [{ input: 0, output: 0, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0 }];
    expect(await ledgerOf({ maxBudgetUsd: 0.01 }, free).admit(asking())).toMatchObject({
      admitted: true,
      maxTokens: 8_000,
      lowered: false,
    });
  });
});

const used = (inputTokens: number, outputTokens: number): Usage => ({ ...noUsage, inputTokens, outputTokens });

describe("settlement", () => {
  test("books the actual cost and releases the rest", async () => {
    const ledger = ledgerOf({ maxBudgetUsd: 1 });
    const ticket = ticketOf(await ledger.admit(asking()));
    const usd = ledger.settle(ticket, { usage: used(2_000, 500), final: true });
    expect(usd).toBeCloseTo((2_000 * 2 + 500 * 10) / 1e6, 12);
    expect(ledger.totalUsd).toBe(usd);
    expect(ledger.remainingUsd).toBeCloseTo(1 - usd, 12);
  });

  test("of a call that was not billed releases everything", async () => {
    const ledger = ledgerOf({ maxBudgetUsd: 1 });
    expect(ledger.settle(ticketOf(await ledger.admit(asking())), { notBilled: true })).toBe(0);
    expect([ledger.remainingUsd, ledger.totalUsd]).toEqual([1, 0]);
  });

  test.each([
    ["that broke off before its end", { usage: used(2_000, 10), final: false }],
    ["of which the server has counted no input", { usage: used(0, 10), final: true }],
    ["whose output the server has not counted", { usage: used(2_000, 1), final: true, outputUntold: true as const }],
  ])("of a call %s keeps the reservation and returns the usage seen", async (_, seen) => {
    const ledger = ledgerOf({ maxBudgetUsd: 1 });
    const usd = ledger.settle(ticketOf(await ledger.admit(asking())), seen);
    expect(ledger.totalUsd).toBe(usd);
    expect(ledger.remainingUsd).toBeCloseTo(1 - whole, 12);
  });

  test("of a call cut off before anything was counted does not blame the server", async () => {
    const untold: string[] = [];
    const ledger = ledgerOf({ onMissingUsage: (model) => untold.push(model) });
    ledger.settle(ticketOf(await ledger.admit(asking())), { usage: noUsage, final: false });
    expect(untold).toEqual([]);
    expect(ledger.modelUsage["m"]?.costBasis).toBeUndefined();
  });

  test.each(["constructor", "__proto__"])("to a model named %s is booked under that name only", async (model) => {
    const ledger = ledgerOf();
    const usd = ledger.settle(ticketOf(await ledger.admit(asking({ model }))), { usage: used(2_000, 10), final: true });
    expect(Object.entries(ledger.modelUsage)).toMatchObject([[model, { inputTokens: 2_000, costUSD: usd }]]);
    expect(Object.hasOwn(Object.prototype, "inputTokens")).toBe(false);
    const restored = readLedgerSnapshot(JSON.parse(JSON.stringify(ledger.snapshot())));
    expect(Object.keys(restored?.byModel ?? {}), "when its transcript is read").toEqual([model]);
  });

  test("adds up how long the calls took", async () => {
    let now = 5;
    const ledger = ledgerOf({ elapsed: () => now });
    const [one, other] = [
      ticketOf(await ledger.admit(asking())),
      ticketOf(await ledger.admit(asking({ spare: true }))),
    ];
    now = 45;
    ledger.settle(one, { notBilled: true });
    now = 75;
    ledger.settle(other, { unknown: true });
    expect(ledger.work).toMatchObject({ apiMs: 110, durationMs: 70 });
  });

  test("of a call with an unknown outcome keeps the reservation and books nothing", async () => {
    const ledger = ledgerOf({ maxBudgetUsd: 1 });
    expect(ledger.settle(ticketOf(await ledger.admit(asking())), { unknown: true })).toBe(0);
    expect(ledger.totalUsd).toBe(0);
    expect(ledger.remainingUsd).toBeCloseTo(1 - whole, 12);
  });

  test("of a ticket works once, and an unknown ticket is ignored", async () => {
    const ledger = ledgerOf({ maxBudgetUsd: 1 });
    const ticket = ticketOf(await ledger.admit(asking()));
    ledger.settle(ticket, { notBilled: true });
    expect(ledger.settle(ticket, { usage: used(9, 9), final: true })).toBe(0);
    expect(ledger.settle("call_999", { unknown: true })).toBe(0);
    expect([ledger.remainingUsd, ledger.totalUsd]).toEqual([1, 0]);
  });

  test("adds up by model, and reports and marks an unknown price once", async () => {
    const told: string[] = [];
    const ledger = ledgerOf({ onUnknownModel: (model) => told.push(model) });
    const usage: Usage = { ...used(1, 2), cacheCreationInputTokens: 3, cacheReadInputTokens: 4, webSearchRequests: 1 };
    for (const model of ["m", "unpriced", "unpriced", "m"])
      ledger.settle(ticketOf(await ledger.admit(asking({ model }))), { usage, final: true });
    expect(told).toEqual(["unpriced"]);
    const sums = {
      inputTokens: 2,
      outputTokens: 4,
      cacheCreationInputTokens: 6,
      cacheReadInputTokens: 8,
      webSearchRequests: 2,
      contextWindow: 200_000,
      maxOutputTokens: 64_000,
    };
    expect(ledger.modelUsage).toMatchObject({ m: sums, unpriced: { ...sums, costUSD: 0, costBasis: "unknown" } });
    expect(ledger.modelUsage["m"]).not.toHaveProperty("costBasis");
    expect(ledger.totalUsd).toBe(ledger.modelUsage["m"]!.costUSD);
  });
});

describe("the ledger of a resumed session", () => {
  const first = async (): Promise<Ledger> => {
    const ledger = ledgerOf({ maxBudgetUsd: 1 });
    ledger.settle(ticketOf(await ledger.admit(asking())), { usage: used(20_000, 5_000), final: true });
    return ledger;
  };

  test("starts with the earlier totals and the whole budget", async () => {
    const before = await first();
    const restored = readLedgerSnapshot(JSON.parse(JSON.stringify(before.snapshot())));
    const ledger = ledgerOf({ maxBudgetUsd: 1, restored });
    expect(ledger.totalUsd).toBe(before.totalUsd);
    expect(ledger.modelUsage).toEqual(before.modelUsage);
    expect(ledger.remainingUsd).toBe(1);
    const usd = ledger.settle(ticketOf(await ledger.admit(asking())), { usage: used(1, 1), final: true });
    expect(ledger.totalUsd).toBeCloseTo(before.totalUsd + usd, 12);
    expect(before.modelUsage["m"]!.inputTokens).toBe(20_000);
  });

  test("adds calls recorded after the last totals", async () => {
    const before = await first();
    const unbooked = [
      { model: "m", usage: used(10, 20), costUsd: 0.5 },
      { model: "other", usage: used(1, 2), costUsd: 0.25 },
    ];
    const ledger = ledgerOf({ maxBudgetUsd: 1, restored: before.snapshot(), unbooked });
    expect(ledger.totalUsd).toBeCloseTo(before.totalUsd + 0.75, 12);
    expect(ledger.modelUsage).toMatchObject({ m: { inputTokens: 20_010 }, other: { outputTokens: 2, costUSD: 0.25 } });
    expect(ledger.remainingUsd).toBe(1);
  });

  test("ignores invalid values in a transcript", () => {
    for (const value of [undefined, null, 7, "x", [], {}, { totalUsd: -1 }, { totalUsd: "1" }, { totalUsd: NaN }])
      expect(readLedgerSnapshot(value)).toBeUndefined();
    const odd = { totalUsd: 1, byModel: { good: { ...emptyUsage }, bad: { inputTokens: "x" }, worse: null } };
    expect(readLedgerSnapshot(odd)).toEqual({ totalUsd: 1, byModel: { good: emptyUsage } });
    expect(readLedgerSnapshot({ totalUsd: 1, byModel: [] })).toEqual({ totalUsd: 1, byModel: {} });
  });
});

const emptyUsage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadInputTokens: 0,
  cacheCreationInputTokens: 0,
  webSearchRequests: 0,
  costUSD: 0,
  contextWindow: 1,
  maxOutputTokens: 1,
};

describe("many calls at once", () => {
  const amount = fc.double({ min: 0.01, max: 60, noNaN: true });
  const tier = fc.record({
    input: amount,
    output: amount,
    cacheWrite5m: amount,
    cacheWrite1h: amount,
    cacheRead: amount,
  });
  const tiers = fc
    .tuple(tier, tier, fc.integer({ min: 500, max: 40_000 }), fc.boolean())
    .map(([low, high, bound, two]): PriceTier[] => (two ? [{ ...low, upToInputTokens: bound }, high] : [low]));
  const one = fc.record({
    bytes: fc.integer({ min: 100, max: 60_000 }),
    share: fc.double({ min: 0.05, max: 1, noNaN: true }),
    maxTokens: fc.integer({ min: 1, max: 30_000 }),
    counts: fc.constantFrom("yes", "no", "fails" as const),
    answered: fc.double({ min: 0, max: 1, noNaN: true }),
    end: fc.constantFrom("final", "cut", "unknown", "notBilled" as const),
    cached: fc.double({ min: 0, max: 1, noNaN: true }),
    settles: fc.integer({ min: 0, max: 3 }),
  });

  test("never reserve or spend more than the budget", async () => {
    await fc.assert(
      fc.asyncProperty(
        tiers,
        fc.double({ min: 0.001, max: 3, noNaN: true }),
        fc.array(one, { minLength: 1, maxLength: 12, size: "max" }),
        async (prices, budget, requests) => {
          const ledger = ledgerOf({ maxBudgetUsd: budget }, prices);
          let billed = 0;
          await Promise.all(
            requests.map(async ({ bytes, share, maxTokens, counts, answered, end, cached, settles }) => {
              const tokens = Math.ceil(bytes * share);
              const countTokens = async () => {
                await Promise.resolve();
                return counts === "yes" ? tokens : undefined;
              };
              const request = asking({ requestBytes: bytes, maxTokens, ...(counts === "no" ? {} : { countTokens }) });
              const admission = await ledger.admit(request);
              expect(ledger.remainingUsd).toBeGreaterThanOrEqual(-1e-9);
              if (!admission.admitted) return;
              expect(admission.maxTokens).toBeGreaterThanOrEqual(Math.min(1_024, maxTokens));
              expect(admission.maxTokens).toBeLessThanOrEqual(maxTokens);
              for (let tick = 0; tick < settles; tick++) await Promise.resolve();
              const read = Math.floor(tokens * cached * 0.5);
              const written = Math.floor(tokens * cached * 0.5);
              const usage: Usage = {
                ...noUsage,
                inputTokens: tokens - read - written,
                cacheReadInputTokens: 0,
                cacheCreationInputTokens: read + written,
                outputTokens: Math.floor(admission.maxTokens * answered),
              };
              if (end !== "notBilled") billed += bill(prices, usage);
              if (end === "unknown" || end === "notBilled")
                ledger.settle(admission.ticket, end === "unknown" ? { unknown: true } : { notBilled: true });
              else {
                const seen = end === "final" ? usage : { ...usage, outputTokens: Math.floor(usage.outputTokens / 2) };
                ledger.settle(admission.ticket, { usage: seen, final: end === "final" });
              }
              expect(ledger.remainingUsd).toBeGreaterThanOrEqual(-1e-9);
            }),
          );
          expect(billed).toBeLessThanOrEqual(budget + 1e-9);
          expect(ledger.totalUsd).toBeLessThanOrEqual(billed + 1e-9);
        },
      ),
      { numRuns: 500 },
    );
  });
});
