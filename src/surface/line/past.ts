/** The last exchange of a session that goes on, so that a person sees where it stands. */
import { sanitize } from "../../lib/sanitize.ts";
import type { ContentBlock, Message } from "../../protocol/message.ts";
import { typedBlocks, typedText } from "../../protocol/typed-blocks.ts";
import { isUnfinished } from "../interrupted-turn.ts";
import type { Style } from "../show/style.ts";
import { markdown } from "./markdown/markdown.ts";

const mostPromptLines = 4;
const mostAnswerLines = 16;
/** Longer lines are cut: a page without line ends must not push all else away. */
const longestLine = 2_000;

export interface PastLook {
  style: Style;
  /** Of the terminal. */
  columns: number;
}

/** Lines without line ends, the answer laid out as when it came; none where nobody has spoken. */
export function pastLines(messages: readonly Message[], { style, columns }: PastLook): string[] {
  const at = messages.findLastIndex(isPrompt);
  const prompt = messages[at];
  if (prompt === undefined) return [];
  const earlier = messages.slice(0, at).filter(isPrompt).length;
  const before =
    earlier === 0 ? [] : [style.dim(`(${earlier} earlier ${earlier === 1 ? "message" : "messages"} of yours)`)];
  const [first = "", ...others] = lastOf(textOf(typedBlocks(prompt) ?? [], "\n"), mostPromptLines);
  const after = messages.slice(at + 1);
  const answer = answerOf(after);
  const said = markdown(answer ?? "", style, columns).replace(/\n$/u, "");
  const end = answer === undefined ? [] : lastOf(`${style.marks.answer}${said}`, mostAnswerLines);
  const cut = cutOff(after) ?? (answer === undefined ? "(not answered yet)" : undefined);
  const told = cut === undefined ? end : [...end, style.dim(cut)];
  // As behind a turn.
  return [...before, `${style.marks.prompt}${first}`, ...others.map((line) => `  ${line}`), ...told, ""];
}

/** What was typed, the oldest first. */
export function pastPrompts(messages: readonly Message[]): string[] {
  return messages.flatMap((message) => typedText(message) ?? []);
}

function isPrompt(message: Message): boolean {
  return typedBlocks(message) !== undefined;
}

/** What keeps the answer from being whole. */
function cutOff(messages: readonly Message[]): string | undefined {
  const last = messages.findLast(({ type }) => type === "user" || type === "assistant");
  if (last === undefined) return undefined;
  if (last.type === "user" && last.origin === "interruption") return "(interrupted)";
  return isUnfinished(last) ? "(it ended before a last answer)" : undefined;
}

/** What was said last, and not the calls on the way to it. */
function answerOf(messages: readonly Message[]): string | undefined {
  const said = messages.filter(
    (message) => message.type === "assistant" && message.content.some((block) => block.type === "text"),
  );
  const last = said.at(-1);
  if (last?.type !== "assistant") return undefined;
  const whole = said.filter((message) => message.type === "assistant" && message.messageId === last.messageId);
  return textOf(whole.flatMap((message) => (message.type === "assistant" ? message.content : [])));
}

/** Safe to show. `between`: of what is apart, as the blocks of a prompt are. */
function textOf(content: readonly ContentBlock[], between = ""): string {
  const text = content.map((block) => (block.type === "text" ? block.text : picture(block))).join(between);
  return sanitize(text)
    .trim()
    .split("\n")
    .map((line) => (line.length > longestLine ? `${line.slice(0, longestLine)}…` : line))
    .join("\n");
}

/** The end of it: that is where an answer says what it came to. */
function lastOf(text: string, most: number): string[] {
  const lines = text.split("\n");
  return lines.length <= most ? lines : [`(${lines.length - most} lines before)`, ...lines.slice(-most)];
}

function picture({ type }: ContentBlock): string {
  return type === "image" || type === "document" ? `[${type}]` : "";
}
