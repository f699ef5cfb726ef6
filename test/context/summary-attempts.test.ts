import { expect, test } from "vitest";
import type { CompactBoundaryMessage } from "../../src/protocol/index.ts";
import { fixture, inputOf, readLoop } from "./support.ts";

test("a server that stays busy is asked for a summary three times, each wait four times the last, and no more", async () => {
  const says = Array.from({ length: 20 }, () => ({ fail: { recovery: "retry", kind: "overloaded" } }) as const);
  const { context, requests, timers } = fixture({ says });
  const waits: (number | null)[] = [];
  const run = context.fit(inputOf(readLoop(100, 3_000)), new AbortController().signal);
  for (;;) {
    const step = run.next();
    // The wait that was told begins with the next step.
    await new Promise((resolve) => setImmediate(resolve));
    timers.find(({ ms }) => ms === waits.at(-1))?.fire();
    const { done, value } = await step;
    if (done === true) {
      expect(value.kind === "ready" && value.records).toEqual([
        expect.objectContaining({ type: "compact_boundary" } satisfies Partial<CompactBoundaryMessage>),
      ]);
      break;
    }
    if (value.type === "waiting" && value.on === "retry") waits.push(value.limitMs);
  }
  expect([waits, requests.length]).toEqual([[1_000, 4_000], 3]);
});
