/** The end of a session: what it began is waited for within limits, then told to end, and everything is let go of. */
import { closeCollapses } from "./collapses.ts";
import type { Facts } from "./facts.ts";
import type { Beside } from "./forks/beside.ts";
import type { Housekeeping } from "./housekeeping.ts";
import type { Joined } from "./joined.ts";
import type { EndReason } from "./parts.ts";

const hookDrainMs = 5_000;
const backgroundGraceMs = 5_000;

export interface Closing {
  /** MCP servers that end with it. */
  servers: Promise<void> | undefined;
  facts: Facts;
  housekeeping: Housekeeping;
  beside: Beside;
  /** Nobody waits for what goes on in the background. */
  hurry: boolean;
  /** For SessionEnd hooks; undefined where the session was never spoken in. */
  reason: EndReason | undefined;
}

export async function closeSession(
  { hooks, tools, store, models, options, checkpoints, collapses, ledger, around, held, occasions }: Joined,
  { servers, facts, housekeeping, beside, hurry, reason }: Closing,
): Promise<void> {
  const graceMs = options.headless === true && !hurry ? backgroundGraceMs : 0;
  await Promise.all([checkpoints.settled(), housekeeping.stop(), held.release()]);
  if (reason !== undefined && hooks.has("SessionEnd")) hooks.runDetached({ hook_event_name: "SessionEnd", reason });
  try {
    const ended = closeCollapses(collapses, facts, { clock: around.clock, ledger });
    const forked = beside.close(hurry ? 0 : backgroundGraceMs);
    await Promise.all([hooks.drain(hookDrainMs), tools.shared.background.dispose(graceMs), ended, forked, servers]);
    tools.cleanUp();
    await occasions.environment?.cleanUp();
  } finally {
    store.transcript?.close();
    models.model.dispose();
  }
}
