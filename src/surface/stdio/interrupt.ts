/** What an `interrupt` of the client ends and drops, and what its receipt says of that. */
import type { SDKInterruptReceipt } from "../../protocol/sdk-control.ts";
import type { PromptQueue } from "./prompts.ts";
import type { Turns } from "./turns.ts";

interface Interrupted {
  turns: Turns;
  prompts: PromptQueue;
  /** For people, between the engine's messages. */
  inform: (text: string) => void;
}

export function interruptTurn(cancelQueued: boolean, { turns, prompts, inform }: Interrupted): SDKInterruptReceipt {
  const queued = [...turns.joining(() => cancelQueued), ...prompts.uuids()];
  const unnamed = cancelQueued ? prompts.clear() : 0;
  // A receipt has ids, and these have none.
  if (unnamed > 0)
    inform(
      `the interrupt dropped ${unnamed === 1 ? "a message that" : `${unnamed} messages that`} waited without a uuid`,
    );
  turns.interrupt();
  return cancelQueued ? { cancelled: queued, still_queued: [] } : { still_queued: queued };
}
