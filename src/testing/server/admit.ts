/** Reads and validates a request: the result is either a well-formed request or a finished refusal. */
import { permissiveTraits, type ModelTraits } from "../models.ts";
import { examineRequest } from "../validate/index.ts";
import type { Violation } from "../validate/report.ts";
import type { Transformation } from "../validate/thinking.ts";
import { conversationKey, type Prompt } from "../wire/prompt.ts";
import type { WireRequest } from "../wire/types.ts";
import { errorResponse } from "./json-response.ts";
import type { Workings } from "./workings.ts";
import type { ModelRequest, ModelResponse, RequestRecord } from "./types.ts";

export interface AdmittedRequest {
  body: WireRequest;
  prompt: Prompt;
  traits: ModelTraits;
  transformations: Transformation[];
}

export function admitRequest(
  request: ModelRequest,
  record: RequestRecord,
  workings: Workings,
  operation: "messages" | "count_tokens",
): AdmittedRequest | { refusal: ModelResponse } {
  let body: unknown;
  try {
    body = workings.reader.read(request.body);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const message = `The request body is not valid JSON: ${error.message}`;
    record.violations = [{ status: 400, type: "invalid_request_error", message }];
    return { refusal: errorResponse({ status: 400, type: "invalid_request_error", message }, record, workings) };
  }
  record.body = body as WireRequest;
  const { validate = "full", ...options } = workings.options;
  const result = examineRequest(body, record.headers, workings.state, {
    ...options,
    models: workings.table,
    operation,
    depth: validate === "light" ? "light" : "full",
  });
  const isReadable = result.prompt !== undefined || result.continuesThread === true;
  if (validate !== "off" || !isReadable) record.violations = result.violations;
  const first = record.violations[0];
  if (first === undefined && result.continuesThread) {
    return { refusal: errorResponse(expiredThread, record, workings) };
  }
  if (first !== undefined || result.prompt === undefined) {
    const { status, type, message, code } = first ?? unreadableBody;
    const details = code === undefined ? {} : { details: { error_code: code } };
    return { refusal: errorResponse({ status, type, message, ...details }, record, workings) };
  }
  record.conversation = conversationOf(record, result.prompt, workings);
  return {
    body: record.body,
    prompt: result.prompt,
    traits: result.traits ?? permissiveTraits,
    transformations: result.transformations,
  };
}

const unreadableBody: Violation = {
  status: 400,
  type: "invalid_request_error",
  message: "The request body could not be read.",
};

/** The scripted model stores no threads. Each counts as expired, so the client sends the whole conversation again. */
const expiredThread = {
  status: 404,
  type: "not_found_error",
  message: "The thread was not found: it may have expired. Send the whole conversation to create another one.",
  details: { error_code: "thread_not_found" },
};

function conversationOf(record: RequestRecord, prompt: Prompt, workings: Workings): string {
  const { perConversation } = workings.script;
  if (typeof perConversation === "object") return record.headers[perConversation.header.toLowerCase()] ?? "";
  return conversationKey(prompt);
}
