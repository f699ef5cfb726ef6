/** What a summary cannot replace: put back after a compaction, the most important first. Rooms that have such content add a part. */
import { readFileSync, statSync } from "node:fs";
import type { Reattachment } from "../../context/index.ts";
import type { ReattachItem } from "../../context/reattach-item.ts";
import { quoteName } from "../../lib/quote-name.ts";
import type { Message, ToolUseBlock } from "../../protocol/message.ts";
import { reminderIn } from "../../protocol/reminders.ts";
import type { ClockPort, IdPort } from "../../loop/ports.ts";
import type { ToolDependencies } from "../../tools/dependencies.ts";
import { mentionHead } from "./mention-head.ts";
import { folderNow } from "../tools/left-folder.ts";
import { attachmentRecord } from "../../protocol/new-record.ts";
import { hashBytes } from "../../tools/text-file.ts";

/** `keptMessages`: the messages that stay as they were. */
export type ReattachPart = (kept: readonly Message[]) => ReattachItem[];

/** The order in which they come back: what always holds, what is to be done, what it is done with, what is running, what was read. */
const ranks = ["memory", "plan", "todos", "skills", "commands", "files"] as const;
export type ReattachRank = (typeof ranks)[number];

export class Reattach {
  readonly #parts: Partial<Record<ReattachRank, ReattachPart[]>> = {};
  readonly #make: { clock: ClockPort; ids: IdPort };

  constructor(make: { clock: ClockPort; ids: IdPort }) {
    this.#make = make;
  }

  /** Parts of one rank keep the order they were added in. */
  add(rank: ReattachRank, part: ReattachPart): void {
    (this.#parts[rank] ??= []).push(part);
  }

  items(keptMessages: readonly Message[]): Reattachment[] {
    const parts = ranks.flatMap((rank) => this.#parts[rank] ?? []);
    return parts.flatMap((part) => part(keptMessages)).map((item) => this.#reattachment(item));
  }

  #reattachment({ label, name, text }: ReattachItem): Reattachment {
    if (text === undefined) return { label };
    return { label, message: attachmentRecord({ kind: "reminder", name, text }, this.#make) };
  }
}

/** Starts with what the tools hold: the todo list, running commands, the files last read. */
export function createReattach(make: { clock: ClockPort; ids: IdPort }, shared: ToolDependencies): Reattach {
  const reattach = new Reattach(make);
  reattach.add("todos", () => todoList(shared));
  reattach.add("commands", () => [...workingDirectory(shared), ...runningCommands(shared)]);
  reattach.add("files", (kept) => filesLastRead(shared, kept));
  return reattach;
}

function todoList({ todos }: ToolDependencies): ReattachItem[] {
  const list = todos.get();
  if (list.length === 0) return [];
  const lines = list.map((todo) => `- [${todo.status}] ${todo.content}`).join("\n");
  return [{ label: "the todo list", name: "todos", text: `The todo list, as it is now:\n${lines}` }];
}

/** Where commands start, unless it is the folder in the system prompt. */
function workingDirectory({ cwd }: ToolDependencies): ReattachItem[] {
  return cwd.isStart() ? [] : [{ label: "the working directory", ...folderNow(cwd) }];
}

const commandLength = 300;

function runningCommands({ background }: ToolDependencies): ReattachItem[] {
  const running = background.list().filter((task) => task.status === "running");
  if (running.length === 0) return [];
  const lines = running.map(({ id, command, outputPath }) => {
    const output = outputPath === null ? "its output is not kept" : `Read ${outputPath} for its output`;
    return `- ${id}: ${quoteName(command.slice(0, commandLength))}; ${output}`;
  });
  const text = `Running in the background now (TaskStop ends them by their id):\n${lines.join("\n")}`;
  return [{ label: `commands that run in the background (${running.length})`, name: "background", text }];
}

const reattachedFiles = 5;
const maxReattachedBytes = 64 * 1024;

/** From here on, a file that is read again is shown again in full. */
function filesLastRead({ readState }: ToolDependencies, keptMessages: readonly Message[]): ReattachItem[] {
  readState.clear();
  const shownTextsOf = createShownTexts(keptMessages);
  return readState.recent(reattachedFiles).flatMap((path): ReattachItem[] => {
    const text = textAsRead(path, readState.get(path)?.hash);
    if (text === null || (text !== undefined && shownTextsOf(path).includes(text.trimEnd()))) return [];
    const label = quoteName(path);
    if (text === undefined) return [{ label, name: "file" }];
    return [{ label, name: "file", text: `${path}, as it was read before the conversation was compacted:\n${text}` }];
  });
}

/**
 * Returns only text that the model has been shown: the path may hold another file by now, for which nobody gave permission.
 * Undefined if too large to come back; null if that text is gone: the summary then says what was known of it.
 */
function textAsRead(path: string, hash: string | undefined): string | undefined | null {
  try {
    const status = statSync(path);
    if (!status.isFile()) return null;
    if (hash === undefined || status.size > maxReattachedBytes) return undefined;
    const bytes = readFileSync(path);
    return hashBytes(bytes) === hash && !bytes.includes(0) ? bytes.toString() : null;
  } catch {
    // Gone, or no longer readable.
    return null;
  }
}

/** Returns a function from a path to the file's texts in `messages`: from calls that read or wrote it and prompts that name it. */
function createShownTexts(messages: readonly Message[]): (path: string) => string[] {
  const calls = new Map<string, ToolUseBlock>();
  const shown: { path: string; text: string }[] = [];
  const mentions: string[] = [];
  for (const message of messages) {
    const reminder = reminderIn(message);
    if (reminder?.name === "mentioned_file") mentions.push(reminder.text);
    if (message.type !== "assistant" && message.type !== "user") continue;
    for (const block of message.content) {
      if (block.type === "tool_use") calls.set(block.id, block);
      if (block.type !== "tool_result" || block.is_error === true || typeof block.content !== "string") continue;
      const { name, input } = calls.get(block.tool_use_id) ?? {};
      const path = String(input?.["file_path"]);
      if (name === "Read") shown.push({ path, text: withoutLineNumbers(block.content) });
      if (name === "Write") shown.push({ path, text: String(input?.["content"]).trimEnd() });
    }
  }
  return (path) => {
    const head = mentionHead(path);
    const matchingMentions = mentions.filter((text) => text.startsWith(head));
    return [
      ...shown.filter((each) => each.path === path).map(({ text }) => text),
      ...matchingMentions.map((text) => withoutLineNumbers(text.slice(head.length))),
    ];
  };
}

function withoutLineNumbers(text: string): string {
  return text.replaceAll(/^ *\d+\t/gm, "").trimEnd();
}
