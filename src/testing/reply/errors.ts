/** Error responses: the status, the API's body, and the headers that clients act on. */
import { httpFaults, type Fault, type HttpFaultKind } from "../script/faults.ts";
import type { ErrorBody, JsonObject } from "../wire/types.ts";

export interface ErrorReply {
  status: number;
  type: string;
  message: string;
  details?: JsonObject;
  headers?: Record<string, string>;
}

export function errorBody(error: ErrorReply, requestId: string): string {
  const body: ErrorBody = {
    type: "error",
    error: { type: error.type, message: error.message },
    request_id: requestId,
  };
  if (error.details !== undefined) body.error.details = error.details;
  return JSON.stringify(body);
}

export function promptTooLongError(tokens: number, maximum: number): ErrorReply {
  return {
    status: 400,
    type: "invalid_request_error",
    message: `prompt is too long: ${tokens} tokens > ${maximum} maximum`,
  };
}

/** The error for an `error` event's type, with the status that belongs to the type. */
export function errorForEvent({
  type = "overloaded_error",
  message = "Overloaded",
}: {
  type?: string;
  message?: string;
}): ErrorReply {
  const known = Object.values(httpFaults).find((fault) => fault.type === type);
  return { status: known?.status ?? 500, type, message };
}

type HttpFault = Extract<Fault, { kind: HttpFaultKind }>;

/** @param promptTokens used in the text of a `prompt_too_long` fault that has no figures of its own. */
export function httpError(fault: HttpFault, promptTokens: number, window: number): ErrorReply {
  const base = httpFaults[fault.kind];
  const headers: Record<string, string> = { ...fault.headers };
  const retryAfter = fault.retryAfter ?? (fault.kind === "rate_limit" ? 1 : undefined);
  if (retryAfter !== undefined) headers["retry-after"] ??= String(retryAfter);
  const error: ErrorReply = {
    status: fault.status ?? base.status,
    type: fault.type ?? base.type,
    message: fault.message ?? base.message,
    headers,
  };
  if (fault.details !== undefined) error.details = fault.details;
  else if (fault.kind === "spend_limit") error.details = { error_code: "enforced_spend_limit_reached" };
  else if (fault.kind === "compaction_unavailable") error.details = { error_code: "compaction_unavailable" };
  if (fault.kind === "prompt_too_long" && fault.message === undefined) {
    const maximum = fault.maximum ?? window;
    error.message = promptTooLongError(fault.tokens ?? Math.max(promptTokens, maximum + 1), maximum).message;
  }
  return error;
}
