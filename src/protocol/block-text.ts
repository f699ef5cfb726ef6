/** The text of message content. */
import type { ContentBlock } from "./message.ts";

/** Returns the text blocks alone, joined with `between`. */
export function blockText(content: string | readonly ContentBlock[], between = ""): string {
  if (typeof content === "string") return content;
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(between);
}

/** Returns the text, with every other block shown as its type, such as `[image]`. */
export function contentText(content: string | readonly ContentBlock[], between = "\n"): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join(between);
}
