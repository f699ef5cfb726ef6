/** Summaries of finished work that wait to be needed: taken up from the transcript, and written there as they are made. */
import { Collapses } from "../../context/index.ts";
import { limited } from "../../lib/limited.ts";
import type { ClockPort } from "../../loop/ports.ts";
import type { Facts } from "../store/facts.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Store } from "../store/store-shape.ts";

const closeMs = 2_000;

export function composeCollapses({ restored, transcript }: Store): Collapses {
  return new Collapses({
    restored: restored.stagedCollapses,
    onStaged(staged) {
      // One that cannot be written costs a resume its summary, and no more.
      transcript?.appendMeta("staged_collapses", [...staged]);
    },
  });
}

/** Ends the summary that is being made, and writes down what it has cost. */
export async function closeCollapses(
  collapses: Collapses,
  facts: Facts,
  { clock, ledger }: { clock: ClockPort; ledger: Ledger },
): Promise<void> {
  await limited(clock, closeMs, collapses.close());
  if (collapses.hasCalled) facts.put("ledger", ledger.snapshot());
}
