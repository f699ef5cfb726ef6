/** What a user may submit, as content blocks. */
import type { ContentBlock } from "../protocol/message.ts";

/** Blocks are taken as they are; text without a visible character is left to the caller to refuse. */
export function readPrompt(prompt: string | ContentBlock[]): ContentBlock[] {
  return typeof prompt === "string" ? [{ type: "text", text: prompt }] : prompt;
}

export function promptText(prompt: string | ContentBlock[]): string {
  if (typeof prompt === "string") return prompt;
  return prompt.map((block) => (block.type === "text" ? block.text : "")).join("");
}
