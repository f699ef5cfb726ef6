/** One whole user turn as text for a model that judges it, and what can be concluded of it without one. */
import { middleCut, tailOf } from "../../lib/text-cut.ts";
import { contentText } from "../../protocol/block-text.ts";
import type { ContentBlock, Message } from "../../protocol/message.ts";
import type { JobVerdict } from "./job-file.ts";

const longestSaid = 4_000;
const longestStep = 300;
const longestDigest = 60_000;

/** From the last prompt of a person on. */
export function userTurn(messages: readonly Message[]): readonly Message[] {
  const start = messages.findLastIndex((message) => message.type === "user" && message.origin === "human");
  return start < 0 ? messages : messages.slice(start);
}

/** Its middle gives way where it is long: what was asked, and how it ended, are at its ends. */
export function digestOf(turn: readonly Message[]): string {
  const lines = turn.flatMap(linesOf);
  return `<turn>\n${middleCut(lines.join("\n"), longestDigest, "\n…\n").replaceAll("</turn>", "")}\n</turn>`;
}

function linesOf(message: Message): string[] {
  if (message.type === "attachment" && message.attachment.kind === "queued_command")
    return message.attachment.prompt.flatMap((block) => lineOf("user", block));
  if (message.type !== "assistant" && message.type !== "user") return [];
  return message.content.flatMap((block) => lineOf(message.type, block));
}

function lineOf(who: string, block: ContentBlock): string[] {
  switch (block.type) {
    case "text":
      return [`${who}: ${middleCut(block.text, longestSaid)}`];
    case "tool_use":
      return [`call ${block.name} ${middleCut(JSON.stringify(block.input), longestStep)}`];
    case "tool_result":
      return [`${block.is_error === true ? "error" : "result"} ${middleCut(contentText(block.content), longestStep)}`];
    default:
      return [];
  }
}

/** By what is plain to see: a question at the end, calls that all failed at the end, an answer. */
export function plainVerdict(turn: readonly Message[], lastAssistantMessage: string): JobVerdict {
  const said = lastAssistantMessage.trim();
  const lines = said.split("\n").filter((line) => line.trim() !== "");
  const last = lines.at(-1) ?? "";
  if (/[?？]["'”)*_]*$/u.test(last.trim())) return { state: "needs_input", detail: tailOf(last, 1_000) };
  if (endedInErrors(turn)) return { state: "blocked", detail: lines[0] ?? "Its last calls failed." };
  return { state: "done", detail: lines[0] ?? "It ended without a word." };
}

/** The results of the last calls, where all of them are errors. */
function endedInErrors(turn: readonly Message[]): boolean {
  const results: boolean[] = [];
  for (const message of turn.toReversed()) {
    if (message.type === "assistant" && message.content.some(({ type }) => type === "tool_use")) break;
    if (message.type !== "user") continue;
    for (const block of message.content) if (block.type === "tool_result") results.push(block.is_error === true);
  }
  return results.length > 0 && results.every(Boolean);
}
