/** What was told during the conversation and still holds: it is not in the first message, and a summary may leave it out. */
import { quoteName } from "../../lib/quote-name.ts";
import type { Message } from "../../protocol/message.ts";
import { reminderIn, reminderTexts } from "../../protocol/reminders.ts";
import type { ReattachItem } from "../../context/reattach-item.ts";

/** Names of the reminders, with labels for people. */
const folderReminder = "working_folder";
const nestedSkillsReminder = "nested_skills";
const skillReminders = { [nestedSkillsReminder]: "skills of a folder", skills: "skills" };

export function addedFolderText(path: string): string {
  return `The user has added a working folder to this session: ${quoteName(path)}. Its files are worked with as those of the current folder are.`;
}

/** Whether the conversation was told of any skill along the way. */
export function hasSkillAnnouncement(messages: readonly Message[]): boolean {
  return messages.some((message) => reminderIn(message)?.name === nestedSkillsReminder);
}

/** Whether the conversation was told of a skill with this name. */
export function announcedSkillTest(messages: readonly Message[]): (skill: { name: string }) => boolean {
  const lines = reminderTexts(messages, nestedSkillsReminder).flatMap((text) => text.split("\n"));
  return ({ name }) =>
    lines.some((line) => line.startsWith(`- ${name}`) && /^(?:$|: | \()/u.test(line.slice(name.length + 2)));
}

/**
 * After a compaction, repeats the original words. `messages`: the conversation before; `keptMessages`: what stays of it; `folders`:
 * the current working folders.
 */
export function reattachedAnnouncements(
  messages: readonly Message[],
  keptMessages: readonly Message[],
  folders: readonly string[],
): ReattachItem[] {
  const added = new Set(reminderTexts(messages, folderReminder));
  const texts = folders.map(addedFolderText).filter((text) => added.has(text));
  return [
    ...texts.map((text) => ({ label: "an added working folder", name: folderReminder, text })),
    ...Object.entries(skillReminders).flatMap(([name, label]) =>
      mergeAnnouncements(reminderTexts(messages, name), reminderTexts(keptMessages, name)).map((text) => ({
        label,
        name,
        text,
      })),
    ),
  ];
}

/** In one text, together with what stays: for a skill told of twice the later words count, so the earlier ones must not follow them. */
function mergeAnnouncements(announced: readonly string[], stays: readonly string[]): string[] {
  if (announced.every((text) => stays.includes(text))) return [];
  return [announced.filter((text, at) => !announced.slice(at + 1).some((later) => later.includes(text))).join("\n\n")];
}
