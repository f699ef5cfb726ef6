/** `POST /v1/messages`: from an admitted request to a response on its way. */
import { formatCount } from "../../lib/format-figures.ts";
import { errorText } from "../../lib/error-text.ts";
import { ConnectionReset, deliver, waitForever, type Delivery } from "../reply/deliver.ts";
import { errorForEvent, httpError, promptTooLongError, type ErrorReply } from "../reply/errors.ts";
import { toFault, isHttpFault, type Fault } from "../script/faults.ts";
import { RequestView } from "../script/request-view.ts";
import type { Selection } from "../script/select.ts";
import { digestKey } from "../wire/digest.ts";
import { blockFacts } from "../wire/facts.ts";
import { advancePrefix, promptDigest } from "../wire/prompt.ts";
import { finishedBlock } from "../reply/compose.ts";
import { admitRequest, type AdmittedRequest } from "./admit.ts";
import { priceOfCall } from "./accounting.ts";
import { planResponse, type PlannedResponse } from "./plan-response.ts";
import { commonHeaders, errorResponse } from "./json-response.ts";
import { createAbandonableBody } from "./abandonable-body.ts";
import { isThinking } from "../validate/thinking.ts";
import type { PendingWrites } from "../billing/cache.ts";
import type { Workings } from "./workings.ts";
import type { ModelRequest, ModelResponse, RequestRecord } from "./types.ts";

/** One request while it is processed. */
interface Call {
  request: ModelRequest;
  record: RequestRecord;
  workings: Workings;
  admitted: AdmittedRequest;
  view: RequestView;
  window: number;
  pending: PendingWrites;
}

export async function answerMessages(
  request: ModelRequest,
  record: RequestRecord,
  workings: Workings,
): Promise<ModelResponse> {
  const admitted = admitRequest(request, record, workings, "messages");
  if ("refusal" in admitted) return admitted.refusal;
  const { body, traits } = admitted;
  const accounted = accountFor(admitted, workings);
  record.cache = accounted.figures;
  const window = workings.script.window ?? traits.contextWindow;
  const { promptTokens } = accounted.figures;
  if (promptTokens > window) return errorResponse(promptTooLongError(promptTokens, window), record, workings);
  const conversationCall = (workings.conversationCalls.get(record.conversation) ?? 0) + 1;
  workings.conversationCalls.set(record.conversation, conversationCall);
  workings.calls++;
  const view = new RequestView(body, record.headers, workings.calls, conversationCall);
  const call: Call = { request, record, workings, admitted, view, window, pending: accounted.pending };
  return await answerWithScript(call, conversationCall);
}

/** A compatible endpoint has no visible cache. */
function accountFor({ body, prompt, traits }: AdmittedRequest, workings: Workings) {
  const accounted = workings.cache.account(body, prompt, traits, workings.bytesPerToken, workings.now());
  if (!workings.isCompatible) return accounted;
  const figures = { ...accounted.figures, readTokens: 0, write5mTokens: 0, write1hTokens: 0, readShare: 0 };
  return { figures, pending: { ...accounted.pending, entries: [], read: undefined } };
}

async function answerWithScript(call: Call, conversationCall: number): Promise<ModelResponse> {
  const { record, workings, view } = call;
  let selection: Selection | undefined;
  try {
    const isShared = (workings.script.perConversation ?? false) === false;
    selection = workings.selector.select(view, isShared ? "" : record.conversation);
    if (selection === undefined) {
      return scriptProblem(call, `The script has no reply for this request (${describeRequest(view)}).`);
    }
    return await answerWithReply(call, selection, conversationCall);
  } catch (error) {
    // An error thrown by the script's own functions is the script's fault, and must not look like the model's.
    if (error instanceof ConnectionReset || call.request.signal?.aborted === true) throw error;
    const reason = errorText(error);
    const source = selection === undefined ? "" : `${selection.source}: `;
    return scriptProblem(call, `The reply could not be made: ${source}${reason}`);
  }
}

async function answerWithReply(call: Call, selection: Selection, conversationCall: number): Promise<ModelResponse> {
  const { record, workings, request } = call;
  record.source = selection.source;
  const { reply } = selection;
  const drawnFault = reply.fault === undefined ? workings.dice?.draw(record.conversation, conversationCall) : undefined;
  const fault = drawnFault === undefined ? chosenFault(reply.fault) : randomFault(drawnFault);
  record.fault = fault?.kind;
  const isRandom = drawnFault !== undefined;
  const refused = fault === undefined ? undefined : errorForFault(fault, call);
  if (refused !== undefined) {
    if (isRandom) selection.giveBack();
    return errorResponse(refused, record, workings);
  }
  // An error event has headers before it, wherever it comes.
  if (fault !== undefined && "at" in fault && fault.at === "headers" && fault.kind !== "error_event") {
    if (isRandom) selection.giveBack();
    return await breakBeforeHeaders(call, fault, request.signal);
  }
  const planned = planResponse({
    reply,
    fault,
    request: call.view,
    prompt: call.admitted.prompt,
    traits: call.admitted.traits,
    figures: record.cache as NonNullable<RequestRecord["cache"]>,
    window: call.window,
    bytesPerToken: workings.bytesPerToken,
    isCompatible: workings.isCompatible,
    defaultPace: workings.script.pace ?? {},
    transformations: call.admitted.transformations,
    id: workings.ids.next("msg"),
    nextId: workings.ids.inConversation(digestKey(promptDigest(call.admitted.prompt))),
  });
  return startResponse(call, planned, fault, isRandom ? selection : undefined);
}

function chosenFault(fault: Fault | Fault["kind"] | undefined): Fault | undefined {
  return fault === undefined ? undefined : toFault(fault);
}

/** An answer that is not a stream has no events: an `error_event` fault becomes its status instead. */
function errorForFault(fault: Fault, { record, window, view }: Call): ErrorReply | undefined {
  if (isHttpFault(fault.kind)) return httpError(fault as never, record.cache?.promptTokens ?? 0, window);
  return fault.kind === "error_event" && view.body.stream !== true ? errorForEvent(fault) : undefined;
}

/** A random break comes before the headers one time in eight, otherwise anywhere in the stream. */
function randomFault({ kind, share }: { kind: Fault["kind"]; share: number }): Fault {
  if (kind === "reset" || kind === "stall") return { kind, at: share < 0.125 ? "headers" : { share } };
  if (kind === "truncate" || kind === "error_event") return { kind, at: { share } };
  return toFault(kind);
}

async function breakBeforeHeaders(call: Call, fault: Fault, signal: AbortSignal | undefined): Promise<ModelResponse> {
  call.record.outcome = "cut";
  call.workings.options.onRecord?.(call.record);
  if (fault.kind === "stall") return await waitForever(signal);
  throw new ConnectionReset();
}

/** Begins the response: from here on it is billed, and its cache writes can be read. */
function startResponse(
  call: Call,
  planned: PlannedResponse,
  fault: Fault | undefined,
  random: Selection | undefined,
): ModelResponse {
  const { record, workings, view } = call;
  workings.cache.commit(call.pending);
  record.status = 200;
  record.stopReason = planned.stopReason;
  record.isBilled = !planned.isFree;
  storeForValidation(call, planned);
  const isStream = view.body.stream === true;
  const settle = (outputBytes: number | undefined) => charge(call, planned, outputBytes);
  settle(isStream ? 0 : undefined);
  const headers = { ...commonHeaders(workings), ...contentHeaders(isStream), ...planned.headers };
  let outputBytes = 0;
  let hasFinalUsage = false;
  let completedTool = false;
  const delivery: Omit<Delivery, "signal"> = {
    events: isStream ? planned.events : bodyAsEvents(planned.body),
    pace: planned.pace,
    fault: isStream || fault?.kind !== "garbage" ? fault : undefined,
    sleep: workings.sleep,
    onProgress(event) {
      outputBytes = event.outputBytes;
      // This event carries the final figures. They are billed even if the client hangs up before the end.
      if (event.kind === "message_delta") hasFinalUsage = true;
      if (event.completesTool === true) completedTool = true;
    },
    onEnd(how) {
      record.outcome = how;
      settle(how === "cut" && isStream && !hasFinalUsage ? outputBytes : undefined);
      if (how === "cut" && random !== undefined && !completedTool) random.giveBack();
      workings.options.onRecord?.(record);
    },
  };
  return {
    status: 200,
    headers,
    body: createAbandonableBody(
      (signal) => deliver({ ...delivery, signal }),
      call.request.signal,
      () => delivery.onEnd("cut"),
    ),
  };
}

function contentHeaders(isStream: boolean): Record<string, string> {
  return isStream
    ? { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" }
    : { "content-type": "application/json" };
}

/** Splits the body into two halves, so that a break can come in the middle. */
function bodyAsEvents(json: string): Delivery["events"] {
  const half = json.length >> 1;
  const middle = /[\ud800-\udbff]/.test(json.charAt(half - 1)) ? half - 1 : half;
  return [
    { text: json.slice(0, middle), kind: "delta", outputBytes: 0 },
    { text: json.slice(middle), kind: "other", outputBytes: 0 },
  ];
}

function charge(call: Call, planned: PlannedResponse, outputBytes: number | undefined): void {
  const { record, workings, admitted } = call;
  const usage = outputBytes === undefined ? planned.meter.finalUsage : planned.meter.usageAfter(outputBytes);
  record.usage = usage;
  const isFast = admitted.body["speed"] === "fast" && admitted.traits.fastMode === "yes";
  record.costUsd = record.isBilled ? priceOfCall(workings.prices, admitted.body, usage, isFast) : undefined;
}

/** Stores what later requests are checked against. */
function storeForValidation(call: Call, planned: PlannedResponse): void {
  const { state } = call.workings;
  let prefix = promptDigest(call.admitted.prompt);
  let count = 0;
  for (const block of planned.blocks) {
    prefix = advancePrefix(prefix, "assistant", blockFacts(finishedBlock(block)));
    if (isThinking(block.start)) count++;
    if (block.start.type === "tool_use")
      state.thinkingBefore.set(String(block.start["id"]), { response: planned.id, count });
  }
  if (planned.stopReason !== "pause_turn") return;
  state.pausedPrefixes.add(digestKey(prefix));
  state.pausedPrefixes.add(prefixWithoutBlanks(call, planned));
}

/** The prefix without blank text blocks and without trailing white space, which cannot be sent back. */
function prefixWithoutBlanks({ admitted }: Call, planned: PlannedResponse): string {
  const blocks = planned.blocks.map(finishedBlock).filter(({ type, text }) => type !== "text" || !isBlank(text));
  const last = blocks.at(-1);
  if (typeof last?.["text"] === "string") blocks[blocks.length - 1] = { ...last, text: last["text"].trimEnd() };
  let prefix = promptDigest(admitted.prompt);
  for (const block of blocks) prefix = advancePrefix(prefix, "assistant", blockFacts(block));
  return digestKey(prefix);
}

const isBlank = (text: unknown): boolean => typeof text === "string" && text.trim() === "";

function scriptProblem(call: Call, text: string): ModelResponse {
  const { record, workings } = call;
  workings.scriptProblems.push({ request: record.number, status: 400, message: text });
  return errorResponse(
    { status: 400, type: "invalid_request_error", message: `Scripted model: ${text}` },
    record,
    workings,
  );
}

function describeRequest(view: RequestView): string {
  const text = view.lastUserText.replaceAll(/\s+/g, " ");
  // The text that an agent puts before its user's words is long, and the same in every request.
  const shown = text.length > 100 ? `${text.slice(0, 40)} … ${text.slice(-60)}` : text;
  const results = view.lastToolResults.map(({ tool }) => tool).join(", ");
  return `call ${view.call}, ${formatCount(view.messages.length, "message")}, last user text "${shown}"${results === "" ? "" : `, results of ${results}`}`;
}
