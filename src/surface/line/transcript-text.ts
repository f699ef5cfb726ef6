/** The latest part of the conversation with the complete input and results of tool calls, as text for a pager. */
import { sanitize } from "../../lib/sanitize.ts";
import { blockText, contentText } from "../../protocol/block-text.ts";
import type {
  AssistantMessage,
  ContentBlock,
  Message,
  ToolResultBlock,
  ToolUseBlock,
  UserMessage,
} from "../../protocol/message.ts";
import { reminderIn } from "../../protocol/reminders.ts";
import { typedText } from "../../protocol/typed-blocks.ts";
import type { Style } from "../show/style.ts";
import { toolUseLine, withoutErrorTags } from "../show/tool-line.ts";
import { renderMarkdown } from "./markdown/markdown.ts";
import { parseShellCommandMessage } from "./shell-command.ts";
import { patchLines } from "./patch-lines.ts";
import { inputLines } from "./question.ts";
import { todoLines } from "./todo-lines.ts";

/** In characters. Of a longer conversation only the last turns are shown, and always the very last. */
const maxCharacters = 2_000_000;
const maxHeadLength = 2_000;

export interface TranscriptLook {
  style: Style;
  columns: number;
  cwd: string;
}

interface Result {
  block: ToolResultBlock;
  /** The tool result as clients get it. */
  details: unknown;
}

/** Returns text that is safe to show and ends with a line end; empty if there are no messages. */
export function transcriptText(messages: readonly Message[], look: TranscriptLook): string {
  const turns = splitTurns(messages);
  const results = collectResults(messages);
  const shown: string[] = [];
  let length = 0;
  for (const turn of turns.toReversed()) {
    const lines = turn.flatMap((message) => messageLines(message, results, look));
    const text = lines.join("\n").replace(/^\n/u, "");
    length += text.length;
    if (shown.length > 0 && length > maxCharacters) break;
    if (text !== "") shown.unshift(text);
  }
  if (shown.length === 0) return "";
  const left = length > maxCharacters && shown.length < turns.length;
  const head = left ? [look.style.dim("(earlier turns are in the file that /export writes)")] : [];
  return `${[...head, ...shown].join("\n\n")}\n`;
}

/** Splits the messages into turns, each starting with a typed prompt. */
function splitTurns(messages: readonly Message[]): Message[][] {
  const turns: Message[][] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (last === undefined || (message.type === "user" && typedText(message) !== undefined)) turns.push([message]);
    else last.push(message);
  }
  return turns;
}

function collectResults(messages: readonly Message[]): Map<string, Result> {
  const results = new Map<string, Result>();
  for (const message of messages) {
    if (message.type !== "user" || message.deferred === true) continue;
    for (const block of message.content)
      if (block.type === "tool_result") results.set(block.tool_use_id, { block, details: message.toolUseResult });
  }
  return results;
}

function messageLines(message: Message, results: ReadonlyMap<string, Result>, look: TranscriptLook): string[] {
  const { style } = look;
  const typed = typedText(message);
  if (typed !== undefined) return promptLines(typed, style);
  switch (message.type) {
    case "assistant":
      return message.content.flatMap((block) => withGapAbove(answerLines(block, message, results, look), style));
    case "user":
      return sessionMessageLines(message, style);
    case "notice":
      return sanitize(message.text)
        .split("\n")
        .map((line) => style.dim(line));
    case "attachment": {
      const reminder = reminderIn(message);
      if (reminder?.name !== "mentioned_file") return [];
      return withMark(style.marks.mention, sanitize(reminder.text), style).map((line) => style.dim(line));
    }
    default:
      return [];
  }
}

/** Adds an empty row above the lines of a block, but not for a screen reader. */
function withGapAbove(lines: string[], style: Style): string[] {
  return lines.length === 0 || style.isSpoken ? lines : ["", ...lines];
}

/** Returns the lines of messages that the session added itself, if they are for people. */
function sessionMessageLines({ content, isCompactSummary, isMeta, origin }: UserMessage, style: Style): string[] {
  if (origin === "interruption") return [style.dim("(interrupted)")];
  const own = isMeta === true ? parseShellCommandMessage(blockText(content)) : undefined;
  if (own !== undefined)
    return withGapAbove(
      [...promptLines(`!${own.command}`, style), ...resultLines(own.output, own.isError, style)],
      style,
    );
  if (isCompactSummary !== true) return [];
  const summary = ["(earlier conversation, summarised for the model)", ...sanitize(blockText(content)).split("\n")];
  return summary.map((line) => style.dim(line));
}

function promptLines(typed: string, style: Style): string[] {
  return sanitize(typed)
    .split("\n")
    .map((line, at) => style.bold(`${at === 0 ? style.marks.prompt : "  "}${line}`));
}

function answerLines(
  block: ContentBlock,
  { apiError }: AssistantMessage,
  results: ReadonlyMap<string, Result>,
  look: TranscriptLook,
): string[] {
  const { style, columns } = look;
  switch (block.type) {
    case "text": {
      const text = sanitize(block.text).trim();
      if (text === "") return [];
      if (apiError !== undefined) return text.split("\n").map((line) => style.red(line));
      return [style.marks.answer + renderMarkdown(text, style, columns).replace(/\n$/u, "")];
    }
    case "thinking": {
      const thought = sanitize(block.thinking).trim();
      return thought === "" ? [] : thought.split("\n").map((line) => style.dim(style.italic(`  ${line}`)));
    }
    case "tool_use":
      return callLines(block, results.get(block.id), look);
    default:
      return [];
  }
}

function callLines(call: ToolUseBlock, result: Result | undefined, { style, columns, cwd }: TranscriptLook): string[] {
  const callLine = toolUseLine(call.name, call.input, maxHeadLength, cwd);
  const { marks } = style;
  const head = `${style.green(marks.call.trimEnd())} ${callLine}`;
  const [first, ...more] = inputLines(call.name, call.input, style);
  // The head shows a command of one line completely, so do not repeat it.
  const shownInput = first === undefined || callLine === `${call.name} ${first}` ? more : [first, ...more];
  const input = more.length === 0 ? [] : shownInput.map((line) => `  ${style.dim(marks.bar.trimEnd())} ${line}`);
  if (result === undefined) return [head, ...input, style.dim(`${marks.result}(no result yet)`)];
  const { block, details } = result;
  const shownResult = resultLines(contentText(block.content), block.is_error === true, style);
  const changes = [...patchLines(details, style, columns, Infinity), ...todoLines(details, style, columns)];
  return [head, ...input, ...shownResult, ...changes];
}

function resultLines(result: string, isError: boolean, style: Style): string[] {
  const text = sanitize(withoutErrorTags(result)).replace(/\n+$/u, "");
  const { failedResult, result: plainResult } = style.marks;
  const lines = withMark(isError ? failedResult : plainResult, text === "" ? "(nothing)" : text, style);
  return isError ? lines.map((line) => style.red(line)) : lines;
}

function withMark(mark: string, text: string, { marks }: Style): string[] {
  return text.split("\n").map((line, at) => `${at === 0 ? mark : marks.furtherRow}${line}`);
}
