/** The line that stands for a result: what was there, how large it was, how to have it again. */
import type { TextBlock, ToolResultContent } from "../protocol/index.ts";
import { oneLine } from "../lib/sanitize.ts";

/** What a call is called, for people, and whether making it again changes nothing. */
export interface Rerun {
  what: string;
  isReadOnly: boolean;
}

const longestWhat = 160;

export function clearedMarker(name: string, { what, isReadOnly }: Rerun, content: ToolResultContent): string {
  const again = `Call ${name} again with the same input if you still need it${isReadOnly ? "" : " and that does no harm"}.`;
  const size = sizeOf(content);
  return `[Old result left out to save room: ${oneLine(what, longestWhat)} gave ${size}. ${placeOf(content) ?? again}]`;
}

function sizeOf(content: ToolResultContent): string {
  if (typeof content === "string") return characters(content.length);
  const text = textsOf(content).reduce((sum, block) => sum + block.text.length, 0);
  const media = content.flatMap((block) => {
    if (block.type === "text") return [];
    const kind = block.type === "image" ? "an image" : "a document";
    const { source } = block;
    if (source.type !== "base64") return [kind];
    return [`${kind} (${source.media_type}, ${Math.ceil((source.data.length * 3) / 4 / 1024)} KB)`];
  });
  return [...media, ...(text > 0 || media.length === 0 ? [characters(text)] : [])].join(" and ");
}

function characters(count: number): string {
  return `${count.toLocaleString("en-US")} characters`;
}

function textsOf(content: Exclude<ToolResultContent, string>): TextBlock[] {
  return content.filter((block) => block.type === "text");
}

/** As layer 0 and long commands say it. */
const places = [
  /^\[This result of [^\n]{1,200}? All of it is in (\/[^\n]{1,400}?): read the part you need/u,
  /\[… [^\n]{1,40} left out here; all of it is in (\/[^\n]{1,400}?) …\]/u,
];

/** What was too large when it came lies in a file that its preview names. */
function placeOf(content: ToolResultContent): string | undefined {
  const text = typeof content === "string" ? content : (textsOf(content)[0]?.text ?? "");
  for (const place of places) {
    const path = place.exec(text)?.[1];
    if (path !== undefined) return `All of it is in ${path}.`;
  }
  return undefined;
}
