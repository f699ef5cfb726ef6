/** Messages for people between the engine's messages, and those that are left out. */
import type { SDKInformational, SDKMessage } from "../../protocol/sdk.ts";

interface MessageIds {
  uuid: string;
  /** Undefined before there is a session. */
  sessionId: string | undefined;
}

export function informationalMessage(content: string, { uuid, sessionId = "" }: MessageIds): object {
  return { type: "system", subtype: "informational", content, level: "warning", uuid, session_id: sessionId };
}

/** Of a call that waits for permission, and of the files that a prompt names. */
const permissionTag = /\.(?:permission|files)$/u;

/** Filters notices that something is waited for, because editor clients show each of them as the model's words. */
export class WaitNoticeFilter {
  #isCompacting = false;
  /** The number of a person's answers at the last message. */
  #answersBefore = 0;

  /**
   * Returns whether to leave the message out: a wait notice while the client is being asked, one for permission after a person's answer,
   * which may still have to be kept, or one after the status message of a compaction. Call it once for each message, in order.
   */
  shouldOmit(message: SDKMessage, isClientAsked: boolean, answersOfPeople = 0): boolean {
    if (isWaitNotice(message)) {
      const isAnswered = answersOfPeople > this.#answersBefore && permissionTag.test(message.tag);
      return isClientAsked || isAnswered || this.#isCompacting;
    }
    this.#answersBefore = answersOfPeople;
    if (message.type === "system" && message.subtype === "status") this.#isCompacting = message.status === "compacting";
    else if (endsCompaction(message)) this.#isCompacting = false;
    return false;
  }
}

function isWaitNotice(message: SDKMessage): message is SDKInformational & { tag: string } {
  return (
    message.type === "system" && message.subtype === "informational" && message.tag?.startsWith("waiting:") === true
  );
}

/** A compaction that was cut off has no boundary message, so a result ends it too. */
function endsCompaction(message: SDKMessage): boolean {
  return message.type === "result" || (message.type === "system" && message.subtype === "compact_boundary");
}
