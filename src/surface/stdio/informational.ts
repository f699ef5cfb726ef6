/** What is said to people between the engine's messages. */
interface Place {
  uuid: string;
  /** Undefined where there is no session yet. */
  sessionId: string | undefined;
}

export function informational(content: string, { uuid, sessionId = "" }: Place): object {
  return { type: "system", subtype: "informational", content, level: "warning", uuid, session_id: sessionId };
}
