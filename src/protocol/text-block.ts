import type { TextBlock } from "./message.ts";

export function textBlock(text: string): TextBlock {
  return { type: "text", text };
}
