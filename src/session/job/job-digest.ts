/** One whole user turn as text for a model that judges it, and what can be concluded without a model. */
import { middleCut, tailOf } from "../../lib/text-cut.ts";
import { contentText } from "../../protocol/block-text.ts";
import type { ContentBlock, Message } from "../../protocol/message.ts";
import type { JobVerdict } from "./job-file.ts";

/** Limits in characters: for a text, for a call or its result, and in total. */
interface DigestLimits {
  message: number;
  step: number;
  total: number;
}

const defaultDigestLimits: DigestLimits = { message: 4_000, step: 300, total: 60_000 };

/** From the last prompt of a person to the end. */
export function userTurn(messages: readonly Message[]): readonly Message[] {
  const start = messages.findLastIndex((message) => message.type === "user" && message.origin === "human");
  return start < 0 ? messages : messages.slice(start);
}

/** Cuts the middle of a long turn: the request and the outcome are at its ends. */
export function turnDigest(turn: readonly Message[], limits = defaultDigestLimits): string {
  const lines = turn.flatMap((message) => messageLines(message, limits));
  return `<turn>\n${middleCut(lines.join("\n"), limits.total, "\n…\n").replaceAll("</turn", "< /turn")}\n</turn>`;
}

function messageLines(message: Message, longest: DigestLimits): string[] {
  if (message.type === "attachment" && message.attachment.kind === "queued_command")
    return message.attachment.prompt.flatMap((block) => blockLines("user", block, longest));
  if (message.type !== "assistant" && message.type !== "user") return [];
  return message.content.flatMap((block) => blockLines(message.type, block, longest));
}

function blockLines(who: string, block: ContentBlock, { message: maxText, step }: DigestLimits): string[] {
  switch (block.type) {
    case "text":
      return [`${who}: ${middleCut(block.text, maxText)}`];
    case "tool_use":
      return [`call ${block.name} ${middleCut(JSON.stringify(block.input), step)}`];
    case "tool_result":
      return [`${block.is_error === true ? "error" : "result"} ${middleCut(contentText(block.content), step)}`];
    default:
      return [];
  }
}

/** Judges by plain signs: a question at the end, calls at the end that all failed, an answer. */
export function plainVerdict(turn: readonly Message[], lastAssistantMessage: string): JobVerdict {
  const lastText = lastAssistantMessage.trim();
  const lines = lastText.split("\n").filter((line) => line.trim() !== "");
  const last = lines.at(-1) ?? "";
  if (/[?？]["'”)*_]*$/u.test(last.trim())) return { state: "needs_input", detail: tailOf(last, 1_000) };
  if (endedInErrors(turn)) return { state: "blocked", detail: lines[0] ?? "Its last calls failed." };
  return { state: "done", detail: lines[0] ?? "It ended without an answer." };
}

/** Whether the last calls all ended in errors. */
function endedInErrors(turn: readonly Message[]): boolean {
  const results: boolean[] = [];
  for (const message of turn.toReversed()) {
    if (message.type === "assistant" && message.content.some(({ type }) => type === "tool_use")) break;
    if (message.type !== "user") continue;
    for (const block of message.content) if (block.type === "tool_result") results.push(block.is_error === true);
  }
  return results.length > 0 && results.every(Boolean);
}
