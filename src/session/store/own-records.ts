/** Records that a session writes by itself. */
import { withoutReminders } from "../../protocol/system-reminder.ts";
import type { ContentBlock, Message, UserMessage } from "../../protocol/message.ts";
import { attachmentRecord, newNotice, newRecordFields, type RecordWorld } from "../../protocol/new-record.ts";

/** A message only for the model, from nobody: it stands for a command, or reports one. */
export function commandMessage(text: string, world: RecordWorld): UserMessage {
  return modelMessage([{ type: "text", text }], world);
}

/** Contents of files or servers, only for the model. Nothing in their texts passes for a reminder. */
export function contentMessage(content: readonly ContentBlock[], world: RecordWorld): UserMessage {
  const guarded = content.map((block) =>
    block.type === "text" ? { ...block, text: withoutReminders(block.text) } : block,
  );
  return modelMessage(guarded, world);
}

function modelMessage(content: ContentBlock[], world: RecordWorld): UserMessage {
  return { type: "user", ...newRecordFields(world), content, isMeta: true, origin: "command" };
}

export function contextMessage(event: string, text: string, world: RecordWorld): Message {
  return attachmentRecord({ kind: "hook_context", event, text }, world);
}

/** Removes these messages from the conversation, with a warning that says why. */
export function removalRecords(world: RecordWorld, targets: string[], name: string, text: string): Message[] {
  return [
    { type: "tombstone", ...newRecordFields(world), targets, reason: "refusal" },
    newNotice(world, "warning", name, text),
  ];
}
