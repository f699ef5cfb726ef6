/** Reminders among the messages of a conversation. */
import type { Message } from "./message.ts";
import type { Reminder } from "./reminder.ts";

export function reminderIn(message: Message): Reminder | undefined {
  return message.type === "attachment" && message.attachment.kind === "reminder" ? message.attachment : undefined;
}

/** Returns the texts of all reminders of that name, oldest first. */
export function reminderTexts(messages: readonly Message[], name: string): string[] {
  return messages.flatMap((message) => {
    const reminder = reminderIn(message);
    return reminder?.name === name ? [reminder.text] : [];
  });
}

const lastingReminders: ReadonlySet<string> = new Set([
  "day",
  "mcp",
  "memory_files",
  "nested_memory",
  "nested_skills",
  "plan_mode",
  "plan_mode_ended",
  "skills",
  "working_folder",
]);

/** Whether the message is a reminder given once that applies from then on: instructions, skills, servers, folders, the day, plan mode. */
export function isLastingReminder(message: Message): boolean {
  const reminder = reminderIn(message);
  return reminder !== undefined && lastingReminders.has(reminder.name);
}
