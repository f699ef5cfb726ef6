/** Reminders among the messages of a conversation. */
import type { Message } from "./message.ts";
import type { Reminder } from "./reminder.ts";

export function reminderIn(message: Message): Reminder | undefined {
  return message.type === "attachment" && message.attachment.kind === "reminder" ? message.attachment : undefined;
}

/** What those of a name say, the oldest first. */
export function remindersOf(messages: readonly Message[], name: string): string[] {
  return messages.flatMap((message) => {
    const reminder = reminderIn(message);
    return reminder?.name === name ? [reminder.text] : [];
  });
}
