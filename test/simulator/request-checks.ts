// What must hold of every request as it leaves: it says what the records say, in full and in order, and begins as the last one did.
import { prefixBreak, problemsOf, type WireRequest as StrictRequest } from "../e2e/support/strict.ts";
import { checkThinking } from "./history-checks.ts";
import type { RequestSeen } from "./book.ts";
import type { Transcript } from "./transcripts.ts";
import { modelsOf } from "./plan.ts";
import type { Watcher } from "./watcher.ts";
import { expectedBlocks, isSameBlock, sentBlocks, type WireRequest } from "./wire-view.ts";

const continuationMessage = { role: "user", content: [{ type: "text", text: "Summarise." }] };

/** The other judge is older than summaries of the API's own: it is asked about all but them. */
function forStrictJudge(request: WireRequest): StrictRequest {
  const messages = request.messages.flatMap(({ role, content }): WireRequest["messages"] => {
    if (typeof content === "string") return [{ role, content }];
    const rest = content.filter(({ type }) => type !== "compaction");
    return rest.length === 0 ? [] : [{ role, content: rest }];
  });
  // A summary that was signed may be followed by the answer it was made in.
  if (messages[0]?.role !== "user") messages.unshift(continuationMessage);
  const isOpen = request["compaction"] !== undefined && messages.at(-1)?.role === "assistant";
  const tail = { role: "user", content: [{ type: "text", text: "Now.", cache_control: { type: "ephemeral" } }] };
  return { ...request, messages: isOpen ? [...messages, tail] : messages } as unknown as StrictRequest;
}

/** What holds of an agent's requests as well as of the session's own. */
export function checkRequestForm(seat: Watcher, seenRequest: RequestSeen, request: WireRequest): void {
  const problems = problemsOf(forStrictJudge(request), { signatures: false });
  for (const problem of problems)
    if (!seenRequest.isSummary || problem !== "no breakpoint moves with the tail") seat.addProblem("I1-I8", problem);
  if (request.max_tokens < 1) seat.addProblem("money", `max_tokens ${request.max_tokens}`);
}

export function checkRequest(seat: Watcher, seenRequest: RequestSeen, request: WireRequest): void {
  const { transcript, turn, world } = seat;
  checkRequestForm(seat, seenRequest, request);
  const isSmall = seat.key.startsWith("tool_use_summary");
  if (!isSmall && !request.system?.some(({ text }) => text.includes(seat.tag)))
    seat.addProblem("prefix", "the system prompt is not this session's");
  if (turn !== null && !turn.isOver && !seenRequest.isAside && !transcript.uuids.has(turn.promptUuid))
    seat.addProblem("law 2", "a request left before the prompt was recorded");
  if (!isSmall && !modelsOf(world.plan).includes(request.model))
    seat.addProblem("model", `the model ${request.model} was asked`);
  if (seenRequest.isAside) checkSideQuestionPrefix(seat, seenRequest, request);
  if (seenRequest.isSummary) return;
  const difference = differenceFrom(transcript, request);
  if (difference !== null) seat.addProblem("law 2", difference);
  checkThinking(seat, transcript, request, seenRequest.body);
  checkPrefixKept(seat, seenRequest, request);
  checkRetryWait(seat);
  checkChosenModel(seat, request);
}

/** A choice counts from the next step of the loop on. The first step seen after it may have been under way. */
function checkChosenModel(seat: Watcher, { model }: WireRequest): void {
  const { choice, session, turn, key, world } = seat;
  if (choice === null || choice.session !== session) return;
  choice.steps.add(`${turn?.number ?? 0} ${key}`);
  if (choice.steps.size < 2) return;
  if (model === choice.model) world.count("seen", choice.isDuringTurn ? "model chosen meanwhile" : "model chosen");
  else if (!world.plan.fallbacks.includes(model))
    seat.addProblem("model", `${choice.model} was chosen, and ${model} asked`);
}

/** Null where the request says what is recorded, all of it and nothing else. */
export function differenceFrom({ conversation }: Transcript, request: WireRequest): string | null {
  const sent = sentBlocks(request);
  const isSigned = request.messages.some(
    ({ content }) => typeof content !== "string" && content.some(({ type }) => type === "compaction"),
  );
  const expected = expectedBlocks(conversation, isSigned);
  const at = expected.findIndex((block, index) => !isSameBlock(block, sent[index]));
  if (at >= 0) return `block ${at} of the request is ${shortJson(sent[at])}, recorded is ${shortJson(expected[at])}`;
  if (sent.length === expected.length) return null;
  return `the request holds ${shortJson(sent[expected.length])}, which is not recorded`;
}

function shortJson(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

const rewrites = new Set([
  "compact_boundary",
  "thinking_stripped",
  "tombstone",
  "results_cleared",
  "collapse_commit",
  "snip_boundary",
]);

type Fields = Readonly<Record<string, unknown>>;

function effortOf(request: object): unknown {
  return ((request as Fields)["output_config"] as Fields | undefined)?.["effort"];
}

function thinks(request: object): boolean {
  const thinking = (request as Fields)["thinking"] as Fields | undefined;
  return thinking !== undefined && thinking["type"] !== "disabled";
}

/** `max_tokens` below which a budget of thinking does not fit: it is 1,024 at least, and the answer keeps a quarter. */
const minThinkingMaxTokens = 1_365;

/** What was thought before is not sent, or ignored, where the model is asked not to think. */
function withoutIgnoredThinking(request: StrictRequest, isThinking = thinks(request)): StrictRequest {
  if (isThinking) return request;
  const isRead = (block: Fields): boolean => !["thinking", "redacted_thinking"].includes(String(block["type"]));
  const messages = request.messages.map(({ role, content }) => ({
    role,
    content: typeof content === "string" ? content : content.filter(isRead),
  }));
  return { ...request, messages };
}

/** Unless a layer rewrote history or stripped thinking, and said so, or the model changed. */
function checkPrefixKept(seat: Watcher, seenRequest: RequestSeen, request: WireRequest): void {
  const last = seat.world.book.requests.findLast((other) => other.session === seat.session && !other.isSummary);
  if (last === undefined || last.model !== seenRequest.model) return;
  if (
    last.process !== seenRequest.process &&
    (seat.world.plan.durability === "process" || seat.transcript.broken.length > 0)
  )
    return;
  const between = seat.transcript.lines.slice(last.lines);
  if (between.some(({ type }) => rewrites.has(type))) return;
  const before = JSON.parse(last.body) as StrictRequest;
  // A paused answer went out as it was; without its end it need not stay.
  if (before.messages.at(-1)?.role === "assistant") return;
  // Another effort was chosen, with which the model can be asked not to think.
  if (effortOf(before) !== effortOf(request) && thinks(before) && !thinks(request)) return;
  // Where one of both is without thinking, the cache of the conversation is lost anyway.
  const isAlike = thinks(before) === thinks(request);
  const problem = prefixBreak(
    withoutIgnoredThinking(before, isAlike),
    withoutIgnoredThinking(request as unknown as StrictRequest, isAlike),
  );
  if (problem !== null) seat.addProblem("I5", problem);
}

/** A question beside the work finds the cache that the work has filled: it begins with the last request there was when it was asked. */
function checkSideQuestionPrefix(seat: Watcher, seenRequest: RequestSeen, request: WireRequest): void {
  const asked = [...seat.sideQuestions].find(([question]) => seenRequest.body.includes(question))?.[1];
  // Its later requests have what came of the first: thinking that was refused, a model that was left.
  if (asked === undefined || asked.isBegun) return;
  asked.isBegun = true;
  if (asked.last === undefined || asked.last.model !== seenRequest.model || asked.last.session !== seenRequest.session)
    return;
  const between = seat.transcript.lines.slice(asked.last.lines, asked.lines);
  if (between.some(({ type }) => rewrites.has(type))) return;
  const before = JSON.parse(asked.last.body) as StrictRequest;
  if (before.messages.at(-1)?.role === "assistant") return;
  const isThinking = thinks(before) && (thinks(request) || request.max_tokens >= minThinkingMaxTokens);
  const problem = prefixBreak(
    withoutIgnoredThinking(before, isThinking),
    withoutIgnoredThinking(request as unknown as StrictRequest),
  );
  if (problem !== null) seat.addProblem("I5", `a question beside the work: ${problem}`);
}

/** Not before the server, or the wait that was announced, allows it. */
function checkRetryWait(seat: Watcher): void {
  const { turn } = seat;
  const at =
    turn?.messages.findLastIndex((message) => message.type === "system" && message.subtype === "api_retry") ?? -1;
  const retry = turn?.messages[at];
  if (turn === null || retry?.type !== "system" || retry.subtype !== "api_retry") return;
  const shown = turn.at[at]!;
  const last = seat.requests.findLast(({ isSummary }) => !isSummary);
  if (last === undefined || last.at > shown) return;
  // The wait begins once the reader has taken the announcement.
  if (seat.world.scheduler.elapsed < last.at + retry.retry_delay_ms)
    seat.addProblem(
      "§12",
      `a retry after ${seat.world.scheduler.elapsed - last.at} ms, announced were ${retry.retry_delay_ms}`,
    );
}
