/** Token counting and the list of models. */
import { countPromptTokens } from "../billing/cache.ts";
import { checkHeaders } from "../validate/headers.ts";
import { Report } from "../validate/report.ts";
import { admitRequest } from "./admit.ts";
import { errorResponse, jsonResponse } from "./json-response.ts";
import type { Workings } from "./workings.ts";
import type { ModelRequest, ModelResponse, RequestRecord } from "./types.ts";

export function answerCount(request: ModelRequest, record: RequestRecord, workings: Workings): ModelResponse {
  const admitted = admitRequest(request, record, workings, "count_tokens");
  if ("refusal" in admitted) return admitted.refusal;
  const { body, prompt, traits } = admitted;
  const tokens = countPromptTokens(body, prompt, traits, workings.bytesPerToken);
  const json = JSON.stringify({ input_tokens: tokens });
  return jsonResponse(200, json, record, workings);
}

export function answerModels(id: string | undefined, record: RequestRecord, workings: Workings): ModelResponse {
  const report = new Report();
  checkHeaders(record.headers, workings.options, report);
  if (workings.options.validate !== "off") record.violations = report.violations;
  const refused = record.violations[0];
  if (refused !== undefined) return errorResponse(refused, record, workings);
  if (id === undefined) {
    const data = workings.table.list().map((name) => describeModel(name, workings));
    const body = { data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
    return jsonResponse(200, JSON.stringify(body), record, workings);
  }
  const name = decodeSegment(id);
  if (workings.table.find(name) === undefined && !workings.isCompatible) {
    return errorResponse({ status: 404, type: "not_found_error", message: `model: ${name}` }, record, workings);
  }
  return jsonResponse(200, JSON.stringify(describeModel(name, workings)), record, workings);
}

/** The decoded path segment, or the segment as it is if its percent-encoding is invalid. */
function decodeSegment(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return part;
    throw error;
  }
}

function describeModel(id: string, workings: Workings) {
  const traits = workings.table.find(id);
  return {
    type: "model",
    id,
    display_name: id.replace(/^claude-/, "Claude ").replaceAll("-", " "),
    created_at: "2026-01-01T00:00:00Z",
    max_input_tokens: traits?.contextWindow ?? null,
    max_tokens: traits?.maxOutput ?? null,
  };
}
