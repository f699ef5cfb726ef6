/** What was told on the way and holds on: the first message, as it was sent, does not have it, and a summary may leave it out. */
import { quoteName } from "../../lib/quote-name.ts";
import type { Message } from "../../protocol/message.ts";
import { reminderIn, remindersOf } from "../../protocol/reminders.ts";
import type { ReattachItem } from "../context/reattach.ts";

/** Reminders by name, with what people call them. */
const folder = "working_folder";
const nested = "nested_skills";
const skills = { [nested]: "skills of a folder", skills: "skills" };

export function folderText(path: string): string {
  return `The user has added a working folder to this session: ${quoteName(path)}. Its files are worked with as those of the current folder are.`;
}

/** Whether the conversation was told of any skill on the way. */
export function toldOfSkills(messages: readonly Message[]): boolean {
  return messages.some((message) => reminderIn(message)?.name === nested);
}

/** Whether it was told of one of this name. */
export function toldSkills(messages: readonly Message[]): (skill: { name: string }) => boolean {
  const lines = remindersOf(messages, nested).flatMap((text) => text.split("\n"));
  return ({ name }) =>
    lines.some((line) => line.startsWith(`- ${name}`) && /^(?:$|: | \()/u.test(line.slice(name.length + 2)));
}

/**
 * After a compaction, in the words in which it was told. `messages`: the conversation as it was; `kept`: what stays of it; `folders`: those
 * that are worked in now.
 */
export function standingWords(
  messages: readonly Message[],
  kept: readonly Message[],
  folders: readonly string[],
): ReattachItem[] {
  const added = new Set(remindersOf(messages, folder));
  const texts = folders.map(folderText).filter((text) => added.has(text));
  return [
    ...texts.map((text) => ({ label: "an added working folder", name: folder, text })),
    ...Object.entries(skills).flatMap(([name, label]) =>
      inOrder(remindersOf(messages, name), remindersOf(kept, name)).map((text) => ({ label, name, text })),
    ),
  ];
}

/** In one text, with what stays: of a skill that was told of twice the later words count, so the earlier may not come behind them. */
function inOrder(told: readonly string[], stays: readonly string[]): string[] {
  if (told.every((text) => stays.includes(text))) return [];
  return [told.filter((text, at) => !told.slice(at + 1).some((later) => later.includes(text))).join("\n\n")];
}
