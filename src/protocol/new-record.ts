/** Makes records of a conversation; each gets an id and the time at which it is made. */
import type { Attachment, AttachmentMessage, NoticeMessage, ThinkingStrippedMessage } from "./message.ts";

export interface RecordWorld {
  clock: { timestamp(): string };
  ids: { uuid(): string };
}

export function newRecordFields({ clock, ids }: RecordWorld): { uuid: string; timestamp: string } {
  return { uuid: ids.uuid(), timestamp: clock.timestamp() };
}

export function newNotice(
  world: RecordWorld,
  level: NoticeMessage["level"],
  name: string,
  text: string,
  data?: Record<string, unknown>,
): NoticeMessage {
  const notice: NoticeMessage = { type: "notice", ...newRecordFields(world), level, name, text };
  return data === undefined ? notice : { ...notice, data };
}

export function attachmentRecord(attachment: Attachment, world: RecordWorld): AttachmentMessage {
  return { type: "attachment", ...newRecordFields(world), attachment };
}

/** The API would refuse thinking blocks that depend on messages no longer sent. */
export function strippedThinkingMark(world: RecordWorld): ThinkingStrippedMessage {
  return { type: "thinking_stripped", ...newRecordFields(world), reason: "rewritten" };
}
