/** What content says in text. */
import type { ContentBlock } from "./message.ts";

/** Of its texts alone. */
export function blockText(content: string | readonly ContentBlock[], between = ""): string {
  if (typeof content === "string") return content;
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(between);
}

/** What is no text stands as its kind. */
export function contentText(content: string | readonly ContentBlock[], between = "\n"): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join(between);
}
