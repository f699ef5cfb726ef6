/** Responses in one piece: JSON and errors, with the headers that every response has. */
import { errorBody, type ErrorReply } from "../reply/errors.ts";
import type { Workings } from "./workings.ts";
import type { ModelResponse, RequestRecord } from "./types.ts";

export function commonHeaders(workings: Workings): Record<string, string> {
  const headers: Record<string, string> = { "request-id": workings.ids.next("req") };
  if (workings.isCompatible) return headers;
  headers["anthropic-organization-id"] = "00000000-0000-4000-8000-000000000000";
  headers["anthropic-ratelimit-requests-limit"] = "4000";
  headers["anthropic-ratelimit-requests-remaining"] = "3999";
  headers["anthropic-ratelimit-requests-reset"] = new Date(workings.now() + 60_000).toISOString();
  return headers;
}

export function jsonResponse(
  status: number,
  json: string,
  record: RequestRecord,
  workings: Workings,
  extra: Record<string, string> = {},
): ModelResponse {
  record.status = status;
  if (record.outcome === "pending") record.outcome = status < 400 ? "complete" : "error";
  workings.options.onRecord?.(record);
  return {
    status,
    headers: { "content-type": "application/json", ...commonHeaders(workings), ...extra },
    body: singleChunk(record.method === "HEAD" ? "" : json),
  };
}

export function errorResponse(error: ErrorReply, record: RequestRecord, workings: Workings): ModelResponse {
  const requestId = workings.ids.next("req");
  if (record.violations.length > 0) record.outcome = "refused";
  const isTransient = error.status >= 500 || [408, 409, 429].includes(error.status);
  // A reached spend limit is a 429 that no waiting cures.
  const isFinal = error.status === 429 && error.details?.["error_code"] !== undefined;
  const retry = { "x-should-retry": String(isTransient && !isFinal) };
  const extra = { ...retry, ...error.headers, "request-id": requestId };
  return jsonResponse(error.status, errorBody(error, requestId), record, workings, extra);
}

/** A body of one chunk, or of none if the text is empty. */
async function* singleChunk(text: string): AsyncGenerator<Uint8Array, void, undefined> {
  if (text !== "") yield Buffer.from(text);
}
