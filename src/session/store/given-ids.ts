/** The ids that clients gave what they sent, by which one that comes twice is known. */
import type { Message } from "../../protocol/message.ts";

/** The id that it came with, which is not its own where it has joined a running turn, or is given again after it was taken out. */
export function givenId(message: Message): string {
  if (message.type === "user") return message.sourceUuid ?? message.uuid;
  if (message.type !== "attachment" || message.attachment.kind !== "queued_command") return message.uuid;
  return message.attachment.sourceUuid;
}

/** Of what people said and the model has answered. */
export function answeredIds(messages: readonly Message[]): string[] {
  const last = messages.findLastIndex(({ type }) => type === "assistant");
  return messages.slice(0, Math.max(last, 0)).filter(isSaid).map(givenId);
}

function isSaid(message: Message): boolean {
  if (message.type === "user") return message.origin === "human";
  return message.type === "attachment" && message.attachment.kind === "queued_command";
}
