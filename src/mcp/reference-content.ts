/** What a reference in a prompt stands for: a server's texts and media in their order, below a line that says whose they are. */
import { headOf } from "../lib/text-cut.ts";
import type { ToolResultContent } from "../protocol/message.ts";

type Block = Exclude<ToolResultContent, string>[number];

/** Text alone if there is nothing else. All texts together have at most `maxChars` characters. */
export function referenceContent(head: string, blocks: readonly Block[], maxChars: number): ToolResultContent {
  const content: Block[] = [{ type: "text", text: head }];
  for (const block of blocks) {
    const last = content.at(-1);
    if (block.type === "text" && last?.type === "text")
      content[content.length - 1] = { type: "text", text: `${last.text}\n${block.text}` };
    else content.push(block);
  }
  const [first] = content;
  if (content.length === 1 && first?.type === "text") return headOf(first.text, maxChars);
  return withinLength(content, maxChars);
}

function withinLength(content: readonly Block[], maxChars: number): Block[] {
  let left = maxChars;
  return content.flatMap((block): Block[] => {
    if (block.type !== "text") return [block];
    const text = headOf(block.text, left);
    left -= text.length;
    // The API accepts no empty text.
    return text.trim() === "" ? [] : [{ type: "text", text }];
  });
}
