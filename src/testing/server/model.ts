/**
 * The scripted model without a socket: requests in, responses out. Every request is validated, accounted for and recorded before
 * the script chooses the reply. The HTTP server only carries bytes to and from here.
 */
import { PromptCache } from "../billing/cache.ts";
import { billOf, cacheReadShareOf, type BilledCall } from "../billing/bill.ts";
import { priceList } from "../billing/prices.ts";
import { defaultBytesPerToken } from "../billing/tokens.ts";
import { modelTable } from "../models.ts";
import { checkScript, formatProblems } from "../script/check-script.ts";
import { checkOptions } from "../script/check-options.ts";
import { ReplySelector } from "../script/select.ts";
import type { Script } from "../script/types.ts";
import { createValidationState, normaliseHeaders } from "../validate/index.ts";
import { FaultDice } from "./random-faults.ts";
import { Ids } from "./ids.ts";
import { answerMessages } from "./messages.ts";
import { answerCount, answerModels } from "./side-endpoints.ts";
import { errorResponse, jsonResponse } from "./json-response.ts";
import { BodyReader } from "../wire/body-reader.ts";
import { realSleep } from "./sleep.ts";
import type {
  ModelRequest,
  ModelResponse,
  RequestProblem,
  RequestRecord,
  ScriptedModel,
  ScriptedModelOptions,
} from "./types.ts";
import type { Workings } from "./workings.ts";

const maximumBody = 32 * 1024 * 1024;

/** Throws if the script or an option is invalid, naming each mistake, its place and what is allowed there. */
export function createScriptedModel(script: Script, options: ScriptedModelOptions = {}): ScriptedModel {
  const workings = createWorkings(script, options);
  const requests: RequestRecord[] = [];
  const startedAt = workings.now();
  return {
    requests,
    scriptProblems: workings.scriptProblems,
    async handle(request) {
      const record = newRecord(request, requests.length + 1, workings.now() - startedAt);
      requests.push(record);
      return await route(request, record, workings);
    },
    get violations() {
      return violationsOf(requests);
    },
    get bill() {
      return billOf(billedCalls(requests));
    },
    get cacheReadShare() {
      return cacheReadShareOf(billedCalls(requests));
    },
    unusedSteps: () => workings.selector.unusedSteps(),
    assertDone() {
      const problems = problemsOf(requests, workings);
      if (problems.length > 0) throw new Error(`The scripted model is not done:\n${problems.join("\n")}`);
    },
  };
}

function createWorkings(script: Script, options: ScriptedModelOptions): Workings {
  const problems = checkScript(script);
  if (problems.length > 0) throw new Error(`This is not a valid script:\n${formatProblems(problems)}`);
  const mistaken = checkOptions(options);
  if (mistaken.length > 0)
    throw new Error(`These are not valid options of a scripted model:\n${formatProblems(mistaken)}`);
  const state = createValidationState();
  for (const source of [...(script.steps ?? []), ...(script.rules ?? []).map((rule) => rule.reply), script.fallback]) {
    if (typeof source !== "object" || !Array.isArray(source.content)) continue;
    for (const part of source.content) {
      if (typeof part === "object" && "block" in part) state.knownBlockTypes.add(part.block.type);
    }
  }
  return {
    script,
    options,
    isCompatible: options.endpoint === "compatible",
    table: modelTable(script.models),
    prices: priceList(script.prices),
    cache: new PromptCache(),
    state,
    selector: new ReplySelector(script),
    dice: script.faults === undefined ? undefined : new FaultDice(script.faults),
    ids: new Ids(options.seed ?? 1),
    reader: new BodyReader(),
    bytesPerToken: options.bytesPerToken ?? defaultBytesPerToken,
    now: options.now ?? Date.now,
    sleep: options.sleep ?? realSleep,
    calls: 0,
    conversationCalls: new Map(),
    scriptProblems: [],
  };
}

function newRecord(request: ModelRequest, number: number, at: number): RequestRecord {
  const { body } = request;
  return {
    number,
    at,
    method: request.method.toUpperCase(),
    path: request.path,
    endpoint: "unknown",
    headers: normaliseHeaders(request.headers),
    body: undefined,
    bodyBytes: typeof body === "string" ? Buffer.byteLength(body) : body.length,
    conversation: "",
    violations: [],
    status: 0,
    source: "",
    fault: undefined,
    outcome: "pending",
    stopReason: undefined,
    usage: undefined,
    costUsd: undefined,
    isBilled: false,
    cache: undefined,
  };
}

/** Only the end of the path counts, so that a base URL may have a prefix. */
async function route(request: ModelRequest, record: RequestRecord, workings: Workings): Promise<ModelResponse> {
  const path = (request.path.split("?")[0] ?? "").replace(/\/+$/, "");
  const models = /\/v1\/models(?:\/([^/]+))?$/.exec(path);
  if (record.method === "POST" && path.endsWith("/v1/messages")) {
    record.endpoint = "messages";
    if (record.bodyBytes > maximumBody) return tooLargeResponse(record, workings);
    return await answerMessages(request, record, workings);
  }
  if (record.method === "POST" && path.endsWith("/v1/messages/count_tokens") && !workings.isCompatible) {
    record.endpoint = "count_tokens";
    if (record.bodyBytes > maximumBody) return tooLargeResponse(record, workings);
    return answerCount(request, record, workings);
  }
  if (record.method === "GET" && models !== null) {
    record.endpoint = "models";
    return answerModels(models[1], record, workings);
  }
  if ((record.method === "GET" || record.method === "HEAD") && (path === "" || path.endsWith("/health"))) {
    record.endpoint = "health";
    return jsonResponse(200, '{"status":"ok"}', record, workings);
  }
  return unknownPathResponse(request.path, isMisdirected(path, record), record, workings);
}

/** Some clients, for example the AI SDK, add no version to their base URL. */
function isMisdirected(path: string, { method }: RequestRecord): boolean {
  return method === "POST" && /\/messages(?:\/count_tokens)?$/.test(path) && !path.includes("/v1/messages");
}

function unknownPathResponse(
  path: string,
  misdirected: boolean,
  record: RequestRecord,
  workings: Workings,
): ModelResponse {
  const advice = misdirected
    ? "The API is at /v1/messages: if a client only appends /messages, its base URL has to end in /v1"
    : `The scripted model only serves ${servedPaths(workings)}`;
  const message = `${record.method} ${path} does not exist. ${advice}`;
  const refusal = { status: 404, type: "not_found_error", message } as const;
  if (misdirected) record.violations = [refusal];
  return errorResponse(refusal, record, workings);
}

function servedPaths({ isCompatible }: Workings): string {
  const count = isCompatible ? "" : " and /v1/messages/count_tokens";
  return `POST /v1/messages${count}, and GET /v1/models`;
}

function tooLargeResponse(record: RequestRecord, workings: Workings): ModelResponse {
  const message = "Request exceeds the maximum size";
  record.violations = [{ status: 413, type: "request_too_large", message }];
  return errorResponse({ status: 413, type: "request_too_large", message }, record, workings);
}

function* billedCalls(requests: RequestRecord[]): Generator<BilledCall> {
  for (const { isBilled, body, usage, costUsd } of requests) {
    if (isBilled && body !== undefined && usage !== undefined) yield { model: body.model, usage, usd: costUsd };
  }
}

function violationsOf(requests: RequestRecord[]): RequestProblem[] {
  return requests.flatMap(({ number, violations }) =>
    violations.map(({ status, message }) => ({ request: number, status, message })),
  );
}

/** Advice that the API's own message cannot give: a model that exists elsewhere can be added. */
function adviceFor(status: number, message: string): string {
  const model = status === 404 ? /^model: (.+)$/.exec(message)?.[1] : undefined;
  return model === undefined ? "" : `. To add the model, give the script "models": ${JSON.stringify({ [model]: {} })}`;
}

function problemsOf(requests: RequestRecord[], workings: Workings): string[] {
  const refused = violationsOf(requests).map(
    ({ request, status, message }) =>
      `- request ${request} is invalid (${status}): ${message}${adviceFor(status, message)}`,
  );
  const unscripted = workings.scriptProblems.map(({ request, message }) => `- request ${request}: ${message}`);
  const unused = workings.selector
    .unusedSteps()
    .map(
      ({ step, conversation }) =>
        `- step ${step} was not used${conversation === "" ? "" : ` (conversation ${conversation})`}`,
    );
  return [...refused, ...unscripted, ...unused];
}
