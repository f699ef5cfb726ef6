/** The rule that decides whether old results are left out: dollars, against a ledger kept by hand. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { PriceTier } from "../../src/protocol/index.ts";
import { judgeClearing, type CacheRates, type Clearing } from "../../src/context/clearing-cost.ts";

const sonnet: PriceTier[] = [{ input: 3, output: 15, cacheWrite5m: 3.75, cacheWrite1h: 6, cacheRead: 0.3 }];
const fable: PriceTier[] = [{ input: 8, output: 40, cacheWrite5m: 10, cacheWrite1h: 16, cacheRead: 0.2 }];
/** Five times dearer above 100,000 tokens. */
const haiku: PriceTier[] = [
  { upToInputTokens: 100_000, input: 0.1, output: 0.5, cacheWrite5m: 0.125, cacheWrite1h: 0.2, cacheRead: 0.01 },
  { input: 0.5, output: 2.5, cacheWrite5m: 0.625, cacheWrite1h: 1, cacheRead: 0.05 },
];

/** 120,000 tokens in the cache, 80,000 of them in results that are not needed, right after a head of 10,000. */
const usual: Clearing = {
  request: 120_000,
  cleared: 80_000,
  cached: 120_000,
  stillCached: 10_000,
  lostThinking: 0,
  requests: 10,
};
const rates: CacheRates = { prices: sonnet, ttl: "5m", caches: true };

test.each<[string, Partial<Clearing>, Partial<CacheRates>, boolean, number | null]>([
  // 10 × 120,000 read, against 10,000 read and 30,000 written once and 9 × 40,000 read.
  ["many requests to come", {}, {}, true, 0.36 - (0.003 + 0.1125 + 0.108)],
  ["the last request of all", { requests: 1 }, {}, false, 0.036 - (0.003 + 0.1125)],
  ["little to leave out", { cleared: 15_000 }, {}, false, 0.36 - (0.003 + 0.35625 + 0.2835)],
  ["little text after the cleared results", { stillCached: 40_000 }, { prices: fable }, true, 0.24 - (0.008 + 0.072)],
  ["cheap reads and dear writes", {}, { prices: fable }, false, 0.24 - (0.002 + 0.3 + 0.072)],
  ["writes for an hour", { requests: 8 }, { ttl: "1h" }, true, 0.288 - (0.003 + 0.18 + 0.084)],
  ["an expired cache", { cached: 0, stillCached: 0, requests: 1 }, {}, true, 0.45 - 0.15],
  ["no cache at all", { requests: 1 }, { caches: false }, true, 0.36 - 0.12],
  ["a cheaper tier", { requests: 1 }, { prices: haiku }, true, 0.006 - (0.0001 + 0.00375)],
  ["thinking that would be lost", { lostThinking: 2_000 }, {}, true, 0.36 - 0.2235 - 0.06],
  ["much thinking that would be lost", { lostThinking: 5_000 }, {}, false, 0.36 - 0.2235 - 0.15],
  ["no prices, by the usual ratios", {}, { prices: undefined }, true, null],
  ["no prices, and no requests to come", { requests: 1 }, { prices: undefined }, false, null],
  ["an empty list of prices", { requests: 1 }, { prices: [] }, false, null],
])("decides correctly for %s", (_name, clearing, more, wins, netUsd) => {
  const judgement = judgeClearing({ ...usual, ...clearing }, { ...rates, ...more });
  expect(judgement.isCheaper).toBe(wins);
  if (netUsd === null) expect(judgement.netUsd).toBeNull();
  else expect(judgement.netUsd).toBeCloseTo(netUsd, 10);
});

const amount = fc.double({ min: 0.01, max: 30, noNaN: true });
const prices: fc.Arbitrary<PriceTier[]> = fc
  .record({
    input: amount,
    write: fc.double({ min: 1, max: 2.5, noNaN: true }),
    read: fc.double({ min: 0.01, max: 1, noNaN: true }),
    step: fc.nat(300_000),
  })
  .chain(({ input, write, read, step }) =>
    fc.double({ min: 1, max: 6, noNaN: true }).map((factor) => {
      const tier = (by: number) => ({
        input: input * by,
        output: input * 5 * by,
        cacheWrite5m: input * write * by,
        cacheWrite1h: input * write * 1.6 * by,
        cacheRead: input * read * by,
      });
      return [{ ...tier(1), upToInputTokens: step + 1 }, tier(factor)];
    }),
  );
const cases: fc.Arbitrary<Clearing> = fc
  .record({
    request: fc.integer({ min: 1_000, max: 900_000 }),
    cleared: fc.double({ min: 0, max: 1, noNaN: true }),
    cached: fc.constantFrom(0, 0.5, 0.9, 1),
    still: fc.double({ min: 0, max: 1, noNaN: true }),
    lostThinking: fc.nat(5_000),
    requests: fc.integer({ min: 1, max: 40 }),
  })
  .map(({ request, cleared, cached, still, lostThinking, requests }) => {
    const gone = Math.floor(request * cleared);
    const inCache = Math.floor(request * cached);
    // Content before the first change is not part of what is left out.
    return {
      request,
      cleared: gone,
      cached: inCache,
      stillCached: Math.floor(Math.min(inCache, request - gone) * still),
      lostThinking,
      requests,
    };
  });
const anyRates = fc.record({ prices, ttl: fc.constantFrom("5m" as const, "1h" as const), caches: fc.boolean() });

/** Written down request by request, as a bill would be. */
function billed(clearing: Clearing, { prices: tiers, ttl, caches }: CacheRates, isLeftOut: boolean): number {
  const tokens = isLeftOut ? clearing.request - clearing.cleared : clearing.request;
  const tier = tiers!.find(({ upToInputTokens: most }) => most === undefined || tokens <= most)!;
  const write = ttl === "1h" ? tier.cacheWrite1h : tier.cacheWrite5m;
  let found = isLeftOut ? clearing.stillCached : clearing.cached;
  let usd = 0;
  for (let request = 0; request < clearing.requests; request++) {
    usd += caches ? (found * tier.cacheRead + (tokens - found) * write) / 1e6 : (tokens * tier.input) / 1e6;
    found = tokens;
  }
  const dear = tiers!.find(({ upToInputTokens: most }) => most === undefined || clearing.request <= most)!;
  return isLeftOut ? usd + (2 * clearing.lostThinking * dear.output) / 1e6 : usd;
}

test("results are left out only if the whole bill becomes lower, and netUsd is the difference", () => {
  fc.assert(
    fc.property(cases, anyRates, (clearing, given) => {
      const [carried, left] = [billed(clearing, given, false), billed(clearing, given, true)];
      const { isCheaper, netUsd } = judgeClearing(clearing, given);
      expect(netUsd).toBeCloseTo(carried - left, 9);
      if (isCheaper) expect(left).toBeLessThan(carried);
    }),
  );
});

test("a change in favour of clearing never makes clearing look more expensive", () => {
  const better = fc.constantFrom<(clearing: Clearing) => Clearing>(
    (clearing) => ({ ...clearing, requests: clearing.requests + 1 }),
    (clearing) => ({ ...clearing, lostThinking: Math.floor(clearing.lostThinking / 2) }),
    (clearing) => ({
      ...clearing,
      cleared: Math.min(clearing.request - clearing.stillCached, clearing.cleared + 1_000),
    }),
    (clearing) => ({
      ...clearing,
      stillCached: Math.min(clearing.cached, clearing.request - clearing.cleared, clearing.stillCached + 500),
    }),
  );
  fc.assert(
    fc.property(cases, anyRates, better, (clearing, given, change) => {
      const [before, after] = [judgeClearing(clearing, given), judgeClearing(change(clearing), given)];
      expect(after.netUsd).toBeGreaterThanOrEqual(before.netUsd! - 1e-12);
      if (before.isCheaper && after.netUsd! > before.netUsd!) expect(after.isCheaper).toBe(true);
    }),
  );
});

test("dearer cache writes speak against clearing a warm cache, and dearer reads speak for it", () => {
  const warm = cases.map((clearing) => ({ ...clearing, cached: clearing.request }));
  const flat = prices.map((tiers) => tiers.slice(1));
  fc.assert(
    fc.property(warm, flat, fc.double({ min: 1, max: 3, noNaN: true }), (clearing, [tier], factor) => {
      const net = (more: Partial<PriceTier>) =>
        judgeClearing(clearing, { prices: [{ ...tier!, ...more }], ttl: "5m", caches: true }).netUsd!;
      const still = net({});
      expect(net({ cacheWrite5m: tier!.cacheWrite5m * factor })).toBeLessThanOrEqual(still + 1e-12);
      expect(net({ cacheRead: tier!.cacheRead * factor })).toBeGreaterThanOrEqual(still - 1e-12);
    }),
  );
});

test("the usual ratios give the same decision as prices with those ratios", () => {
  fc.assert(
    fc.property(cases, amount, (clearing, input) => {
      const tier = {
        input,
        output: 5 * input,
        cacheWrite5m: 1.25 * input,
        cacheWrite1h: 2 * input,
        cacheRead: 0.1 * input,
      };
      const told = judgeClearing(clearing, { ...rates, prices: [tier] });
      fc.pre(Math.abs(told.netUsd!) > 1e-9);
      expect(judgeClearing(clearing, { ...rates, prices: undefined }).isCheaper).toBe(told.isCheaper);
    }),
  );
});
