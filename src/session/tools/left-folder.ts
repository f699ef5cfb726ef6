/**
 * Tells the model in which folder commands start if the conversation does not say so: in a resumed session whose commands had left that
 * folder or that was started in another one, and after a summary that no longer shows how they moved.
 */
import { resolve } from "node:path";
import { contentText } from "../../protocol/block-text.ts";
import type { Message, ToolUseBlock } from "../../protocol/message.ts";
import type { Reminder } from "../../protocol/reminder.ts";
import { reminderIn, remindersOf } from "../../protocol/reminders.ts";
import type { SystemBlock } from "../../protocol/model.ts";
import { isFolderLine } from "../../knowledge/environment.ts";
import { quoteName } from "../../lib/quote-name.ts";
import { endsInReset, type Cwd } from "../../tools/cwd.ts";
import { folderToldFirst, isOfFolder } from "../knowledge/told-folder.ts";

const name = "cwd_reset";
const moved = "cwd";

const again = (folder: string): string =>
  `The program was started anew: commands and relative paths begin in ${quoteName(folder)} again.`;
const elsewhere = (folder: string): string =>
  `The program was started anew, in another folder: commands and relative paths begin in ${quoteName(folder)} from here on. What was said of the folder before may not be so here, and what lay there may be gone.`;

export interface FolderOf {
  /** The folder in which commands start. */
  folder: string;
  /** The system prompt. It names the folder the conversation started in, unless the user replaced the prompt. */
  system: readonly SystemBlock[];
  /** Whether the next command starts in the folder where the last one ended. */
  carriesOver: boolean;
}

/** For a resumed session. Empty if the conversation already says where commands start. */
export function folderNews(messages: readonly Message[], { folder, system, carriesOver }: FolderOf): Reminder[] {
  if (messages.length === 0) return [];
  if (!isTold(messages, folder, system)) return [{ kind: "reminder", name, text: elsewhere(folder) }];
  return carriesOver && hasLeft(messages, folder) ? [{ kind: "reminder", name, text: again(folder) }] : [];
}

export function folderNow(cwd: Pick<Cwd, "get">): Pick<Reminder, "name" | "text"> {
  return {
    name: moved,
    text: `The working directory of commands and of relative paths is ${quoteName(cwd.get())} now.`,
  };
}

/** After a part of the conversation was summarized or removed: that part may have shown how commands reached the current folder. */
export function folderAfterGap(messages: readonly Message[], cwd: Pick<Cwd, "get" | "isStart">): Reminder[] {
  const now = folderNow(cwd);
  const last = remindersOf(messages, moved).at(-1);
  const isTold = last === undefined ? cwd.isStart() : last === now.text;
  return isTold ? [] : [{ kind: "reminder", ...now }];
}

/** Whether the conversation started in this folder, or was told about it since. */
function isTold(messages: readonly Message[], folder: string, system: readonly SystemBlock[]): boolean {
  const last = remindersOf(messages, name).at(-1);
  if (last !== undefined) return last === again(folder) || last === elsewhere(folder);
  const apart = folderToldFirst(messages);
  const lines = system.flatMap(({ text }) => text.split("\n")).filter(isOfFolder);
  if (apart !== undefined) lines.push(apart);
  return lines.length === 0 || lines.some((line) => isFolderLine(line, folder));
}

/** Returns false if the conversation shows no such command, or no result of the last one. */
function hasLeft(messages: readonly Message[], folder: string): boolean {
  let isElsewhere = false;
  for (const message of messages) {
    if (message.type === "assistant") {
      for (const block of message.content)
        if (block.type === "tool_use") isElsewhere = leaves(block, folder) ?? isElsewhere;
    } else if (message.type === "user") {
      const isBack = message.content.some(
        (block) => block.type === "tool_result" && endsInReset(contentText(block.content)),
      );
      if (isBack) isElsewhere = false;
    } else {
      const reminder = reminderIn(message);
      if (reminder?.name === moved) isElsewhere = true;
      if (reminder?.name === name) isElsewhere = false;
    }
  }
  return isElsewhere;
}

/** Whether the command leaves `folder`; undefined if it changes no folder. Guessed from its text: the reminder is true anyway. */
function leaves({ name: tool, input }: ToolUseBlock, folder: string): boolean | undefined {
  if (tool !== "Bash" || typeof input["command"] !== "string") return undefined;
  const last = [...input["command"].matchAll(/(?:^|[\s;&|])(?:cd|pushd|popd)(?:\s+["']?([^\s;&|"']+)|$)/gu)].at(-1);
  return last === undefined ? undefined : last[1] === undefined || resolve("/", last[1]) !== folder;
}
