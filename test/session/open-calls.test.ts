// What calls have used by their beginning, in the ledger while they are open: it is written down where nothing else tells of them.
import { expect, test } from "vitest";
import { Ledger } from "../../src/session/ledger/ledger.ts";
import { createCatalog } from "../../src/model/catalog.ts";
import { noUsage } from "../../src/protocol/usage.ts";

const catalog = createCatalog();
const model = "claude-sonnet-5-5";
const used = (inputTokens: number, outputTokens: number) => ({ ...noUsage, inputTokens, outputTokens });

test("open calls are kept apart from the totals, and are recorded if no transcript has them", async () => {
  const ledger = new Ledger({
    info: (name) => catalog.info(name),
    costOf: (name, usage) => catalog.costOf(name, usage),
    cacheTtl: "5m",
    onUnknownModel: () => undefined,
  });
  const written: number[] = [];
  ledger.onUnrecorded = () => written.push(ledger.snapshot().open?.length ?? 0);
  const asking = { model, requestBytes: 900, estimatedInputTokens: 250, maxTokens: 80, mediaTokens: () => 0 };
  const [own, other] = [await ledger.admit(asking), await ledger.admit(asking)];
  if (!own.admitted || !other.admitted) throw new Error("refused");
  ledger.begun(own.ticket, used(10, 1), "msg_1");
  expect(written).toEqual([]);
  ledger.begun(other.ticket, used(20, 1));
  expect(written).toEqual([2]);
  expect(ledger.snapshot()).toMatchObject({
    totalUsd: 0,
    open: [
      { model, usage: used(10, 1), messageId: "msg_1" },
      { model, usage: used(20, 1) },
    ],
  });
  ledger.settle(other.ticket, { usage: used(20, 5), final: true });
  ledger.settle(own.ticket, { usage: used(10, 5), final: true });
  expect(written).toEqual([2, 1]);
  expect(ledger.snapshot()).not.toHaveProperty("open");
});
