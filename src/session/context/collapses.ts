/** Summaries of finished work that are kept until needed: restored from the transcript, and recorded there as they are made. */
import { SessionCollapseStore } from "../../context/index.ts";
import { withTimeLimit } from "../../lib/with-time-limit.ts";
import type { ClockPort } from "../../loop/ports.ts";
import type { Facts } from "../store/facts.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Store } from "../store/store-shape.ts";

const closeMs = 2_000;

export function composeCollapses({ restored, transcript }: Store): SessionCollapseStore {
  return new SessionCollapseStore({
    restored: restored.stagedCollapses,
    onStaged(staged) {
      // If it cannot be written, a resume lacks this summary, and nothing else.
      transcript?.appendMeta("staged_collapses", [...staged]);
    },
  });
}

/** Ends the summary in progress, and records what it cost. */
export async function closeCollapses(
  collapses: SessionCollapseStore,
  facts: Facts,
  { clock, ledger }: { clock: ClockPort; ledger: Ledger },
): Promise<void> {
  await withTimeLimit(clock, closeMs, collapses.close());
  if (collapses.hasCalledModel) facts.put("ledger", ledger.snapshot());
}
