/** What the protocol's latest version refuses and earlier versions accept. */
import { asText, blocksOf, isObject, type WireMessage } from "../wire/types.ts";
import type { CheckContext } from "./report.ts";

/** Sampling parameters are no longer part of the schema, not even at a model's own values. */
export function checkRemovedFields(body: Record<string, unknown>, { report }: CheckContext): void {
  for (const field of ["temperature", "top_p", "top_k"]) {
    if (body[field] !== undefined) report.add(field, "Extra inputs are not permitted");
  }
}

/** Only the model gives citations: a user's text must not contain any, nor may the text of a search result. */
export function checkUserCitations(messages: WireMessage[], { report }: CheckContext): void {
  messages.forEach((message, index) => {
    if (message.role !== "user") return;
    findCitations(blocksOf(message.content), `messages.${index}.content`, true, (path) => {
      report.add(path, "`text` blocks in `user` messages cannot have citations");
    });
  });
}

/** The text of a tool result may have citations; only the text of search results inside it may not. */
function findCitations(
  blocks: unknown[],
  path: string,
  includesTexts: boolean,
  onCitation: (path: string) => void,
): void {
  blocks.forEach((block, index) => {
    if (!isObject(block)) return;
    const type = asText(block["type"]);
    const at = `${path}.${index}.${type}`;
    const { citations, content } = block;
    if (type === "text" && includesTexts && Array.isArray(citations) && citations.length > 0)
      onCitation(`${at}.citations`);
    if ((type === "search_result" || type === "tool_result") && Array.isArray(content)) {
      findCitations(content, `${at}.content`, type === "search_result", onCitation);
    }
  });
}
