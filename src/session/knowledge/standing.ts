/** What was told during the conversation and still holds: it is not in the first message, and a summary may leave it out. */
import { quoteName } from "../../lib/quote-name.ts";
import type { Message } from "../../protocol/message.ts";
import { reminderIn, remindersOf } from "../../protocol/reminders.ts";
import type { ReattachItem } from "../context/reattach.ts";

/** Names of the reminders, with labels for people. */
const folder = "working_folder";
const nested = "nested_skills";
const skills = { [nested]: "skills of a folder", skills: "skills" };

export function folderText(path: string): string {
  return `The user has added a working folder to this session: ${quoteName(path)}. Its files are worked with as those of the current folder are.`;
}

/** Whether the conversation was told of any skill along the way. */
export function toldOfSkills(messages: readonly Message[]): boolean {
  return messages.some((message) => reminderIn(message)?.name === nested);
}

/** Whether the conversation was told of a skill with this name. */
export function toldSkills(messages: readonly Message[]): (skill: { name: string }) => boolean {
  const lines = remindersOf(messages, nested).flatMap((text) => text.split("\n"));
  return ({ name }) =>
    lines.some((line) => line.startsWith(`- ${name}`) && /^(?:$|: | \()/u.test(line.slice(name.length + 2)));
}

/**
 * After a compaction, repeats the original words. `messages`: the conversation before; `kept`: what stays of it; `folders`:
 * the current working folders.
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

/** In one text, together with what stays: for a skill told of twice the later words count, so the earlier ones must not follow them. */
function inOrder(told: readonly string[], stays: readonly string[]): string[] {
  if (told.every((text) => stays.includes(text))) return [];
  return [told.filter((text, at) => !told.slice(at + 1).some((later) => later.includes(text))).join("\n\n")];
}
