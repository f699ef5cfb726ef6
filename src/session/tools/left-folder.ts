/**
 * Tells the model in which folder commands start if the conversation does not say so: in a resumed session whose commands had left that
 * folder or that was started in another one, and after a summary that no longer shows how they moved.
 */
import { contentText } from "../../protocol/block-text.ts";
import type { Message } from "../../protocol/message.ts";
import type { Reminder } from "../../protocol/reminder.ts";
import { reminderIn, reminderTexts } from "../../protocol/reminders.ts";
import type { SystemBlock } from "../../protocol/model.ts";
import { isFolderLine } from "../../knowledge/environment.ts";
import { quoteName } from "../../lib/quote-name.ts";
import { leavesFolder, resetFolderIn, type Cwd } from "../../tools/cwd.ts";
import { folderInFirstMessage, isAnyFolderLine } from "./folder-line.ts";

const resetReminderName = "cwd_reset";
const folderReminderName = "cwd";

const restartText = (folder: string): string =>
  `The program was started anew: commands and relative paths begin in ${quoteName(folder)} again.`;
const otherFolderText = (folder: string): string =>
  `The program was started anew, in another folder: commands and relative paths begin in ${quoteName(folder)} from here on. What was said of the folder before may not be so here, and what lay there may be gone.`;

export interface FolderContext {
  /** The folder in which commands start. */
  folder: string;
  /** The system prompt. It names the folder the conversation started in, unless the user replaced the prompt. */
  system: readonly SystemBlock[];
  /** Whether the next command starts in the folder where the last one ended. */
  carriesOver: boolean;
}

/** For a resumed session. Empty if the conversation already says where commands start. */
export function folderNews(messages: readonly Message[], { folder, system, carriesOver }: FolderContext): Reminder[] {
  if (messages.length === 0) return [];
  if (!isFolderKnown(messages, folder, system))
    return [{ kind: "reminder", name: resetReminderName, text: otherFolderText(folder) }];
  return carriesOver && hasLeftFolder(messages, folder)
    ? [{ kind: "reminder", name: resetReminderName, text: restartText(folder) }]
    : [];
}

export function folderNow(cwd: Pick<Cwd, "get">): Pick<Reminder, "name" | "text"> {
  return {
    name: folderReminderName,
    text: `The working directory of commands and of relative paths is ${quoteName(cwd.get())} now.`,
  };
}

/** After a part of the conversation was summarized or removed: that part may have shown how commands reached the current folder. */
export function folderAfterGap(messages: readonly Message[], cwd: Pick<Cwd, "get" | "isStart">): Reminder[] {
  const now = folderNow(cwd);
  const last = reminderTexts(messages, folderReminderName).at(-1);
  const isAnnounced = last === undefined ? cwd.isStart() : last === now.text;
  return isAnnounced ? [] : [{ kind: "reminder", ...now }];
}

/** Whether the conversation started in this folder, or was told about it since. */
function isFolderKnown(messages: readonly Message[], folder: string, system: readonly SystemBlock[]): boolean {
  const last = reminderTexts(messages, resetReminderName).at(-1);
  if (last !== undefined) return last === restartText(folder) || last === otherFolderText(folder);
  const apart = folderInFirstMessage(messages);
  const lines = system.flatMap(({ text }) => text.split("\n")).filter(isAnyFolderLine);
  if (apart !== undefined) lines.push(apart);
  return lines.length === 0 || lines.some((line) => isFolderLine(line, folder));
}

/** Returns false if the conversation shows no such command, or no result of the last one. */
function hasLeftFolder(messages: readonly Message[], folder: string): boolean {
  let isElsewhere = false;
  for (const message of messages) {
    if (message.type === "assistant") {
      for (const block of message.content)
        if (block.type === "tool_use" && block.name === "Bash")
          // A guess: the reminder is true anyway.
          isElsewhere = leavesFolder(String(block.input["command"]), folder) ?? isElsewhere;
    } else if (message.type === "user") {
      for (const block of message.content) {
        const named = block.type === "tool_result" ? resetFolderIn(contentText(block.content)) : undefined;
        if (named !== undefined) isElsewhere = named !== folder;
      }
    } else {
      const reminder = reminderIn(message);
      if (reminder?.name === folderReminderName) isElsewhere = true;
      if (reminder?.name === resetReminderName) isElsewhere = false;
    }
  }
  return isElsewhere;
}
