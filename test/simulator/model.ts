// The model's side: the scripted model in this process, with a reply drawn for every request, and a network that is slow or down.
import type { HttpAnswer, HttpExchange } from "../../src/session/options/options.ts";
import {
  createScriptedModel,
  type Fault,
  type Part,
  type Reply,
  type RequestView,
  type Script,
} from "../../src/testing/index.ts";
import type { RequestSeen } from "./book.ts";
import { drawAgentCall, nextCallNumber } from "./agent-checks.ts";
import { checkBudgetCovers } from "./money-checks.ts";
import { modelsOf, primaryModel, spareModel, windowOf } from "./plan.ts";
import { pricesOf } from "./prices.ts";
import type { Seat } from "./seat.ts";
import { cutSummary } from "./history-checks.ts";
import { toolNames } from "./tools.ts";
import { neverResolves, type Process, type World } from "./world.ts";

export function createServer(world: World) {
  const { plan, scheduler } = world;
  const rates = pricesOf(plan);
  const script: Script = {
    fallback: (request) => drawReply(world, request),
    models: Object.fromEntries(modelsOf(plan).map((model) => [model, modelTraits(world, model)])),
    prices: { [primaryModel]: rates, [spareModel]: rates },
  };
  return createScriptedModel(script, {
    now: () => scheduler.now,
    seed: 7,
    async sleep(milliseconds, signal) {
      await scheduler.pause(milliseconds, "bytes", world.process, signal);
      if (signal?.aborted === true) throw signal.reason;
    },
  });
}

function modelTraits({ plan }: World, model: string) {
  const window = windowOf(plan, model);
  return {
    ...(model === primaryModel || model === spareModel ? { preservedThinking: true } : {}),
    ...(window === null ? {} : { contextWindow: window }),
  };
}

const networkCodes = ["ECONNREFUSED", "ENOTFOUND", "ECONNRESET", "ETIMEDOUT"];

/** A network that is gone stays so for a while. */
function networkFault(world: World): string | undefined {
  const { choices, plan } = world;
  return world.drawInStreaks(
    "network",
    () => (choices.chance(plan.moods.fault / 8) ? choices.pick(networkCodes) : undefined),
    60,
  );
}

/** The engine's way to the server, through a network that takes its time. */
export function createTransport(
  world: World,
  process: Process,
  seat: Seat,
): (exchange: HttpExchange) => Promise<HttpAnswer> {
  return async (exchange) => {
    if (process.isDead) return neverResolves();
    const { signal } = exchange;
    const isAnswer = exchange.path.endsWith("/messages");
    const seen = isAnswer ? seat.requestLeaves(exchange) : null;
    await world.scheduler.pause(world.latency() % 60_000, "request travels", process, signal);
    if (process.isDead) return neverResolves();
    if (signal?.aborted === true) throw signal.reason;
    const code = isAnswer ? networkFault(world) : undefined;
    if (code !== undefined) {
      world.count("fault", code);
      if (seen !== null) seen.lost = { code, isKnown: seat.isAnswered };
      throw Object.assign(new Error(`connect ${code}`), { code });
    }
    const before = world.server!.requests.length;
    world.currentRequest = seen;
    const handled = world.server!.handle(withSearchTool(world, exchange));
    const record = world.server!.requests[before]!;
    if (seen !== null) {
      seen.record = record;
      checkBudgetCovers(seat, seen);
    }
    const answer = await handled;
    seat.isAnswered = true;
    // Some refusals are repaired, and would not be seen.
    for (const { message } of record.violations) seat.addProblem("I1-I8", `the server refused the request: ${message}`);
    return seen === null || world.plan.maxBudgetUsd === undefined ? answer : watchPrice(answer, seen);
  };
}

/**
 * A proxy between them offers the model a search of its own, for which an answer pauses: pawl has none to offer. Where money is
 * counted it would be paid for without having been sent.
 */
function withSearchTool({ plan }: World, exchange: HttpExchange): HttpExchange {
  if (plan.maxBudgetUsd !== undefined) return exchange;
  const body = Buffer.from(exchange.body).toString();
  const search = `{"type":"web_search_20250305","name":"web_search"}`;
  return { ...exchange, body: body.replace(/"tools":\[(?=\{)/u, () => `"tools":[${search},`) };
}

function watchPrice(answer: HttpAnswer, seenRequest: RequestSeen): HttpAnswer {
  async function* body(): AsyncGenerator<Uint8Array> {
    for await (const bytes of answer.body) {
      seenRequest.isPriced ||= Buffer.from(bytes).includes("event: message_delta");
      yield bytes;
    }
  }
  return { ...answer, body: body() };
}

function randomWords(world: World, count: number): string {
  return `${++world.book.callCount} é ${"word ".repeat(count)}`;
}

function drawReply(world: World, request: RequestView): Reply {
  const { choices, plan } = world;
  const pace = {
    deltaCharacters: 400,
    delayMs: choices.pick([0, 0, 1, 40]),
    blockDelayMs: choices.pick([1, 0, 30, 300, 5_000]),
    firstByteMs: choices.pick([0, 0, 20, 900]),
  };
  const { currentRequest } = world;
  if (currentRequest?.wantsSummary === true) return { ...drawSummaryReply(world), pace };
  const fault =
    drawOverflow(world) ??
    world.drawInStreaks(`faults of ${request.systemText}`, () =>
      choices.chance(plan.moods.fault) ? drawFault(world, request) : undefined,
    );
  if (fault !== undefined) world.count("fault", faultName(fault));
  const mayCall = request.tools.length > 0 && request.conversationCall < 40 && !choices.chance(25);
  const content: Part[] = [...pausedToolResults(request)];
  for (let left = choices.chance(30) ? choices.pick([1, 1, 2]) : 0; left > 0; left--) content.push(drawThinking(world));
  if (!mayCall || choices.chance(50))
    content.push({ text: randomWords(world, choices.pick([4, 1, 60, plan.window === null ? 20 : 250])) });
  if (mayCall)
    for (let left = choices.chance(plan.moods.single) ? 1 : choices.between(1, 4); left > 0; left--)
      content.push(drawAgentCall(world, request) ?? drawToolCall(world, request));
  const reply: Reply = { content, pace, ...drawOddEnd(world, content) };
  if (plan.tokenBudget !== undefined)
    reply.usage = { output_tokens: Math.min(choices.pick([120, 600, 1_500]), request.body.max_tokens) };
  return fault === undefined ? reply : { ...reply, fault };
}

function drawThinking({ book, choices }: World): Part {
  if (choices.chance(10)) return { redactedThinking: `hidden ${book.callCount}` };
  return { thinking: `I think of ${book.callCount}.${choices.pick(["", "", " It is long.".repeat(60)])}` };
}

/** Where collapses wait to be needed, at times they are. */
function drawOverflow({ currentRequest, book, choices, plan }: World): Fault | undefined {
  if (plan.window === null || currentRequest === null || currentRequest.isAside || currentRequest.agent !== null)
    return undefined;
  const isPrepared = book.requests.some(
    ({ session, isBackground, isAside, record }) =>
      isBackground && !isAside && session === currentRequest.session && record?.outcome === "complete",
  );
  return isPrepared && choices.chance(30) ? { kind: "prompt_too_long" } : undefined;
}

/** A paused answer goes on with what its own tool found. */
function pausedToolResults({ messages }: RequestView): Part[] {
  const last = messages.at(-1);
  if (last?.role !== "assistant" || typeof last.content === "string") return [];
  const call = last.content.at(-1);
  if (call?.type !== "server_tool_use") return [];
  return [{ block: { type: "web_search_tool_result", tool_use_id: String(call["id"]), content: [] } }];
}

/** Of what is cut there are limits to reach, most of them several in a row. */
const oddEnds = ["max_tokens", "max_tokens", "max_tokens", "pause_turn", "refusal", "window", "empty"] as const;

/** What ends an answer in an unusual way, without anything breaking. */
function drawOddEnd(world: World, content: Part[]): Partial<Reply> {
  const { choices, plan } = world;
  const draw = () => (choices.chance(plan.moods.oddEnd) ? choices.pick(oddEnds) : undefined);
  const kind = world.drawInStreaks("odd ends", draw, 65);
  const isTalk = content.every((part) => typeof part === "string" || !("tool" in part));
  switch (kind) {
    case "max_tokens":
      return isTalk ? { stopReason: "max_tokens" } : { fault: "max_tokens_in_tool" };
    case "pause_turn":
      if (!isTalk || plan.maxBudgetUsd !== undefined) return {};
      content.push({ serverTool: "web_search", input: { query: "x" } });
      return { stopReason: "pause_turn" };
    case "refusal":
      return { fault: { kind: "refusal", afterOutput: choices.chance(50) } };
    case "window":
      return isTalk ? { stopReason: "model_context_window_exceeded" } : {};
    case "empty":
      return { fault: "empty" };
    default:
      return {};
  }
}

const summaryEnds = ["cut", "cut", "cut", "nothing", "refusal"] as const;

function drawSummaryReply(world: World): Reply {
  const { choices, plan } = world;
  world.count("layer", "summary");
  const content = [
    {
      text: choices.weighted([
        [6, "A short summary."],
        [1, " "],
        [1, `A summary. ${"words ".repeat(600)}`],
      ]),
    },
  ];
  const end = world.drawInStreaks("ends of summaries", () =>
    choices.chance(2 * plan.moods.oddEnd) ? choices.pick(summaryEnds) : undefined,
  );
  if (end === "cut") return { content: [{ text: cutSummary }], stopReason: "max_tokens" };
  if (end === "nothing") return { content: [], stopReason: "max_tokens" };
  if (end === "refusal") return { content, fault: "refusal" };
  if (!choices.chance(plan.moods.fault)) return { content };
  return {
    content,
    fault: choices.pick<Fault["kind"]>([
      "overloaded",
      "server_error",
      "reset",
      "prompt_too_long",
      "truncate",
    ]) as "reset",
  };
}

function drawToolCall(world: World, request: RequestView): Part {
  const { choices } = world;
  const name = choices.pick(toolNames.filter((tool) => request.hasTool(tool)));
  const number = nextCallNumber(world);
  // The server's own ids are of the conversation: after compactions two may be alike to the letter.
  const id = `toolu_${String(number).padStart(6, "0")}`;
  if (choices.chance(3)) return { id, tool: "Nothing", input: { n: number } };
  if (choices.chance(3)) return { id, tool: name, input: { seal: number } };
  // `seal` comes last: an input that was cut does not have it.
  return { id, tool: name, input: { n: number, note: `call ${number} é`, seal: `seal-${number}` } };
}

const errorMessages = {
  image: "messages.2.content.0.image.source.base64.data: image dimensions exceed max allowed size",
  thinking: "messages.1.content.0: `thinking` blocks in the latest assistant message cannot be modified",
};

/** What it is drawn as. */
function faultName(fault: Fault): string {
  const said = "message" in fault ? fault.message : undefined;
  return said === errorMessages.thinking ? "thinking 400" : said === errorMessages.image ? "media 400" : fault.kind;
}

function drawFault({ choices }: World, request: RequestView): Fault | undefined {
  const at = choices.pick([
    "mid_block",
    "headers",
    "first_event",
    "mid_last_block",
    "before_stop",
    { share: 0.5 },
    { share: 0.9 },
  ] as const);
  const kind = choices.weighted([
    [6, "overloaded"],
    [3, "rate_limit"],
    [3, "server_error"],
    [4, "reset"],
    [3, "truncate"],
    [3, "stall"],
    [3, "error_event"],
    [3, "invalid_tool_json"],
    [2, "max_tokens_in_tool"],
    [2, "duplicate_tool_ids"],
    [3, "prompt_too_long"],
    [1, "too_large"],
    [1, "spend_limit"],
    [1, "unauthenticated"],
    [1, "not_found"],
    [1, "unavailable"],
    [1, "request_timeout"],
    [1, "conflict"],
    [1, "forbidden"],
    [1, "billing"],
    [1, "bad_request"],
    [2, "thinking 400"],
    [2, "media 400"],
    [1, "refusal"],
    [1, "window_exceeded"],
    [1, "empty"],
    [1, "garbage"],
    [1, "split_utf8"],
  ] as const);
  switch (kind) {
    case "reset":
    case "truncate":
    case "stall":
      return kind === "truncate" && at === "headers" ? { kind: "reset", at } : { kind, at };
    case "error_event":
      return {
        kind,
        at: at === "headers" ? "mid_block" : at,
        type: choices.pick(["overloaded_error", "api_error", "rate_limit_error"]),
        message: "in the middle",
      };
    case "rate_limit":
    case "overloaded":
      return { kind, ...choices.pick([{}, { retryAfter: 7 }, { retryAfter: 90 }, { retryAfter: 3_000 }]) };
    case "prompt_too_long":
      return choices.chance(50) ? { kind } : { kind, tokens: 12_000, maximum: 8_000 };
    case "thinking 400":
      return { kind: "bad_request", message: errorMessages.thinking };
    case "media 400":
      return { kind: "bad_request", message: errorMessages.image };
    case "split_utf8":
      return request.body.max_tokens > 0 ? { kind } : undefined;
    default:
      return { kind };
  }
}
