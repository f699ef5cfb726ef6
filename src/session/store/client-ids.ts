/** The ids that clients give their messages, by which a message sent twice is recognized. */
import type { Message } from "../../protocol/message.ts";

/** Returns the id the client gave. It differs from the own id if the message joined a running turn or was resent after its removal. */
export function clientMessageId(message: Message): string {
  if (message.type === "user") return message.sourceUuid ?? message.uuid;
  if (message.type !== "attachment" || message.attachment.kind !== "queued_command") return message.uuid;
  return message.attachment.sourceUuid;
}

/** Returns the ids of people's messages that the model has answered. */
export function answeredClientIds(messages: readonly Message[]): string[] {
  const last = messages.findLastIndex(({ type }) => type === "assistant");
  return messages.slice(0, Math.max(last, 0)).filter(isFromPerson).map(clientMessageId);
}

function isFromPerson(message: Message): boolean {
  if (message.type === "user") return message.origin === "human";
  return message.type === "attachment" && message.attachment.kind === "queued_command";
}
