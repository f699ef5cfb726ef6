/** What an `interrupt` of the client ends and drops, and what its receipt says of that. */
import type { SDKInterruptReceipt } from "../../protocol/sdk-control.ts";
import type { LateAgents } from "../../session/query/late-agents.ts";
import type { PromptQueue } from "./prompts.ts";
import type { Turns } from "./turns.ts";

interface Interrupted {
  turns: Turns;
  prompts: PromptQueue;
  /** Who stops a turn does not wait for what it has begun. */
  agents: Pick<LateAgents, "hold">;
  /** For people, between the engine's messages. */
  inform: (text: string) => void;
}

export function interruptTurn(
  cancelQueued: boolean,
  { turns, prompts, agents, inform }: Interrupted,
): SDKInterruptReceipt {
  // It came before the interrupt, and its turn only has not begun yet.
  const next = turns.isUnderWay ? undefined : prompts.next;
  const queued = [...turns.joining(() => cancelQueued), ...prompts.uuids(cancelQueued ? undefined : next)];
  const unnamed = cancelQueued ? prompts.clear() : 0;
  // A receipt has ids, and these have none.
  if (unnamed > 0)
    inform(
      `the interrupt dropped ${unnamed === 1 ? "a message that" : `${unnamed} messages that`} waited without a uuid`,
    );
  agents.hold();
  turns.interrupt(next);
  return cancelQueued ? { cancelled: queued, still_queued: [] } : { still_queued: queued };
}
