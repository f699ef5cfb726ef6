/** Handles an `interrupt` request of the client: ends the turn, drops waiting prompts, and builds the receipt. */
import type { SDKInterruptReceipt } from "../../protocol/sdk-control.ts";
import type { LateAgents } from "../../session/query/late-agents.ts";
import type { PromptQueue } from "./prompts.ts";
import type { Turns } from "./turns.ts";

interface InterruptContext {
  turns: Turns;
  prompts: PromptQueue;
  /** Held, because a client that stops a turn does not wait for the agents it started. */
  agents: Pick<LateAgents, "hold">;
  /** Writes a message for people between the engine's messages. */
  inform: (text: string) => void;
}

export function interruptTurn(
  cancelQueued: boolean,
  { turns, prompts, agents, inform }: InterruptContext,
): SDKInterruptReceipt {
  // This prompt came before the interrupt, and its turn has not started yet.
  const next = turns.isUnderWay ? undefined : prompts.next;
  const queued = [...turns.joiningUuids(() => cancelQueued), ...prompts.uuids(cancelQueued ? undefined : next)];
  const droppedWithoutUuid = cancelQueued ? prompts.clear() : 0;
  // The receipt lists uuids, which these messages do not have.
  if (droppedWithoutUuid > 0)
    inform(
      `the interrupt dropped ${droppedWithoutUuid === 1 ? "a message that" : `${droppedWithoutUuid} messages that`} waited without a uuid`,
    );
  agents.hold();
  turns.interrupt(next);
  return cancelQueued ? { cancelled: queued, still_queued: [] } : { still_queued: queued };
}
