// What is left out of the request for a summary, where the estimate is known to be wrong by a factor.
import { expect, test } from "vitest";
import type { World } from "../../src/context/layer.ts";
import { spanTokens } from "../../src/context/measure.ts";
import { shrinkToFit } from "../../src/context/summary-fit.ts";
import { fixture, readLoop, unboundModel } from "./support.ts";

test.each([0.5, 1, 2])("removes as many counted tokens as requested, and little more, at a scale of %d", (scale) => {
  const world = { ...fixture().deps, memory: { scale } } as World;
  const fitting = { world, model: unboundModel, window: 100_000 };
  const asked = 8_000;
  const saved = (size: number, tokens = asked) => {
    const messages = readLoop(60, size);
    const left = shrinkToFit(fitting, messages, tokens)!;
    const kept = new Set(left.map(({ uuid }) => uuid));
    const gone = messages.filter(({ uuid }) => !kept.has(uuid));
    return { tokens: (spanTokens(messages) - spanTokens(left)) * scale, gone: gone.length };
  };
  const oneResult = 5_000 * scale;
  const ofResults = saved(12_000);
  expect(ofResults.gone, "results are cut, and no turn goes").toBe(0);
  expect(ofResults.tokens).toBeGreaterThanOrEqual(asked);
  expect(ofResults.tokens).toBeLessThan(asked + oneResult);
  const most = saved(4_000, 1e9).tokens;
  const ofBoth = saved(4_000, most * 0.9);
  expect(ofBoth.gone).toBeGreaterThan(0);
  expect(ofBoth.tokens).toBeGreaterThanOrEqual(most * 0.89);
  expect(ofBoth.tokens).toBeLessThan(most * 0.93);
  const ofTurns = saved(1_000);
  expect(ofTurns.gone).toBeGreaterThan(0);
  expect(ofTurns.tokens).toBeGreaterThanOrEqual(asked * 0.95);
  expect(ofTurns.tokens).toBeLessThan(asked + 1_000 * scale);
});
