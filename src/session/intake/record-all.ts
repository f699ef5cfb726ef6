/** Records what a prompt brings along, and says how the turn ends if that cannot be written. */
import type { Message } from "../../protocol/message.ts";
import type { Failure, Terminal } from "../../protocol/stop.ts";
import type { Conversation } from "../store/conversation.ts";

/** Records everything before yielding the first, because a reader may leave at any of them. */
export async function* recordAll(
  conversation: Conversation,
  records: readonly Message[],
): AsyncGenerator<Message, Failure | null> {
  const recorded: Message[] = [];
  let failure: Failure | null = null;
  for (const record of records) {
    const written = conversation.append(record);
    if (written.ok) recorded.push(record);
    else {
      failure = written.failure;
      break;
    }
  }
  yield* recorded;
  return failure;
}

/** The end of a turn whose records could not be written; null if they were. */
export function terminalOf(failed: Failure | null): Terminal | null {
  return failed === null ? null : { reason: "model_error", error: failed };
}
