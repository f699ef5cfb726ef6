/** The last exchange of a resumed session, so that a person sees where it stopped. */
import { sanitize } from "../../lib/sanitize.ts";
import type { ContentBlock, Message } from "../../protocol/message.ts";
import { typedBlocks, typedText } from "../../protocol/typed-blocks.ts";
import { isUnfinished } from "../interrupted-turn.ts";
import type { Style } from "../show/style.ts";
import { renderMarkdown } from "./markdown/markdown.ts";

const maxPromptLines = 4;
const maxAnswerLines = 16;
/** Longer lines are cut, so that a text without line ends does not scroll everything else away. */
const maxLineLength = 2_000;

export interface ExchangeLook {
  style: Style;
  /** The width of the terminal. */
  columns: number;
}

/** Returns lines without line ends, with the answer laid out as it was streamed. Empty if there are no prompts. */
export function lastExchangeLines(messages: readonly Message[], { style, columns }: ExchangeLook): string[] {
  const at = messages.findLastIndex(isPrompt);
  const prompt = messages[at];
  if (prompt === undefined) return [];
  const earlier = messages.slice(0, at).filter(isPrompt).length;
  const before =
    earlier === 0 ? [] : [style.note(`(${earlier} earlier ${earlier === 1 ? "message" : "messages"} of yours)`)];
  const [first = "", ...others] = lastLines(safeText(typedBlocks(prompt) ?? [], "\n"), maxPromptLines);
  const after = messages.slice(at + 1);
  const answer = lastAnswer(after);
  const answerText = renderMarkdown(answer ?? "", style, columns).replace(/\n$/u, "");
  const end = answer === undefined ? [] : lastLines(`${style.marks.answer}${answerText}`, maxAnswerLines);
  const cut = incompleteNote(after) ?? (answer === undefined ? "(not answered yet)" : undefined);
  const answerLines = cut === undefined ? end : [...end, style.note(cut)];
  // Empty lines as in a turn.
  const gap = style.isSpoken || answer === undefined ? [] : [""];
  return [...before, `${style.marks.prompt}${first}`, ...others.map((line) => `  ${line}`), ...gap, ...answerLines, ""];
}

/** Returns the typed prompts, the oldest first. */
export function promptsInMessages(messages: readonly Message[]): string[] {
  return messages.flatMap((message) => typedText(message) ?? []);
}

function isPrompt(message: Message): boolean {
  return typedBlocks(message) !== undefined;
}

/** Returns a note on why the answer is incomplete. */
function incompleteNote(messages: readonly Message[]): string | undefined {
  const last = messages.findLast(({ type }) => type === "user" || type === "assistant");
  if (last === undefined) return undefined;
  if (last.type === "user" && last.origin === "interruption") return "(interrupted)";
  return isUnfinished(last) ? "(the session ended before a final answer)" : undefined;
}

/** Returns the last text of the model, without the tool calls before it. */
function lastAnswer(messages: readonly Message[]): string | undefined {
  const messagesWithText = messages.filter(
    (message) => message.type === "assistant" && message.content.some((block) => block.type === "text"),
  );
  const last = messagesWithText.at(-1);
  if (last?.type !== "assistant") return undefined;
  const whole = messagesWithText.filter(
    (message) => message.type === "assistant" && message.messageId === last.messageId,
  );
  return safeText(whole.flatMap((message) => (message.type === "assistant" ? message.content : [])));
}

/** Returns text that is safe to show. `between` separates blocks, such as those of a prompt. */
function safeText(content: readonly ContentBlock[], between = ""): string {
  const text = content.map((block) => (block.type === "text" ? block.text : blockPlaceholder(block))).join(between);
  return sanitize(text)
    .trim()
    .split("\n")
    .map((line) => (line.length > maxLineLength ? `${line.slice(0, maxLineLength)}…` : line))
    .join("\n");
}

/** Returns the last lines, because an answer ends with its conclusion. */
function lastLines(text: string, maxLines: number): string[] {
  const lines = text.split("\n");
  return lines.length <= maxLines ? lines : [`(${lines.length - maxLines} earlier lines)`, ...lines.slice(-maxLines)];
}

function blockPlaceholder({ type }: ContentBlock): string {
  return type === "image" || type === "document" ? `[${type}]` : "";
}
