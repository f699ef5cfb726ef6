/** What was told on the way and holds on: the first message, as it was sent, does not have it, and a summary may leave it out. */
import type { Message } from "../../protocol/message.ts";
import { remindersOf } from "../../protocol/reminders.ts";
import type { ReattachItem } from "../context/reattach.ts";

/** Reminders by name, with what people call them. */
const standing = { working_folder: "an added working folder", nested_skills: "skills of a folder", skills: "skills" };

/** After a compaction, in the words in which it was told. `messages`: the conversation as it was. */
export function standingWords(messages: readonly Message[]): ReattachItem[] {
  return Object.entries(standing).flatMap(([name, label]) =>
    remindersOf(messages, name).map((text) => ({ label, name, text })),
  );
}
