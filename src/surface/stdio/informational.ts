/** What is said to people between the engine's messages, and what is not. */
import type { SDKMessage } from "../../protocol/sdk.ts";

interface Place {
  uuid: string;
  /** Undefined where there is no session yet. */
  sessionId: string | undefined;
}

export function informational(content: string, { uuid, sessionId = "" }: Place): object {
  return { type: "system", subtype: "informational", content, level: "warning", uuid, session_id: sessionId };
}

/** That something is waited for: clients for editors show each of these as the model's words. */
export class WaitNotices {
  #isCompacting = false;

  /** Whoever is asked meanwhile knows, and so does whoever has been told of a compaction. Asked once of each message, in their order. */
  isSpared(message: SDKMessage, isAwaited: boolean): boolean {
    if (isWaitNotice(message)) return isAwaited || this.#isCompacting;
    if (message.type === "system" && message.subtype === "status") this.#isCompacting = message.status === "compacting";
    else if (endsCompaction(message)) this.#isCompacting = false;
    return false;
  }
}

function isWaitNotice(message: SDKMessage): boolean {
  return (
    message.type === "system" && message.subtype === "informational" && message.tag?.startsWith("waiting:") === true
  );
}

/** One that was cut off says nothing of its end. */
function endsCompaction(message: SDKMessage): boolean {
  return message.type === "result" || (message.type === "system" && message.subtype === "compact_boundary");
}
