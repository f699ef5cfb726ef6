// A call that waits for the budget: for what, and for what not.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { noUsage } from "../../src/protocol/usage.ts";
import { asking, bill, flat, hidden, ledgerOf, ticketOf, whole } from "./ledgers.ts";

describe("a patient call", () => {
  const patient = { patient: true } as const;
  const cheap = { usage: { ...noUsage, inputTokens: 100, outputTokens: 10 }, final: true };

  test("waits for reservations of other calls, and gets its full limit if they cost less", async () => {
    const ledger = ledgerOf({ maxBudgetUsd: whole * 1.5 });
    const first = ticketOf(await ledger.admit(asking(patient)));
    const second = await ledger.admit(asking(patient));
    expect(second).toEqual({ admitted: false, message: expect.any(String), freed: expect.any(Promise) });
    expect(ledger.refusal).toBeUndefined();
    ledger.settle(first, cheap);
    if (!second.admitted) await second.freed;
    expect(await ledger.admit(asking(patient))).toMatchObject({ admitted: true, maxTokens: 8_000, lowered: false });
  });

  test("is lowered or refused like any other call if nothing is reserved; an impatient call does not wait", async () => {
    const alone = ledgerOf({ maxBudgetUsd: whole / 2 });
    expect(await alone.admit(asking(patient))).toMatchObject({ admitted: true, lowered: true });
    const beside = ledgerOf({ maxBudgetUsd: whole * 1.5 });
    await beside.admit(asking());
    expect(await beside.admit(asking())).toMatchObject({ admitted: true, lowered: true });
  });

  test("does not wait when the rest of the budget covers its full limit", async () => {
    const ledger = ledgerOf({ maxBudgetUsd: whole * 2.5 });
    await ledger.admit(asking(patient));
    expect(await ledger.admit(asking(patient))).toMatchObject({ admitted: true, maxTokens: 8_000, lowered: false });
  });

  test("also waits when the rest of the budget can cover a useful answer but never the full limit", async () => {
    const ledger = ledgerOf({ maxBudgetUsd: whole * 0.9 });
    await ledger.admit(asking({ maxTokens: 2_000 }));
    expect(await ledger.admit(asking(patient))).toMatchObject({ admitted: false, freed: expect.any(Promise) });
  });

  test("that is woken too early waits for the next end of a call, not for the past one", async () => {
    const ledger = ledgerOf({ maxBudgetUsd: whole * 2.2 });
    const first = ticketOf(await ledger.admit(asking(patient)));
    await ledger.admit(asking(patient));
    const waits = await ledger.admit(asking(patient));
    ledger.settle(first, { unknown: true });
    const again = await ledger.admit(asking(patient));
    if (waits.admitted || again.admitted) throw new Error("nothing is left for it");
    expect(again.freed).toBeInstanceOf(Promise);
    expect(again.freed).not.toBe(waits.freed);
  });

  // 44,000 bytes fit in what can be freed, and an answer of a useful length to them does not.
  test.each([1e6, 44_000])("does not wait if the budget can never be enough: %d bytes", async (requestBytes) => {
    const ledger = ledgerOf({ maxBudgetUsd: whole * 1.1 });
    await ledger.admit(asking());
    expect(await ledger.admit(asking({ ...patient, requestBytes }))).toEqual({
      admitted: false,
      message: expect.stringContaining("maximum budget"),
    });
  });

  test("wakes at every end of a call, also of one whose unknown bill leaves nothing", async () => {
    const ledger = ledgerOf({ maxBudgetUsd: whole * 1.1 });
    const first = ticketOf(await ledger.admit(asking(patient)));
    const second = await ledger.admit(asking(patient));
    ledger.settle(first, { unknown: true });
    if (!second.admitted) await second.freed;
    expect(await ledger.admit(asking(patient))).toMatchObject({
      admitted: false,
      message: expect.stringContaining("maximum budget"),
    });
    expect(ledger.refusal).toContain("maximum budget");
  });

  test("property: however many calls wait, the budget is used as far as possible and never exceeded", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ bytes: fc.nat(20_000), outputTokens: fc.nat(8_000), isSeen: fc.boolean() }), {
          maxLength: 30,
          size: "max",
        }),
        fc.double({ min: 0.001, max: 3, noNaN: true }),
        async (calls, share) => {
          const maxBudgetUsd = whole * share;
          const ledger = ledgerOf({ maxBudgetUsd });
          let [billed, refused] = [0, 0];
          const one = async ({ bytes, outputTokens, isSeen }: (typeof calls)[number]): Promise<void> => {
            const asked = asking({ ...patient, requestBytes: bytes });
            let admission = await ledger.admit(asked);
            while (!admission.admitted && admission.freed !== undefined) {
              await admission.freed;
              admission = await ledger.admit(asked);
            }
            if (!admission.admitted) return void (refused += 1);
            await Promise.resolve();
            const usage = { ...noUsage, inputTokens: bytes, outputTokens: Math.min(outputTokens, admission.maxTokens) };
            billed += bill(flat, usage);
            ledger.settle(admission.ticket, isSeen ? { usage, final: true } : { unknown: true });
          };
          await Promise.all(calls.map(one));
          expect(billed).toBeLessThanOrEqual(maxBudgetUsd + 1e-12);
          // Who was refused would not have been covered by what is left either.
          const most = Math.max(0, ...calls.map(({ bytes }) => bytes)) + hidden;
          if (refused > 0) expect(ledger.remainingUsd).toBeLessThan((most * 2.5 + 1_024 * 10) / 1e6);
        },
      ),
    );
  });
});
