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

/** That something is waited for. Whoever is asked meanwhile knows: clients for editors show each of these as the model's words. */
export function isWaitNotice(message: SDKMessage): boolean {
  return (
    message.type === "system" && message.subtype === "informational" && message.tag?.startsWith("waiting:") === true
  );
}
