/** The fields that a new record of a conversation gets when it is made. */
import type { NoticeMessage } from "./message.ts";

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
