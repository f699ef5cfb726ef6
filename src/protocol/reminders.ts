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

const holding: ReadonlySet<string> = new Set([
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

/** A reminder that is told once and is about all that follows: which instructions there are, skills, servers, folders, the day, plan mode. */
export function holdsOn(message: Message): boolean {
  const reminder = reminderIn(message);
  return reminder !== undefined && holding.has(reminder.name);
}
