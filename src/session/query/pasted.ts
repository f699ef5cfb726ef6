/** Text that a client reports as pasted. It is put after what the user typed, so that a paste never starts a command. */
import { isRecord } from "../../lib/is-record.ts";
import { blockText } from "../../protocol/block-text.ts";
import type { ContentBlock } from "../../protocol/message.ts";

/** The most entries, counting the blocks in them, that are accepted as a paste. */
const maxPieces = 1_000;

/** `content` and `pasted` are a message's `content` and `pasted_content`, unchecked. Parts of a paste that are not text are left out. */
export function withPasted(content: unknown, pasted: unknown): unknown {
  const texts = pastedTexts(pasted).map((text) => `<pasted_content>\n${text}\n</pasted_content>`);
  if (texts.length === 0) return content;
  if (typeof content === "string") return appendTexts(content, texts);
  if (!Array.isArray(content)) return content;
  const blocks: unknown[] = content;
  const at = blocks.findLastIndex(isTextBlock);
  const last = blocks[at];
  if (!isTextBlock(last)) return [...blocks, { type: "text", text: texts.join("\n") }];
  return blocks.with(at, { ...last, text: appendTexts(last.text, texts) });
}

function isTextBlock(block: unknown): block is { type: "text"; text: string } {
  return isRecord(block) && block["type"] === "text" && typeof block["text"] === "string";
}

function appendTexts(typed: string, texts: readonly string[]): string {
  return [...(typed.trim() === "" ? [] : [typed]), ...texts].join("\n");
}

function pastedTexts(pasted: unknown): string[] {
  if (!Array.isArray(pasted)) return [];
  const entries: unknown[] = pasted;
  const pieces = entries.reduce<number>((sum, entry) => sum + (Array.isArray(entry) ? entry.length + 1 : 1), 0);
  if (pieces > maxPieces) return [];
  return entries.map(textOf).filter((text) => text.trim() !== "");
}

function textOf(entry: unknown): string {
  if (typeof entry === "string") return entry;
  return Array.isArray(entry) ? blockText(entry.filter(isTextBlock) as ContentBlock[], "\n") : "";
}
