/** The answer to a request with `compaction`: only the compaction block, or no block and the reason why there is no summary. */
import type { Part, Reply } from "../script/types.ts";
import { partsOf, resolveText } from "../script/selectors.ts";
import type { RequestView } from "../script/request-view.ts";
import type { OutgoingBlock } from "./compose.ts";

/** Turns the scripted text into a summary. Scripted thinking is left out, as the API does. */
export function toSummaryReply(reply: Reply, request: RequestView): Reply {
  const parts = partsOf(reply);
  if (parts.some((part) => typeof part === "object" && ("compaction" in part || isToolPart(part)))) {
    return { ...reply, content: parts.filter((part) => typeof part === "object" && !("thinking" in part)) };
  }
  const text = parts.map((part) => textOfPart(part, request)).join("");
  return { ...reply, content: text === "" ? [] : [{ compaction: text }] };
}

function isToolPart(part: object): boolean {
  return "tool" in part || "name" in part;
}

function textOfPart(part: Part, request: RequestView): string {
  if (typeof part === "string") return part;
  return "text" in part ? resolveText(part.text, request) : "";
}

/** A summary comes whole or not at all. */
export function onlySummary(
  blocks: OutgoingBlock[],
  cut: string | undefined,
): { blocks: OutgoingBlock[]; stopReason: string } {
  if (blocks.some((block) => block.start.type === "tool_use")) return { blocks: [], stopReason: "tool_use" };
  if (cut !== undefined) return { blocks: [], stopReason: cut };
  const summaries = blocks.filter((block) => block.start.type === "compaction");
  return { blocks: summaries.map(toWholeBlock), stopReason: summaries.length > 0 ? "compaction" : "end_turn" };
}

/** In on-demand compaction the whole block comes with its start, and no delta follows. */
function toWholeBlock({ start, payload, billedBytes }: OutgoingBlock): OutgoingBlock {
  return { start: { ...start, content: payload }, payload: "", billedBytes };
}
