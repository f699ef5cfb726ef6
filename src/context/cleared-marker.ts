/** The line that replaces a result: what was there, how large it was, and how to get it again. */
import type { TextBlock, ToolResultContent } from "../protocol/index.ts";
import { oneLine } from "../lib/sanitize.ts";

/** A call's description for people, and whether repeating it changes nothing. */
export interface Rerun {
  what: string;
  isReadOnly: boolean;
}

const maxDescriptionLength = 160;

export function clearedMarker(name: string, { what, isReadOnly }: Rerun, content: ToolResultContent): string {
  const again = `Call ${name} again with the same input if you still need it${isReadOnly ? "" : " and that does no harm"}.`;
  const size = resultSize(content);
  return `[Old result left out to save room: ${oneLine(what, maxDescriptionLength)} gave ${size}. ${savedFileNote(content) ?? again}]`;
}

function resultSize(content: ToolResultContent): string {
  if (typeof content === "string") return characterCount(content.length);
  const text = textsOf(content).reduce((sum, block) => sum + block.text.length, 0);
  const media = content.flatMap((block) => {
    if (block.type === "text") return [];
    const kind = block.type === "image" ? "an image" : "a document";
    const { source } = block;
    if (source.type !== "base64") return [kind];
    return [`${kind} (${source.media_type}, ${Math.ceil((source.data.length * 3) / 4 / 1024)} KB)`];
  });
  return [...media, ...(text > 0 || media.length === 0 ? [characterCount(text)] : [])].join(" and ");
}

function characterCount(count: number): string {
  return `${count.toLocaleString("en-US")} characters`;
}

function textsOf(content: Exclude<ToolResultContent, string>): TextBlock[] {
  return content.filter((block) => block.type === "text");
}

/** The notes written by layer 0 and by long commands. */
const savedFilePatterns = [
  /^\[This result of [^\n]{1,200}? All of it is in (\/[^\n]{1,400}?): read the part you need/u,
  /\[… [^\n]{1,40} left out here; all of it is in (\/[^\n]{1,400}?) …\]/u,
];

/** A result that was too large when it arrived is in a file that its preview names. */
function savedFileNote(content: ToolResultContent): string | undefined {
  const text = typeof content === "string" ? content : (textsOf(content)[0]?.text ?? "");
  for (const pattern of savedFilePatterns) {
    const path = pattern.exec(text)?.[1];
    if (path !== undefined) return `All of it is in ${path}.`;
  }
  return undefined;
}
