/** The fields that a user adds to the body of every request, as far as a request may have them. */
import { isRecord } from "../../lib/is-record.ts";
import type { ModelRequest } from "../../protocol/model.ts";

export type ExtraBody = Readonly<Record<string, unknown>>;

/** The API refuses these in a request for a summary. */
const notInSummaryRequests: ReadonlySet<string> = new Set(["stop_sequences", "context_management"]);

/** Without the fields that the API refuses in such a request: small questions have no tools, and a compaction asks for a summary. */
export function extraFieldsFor(extraBody: ExtraBody, request: Pick<ModelRequest, "tools" | "compaction">): ExtraBody {
  const isRefused = (name: string, value: unknown): boolean => {
    if (name === "tool_choice" && request.tools.length === 0) return true;
    if (request.compaction === undefined) return false;
    return notInSummaryRequests.has(name) || (name === "tool_choice" && forcesCall(value));
  };
  const entries = Object.entries(extraBody);
  const kept = entries.filter(([name, value]) => !isRefused(name, value));
  return kept.length === entries.length ? extraBody : Object.fromEntries(kept);
}

function forcesCall(choice: unknown): boolean {
  return isRecord(choice) && (choice["type"] === "any" || choice["type"] === "tool");
}
