/** Compares the memory files with what the conversation was told of them, and tells it of files that have changed or are gone. */
import { existsSync } from "node:fs";
import { withoutReminders } from "../../protocol/system-reminder.ts";
import type { Memory } from "../../knowledge/memory.ts";
import { blockText } from "../../protocol/block-text.ts";
import type { Message } from "../../protocol/message.ts";
import { reminderIn } from "../../protocol/reminders.ts";

/** The name of the reminder that tells of changed files. */
export const refreshedReminder = "memory_files";

/** Names the files the conversation was told of that no longer exist, unless it was told that too. Empty if there are none. */
export function removedFilesText(keptMessages: readonly Message[]): string {
  const memoryTexts = memoryTextsIn(keptMessages);
  const paths = new Set(
    memoryTexts.flatMap((text) => Array.from(text.matchAll(headingPattern), ([, path = ""]) => path)),
  );
  const isUnsaid = (path: string): boolean =>
    memoryTexts.findLast((text) => mentionsFile(text, path))?.includes(goneLine(path)) !== true;
  return [...paths]
    .filter((path) => !existsSync(path) && isUnsaid(path))
    .map(goneLine)
    .join("\n");
}

export function memoryTextsIn(messages: readonly Message[]): string[] {
  return messages.map(memoryTextIn).filter((text) => text !== undefined);
}

/** Also false if the conversation has no memory text. For a file, its latest text counts: it may have been changed back. */
export function isMissingFrom(keptMessages: readonly Message[], text: string, path?: string): boolean {
  const memoryTexts = memoryTextsIn(keptMessages);
  const last = path === undefined ? undefined : memoryTexts.findLast((each) => mentionsFile(each, path));
  const counting = last === undefined ? memoryTexts : [last];
  return memoryTexts.length > 0 && !counting.some((each) => each.includes(withoutReminders(text)));
}

/** Whether the text holds the file's content, or says that it is gone. */
function mentionsFile(memoryTexts: string, path: string): boolean {
  return [`## ${path}\n`, `## ${path} (imported by `, goneLine(path)].some((mark) => memoryTexts.includes(mark));
}

export function refreshedText(texts: readonly string[]): string {
  const intro = "These instructions have changed since this conversation began, and count as they are here:";
  return `${intro}\n\n${texts.join("\n\n")}`;
}

/** The heading of a memory file, as in `Memory`. */
const headingPattern = /^## (\/[^\n]*\.md)(?: \(imported by [^\n]*\))?$/gmu;

function goneLine(path: string): string {
  return `${path} is no longer there: what it said does not count any more.`;
}

/** The memory text in a message that was loaded at the start. */
function memoryTextIn(message: Message): string | undefined {
  const reminder = reminderIn(message);
  if (reminder !== undefined) return reminder.name === refreshedReminder ? withoutReminders(reminder.text) : undefined;
  if (message.type !== "user" || message.origin !== "context") return undefined;
  return blockText(message.content, "\n");
}

/** Each file separately, under its heading. */
export function memoryParts({ text, files }: Memory): { path: string; text: string }[] {
  const headings = files.map(
    ({ path, parent }) => `## ${path}${parent === undefined ? "" : ` (imported by ${parent})`}\n`,
  );
  const starts = headings.map((heading) => (text.startsWith(heading) ? 0 : text.indexOf(`\n\n${heading}`) + 2));
  return files.map(({ path }, at) => {
    const next = Math.min(...starts.filter((start) => start > (starts[at] ?? 0)), text.length + 2);
    return { path, text: text.slice(starts[at], next - 2) };
  });
}
