/**
 * `fetch` for the HTTP transports. It bounds answers, so that no server can fill the memory with one message. It also reports what
 * the transports do not: a lost connection, and an answer that cannot come because its stream has ended.
 */
import { isError } from "../lib/error-text.ts";
import { isObject } from "../lib/json.ts";
import { AwaitedAnswer, ResumableStreams } from "./awaited-answer.ts";
import { isListeningRequest, isStreamResponse } from "./listening-start.ts";
import { ListeningStream } from "./listening-stream.ts";
import type { EndpointWatch } from "./other-kind.ts";
import { replaceNonJsonNumbers } from "./non-json-numbers.ts";
import { createLineEndRepair } from "./line-ends.ts";
import { SharedStream } from "./shared-stream.ts";
import {
  connectionLostText,
  errorMessage,
  isSameId,
  parseMessage,
  wrongIdText,
  type Message,
  type StreamFollower,
} from "./stream-messages.ts";
import { isJsonResponse, withoutNullFields } from "./json-response.ts";
import { parseMessages, repairMessage } from "./message-repair.ts";
import type { McpClock } from "./world.ts";

/** Limit for one JSON answer, or one event of a stream. */
const maxBytes = 16 * 1024 * 1024;

const noAnswerText = "the server took the request and gave no answer to it";

class AnswerTooLong extends Error {}

/** `isPatient`: for calls, which have their own limits, and for the one stream that carries all answers. */
type Fetch = (url: string | URL, init?: RequestInit & { isPatient?: boolean }) => Promise<Response>;

export interface FetchWatch {
  /** `http`: each request has its own answer, as a stream or not. `sse`: one stream carries all answers. */
  type: "http" | "sse";
  /** The server's own: logins use the same `fetch` for other addresses. */
  url: URL;
  /** @param why one clause. */
  onLost: (why: string) => void;
  clock: Pick<McpClock, "timer">;
  /** For `sse`: whether the stream begins as it should. */
  endpoint?: EndpointWatch;
}

export function watchedFetch(watch: FetchWatch, fetchImpl: Fetch): Fetch {
  const { onLost } = watch;
  const listeningStream = new ListeningStream(watch.clock);
  const shared = watch.type === "sse" ? new SharedStream((event) => watch.endpoint?.noteEvent(event)) : undefined;
  const resumable = new ResumableStreams();
  const isServerUrl = (url: string | URL): boolean => new URL(url).origin === watch.url.origin;
  let hasAnswered = false;
  let hasStream = false;
  return async (url, init) => {
    const isListening = isListeningRequest(init);
    const requestId = isListening ? undefined : idOf(init?.body);
    const isPatient = isServerUrl(url) && (isListening ? watch.type === "sse" : requestId !== undefined);
    const posted = isListening || !isServerUrl(url) ? undefined : shared?.beforePost(init?.body);
    let response: Response;
    try {
      response = await fetchImpl(url, { ...init, isPatient });
    } catch (error) {
      shared?.onPostFailed(posted);
      if (hasAnswered && isServerUrl(url) && codeOf(error) === "ECONNREFUSED")
        onLost("nobody answers at its address any more");
      throw error;
    }
    hasAnswered ||= isServerUrl(url);
    const { status } = response;
    if (!response.ok) shared?.onPostFailed(posted);
    // A 404 where there was a stream before means that the server has forgotten the session.
    if (isListening && hasStream && status === 404) onLost("its session has ended");
    const resumedAnswer = isListening ? resumable.answerResumedBy(init) : undefined;
    if (resumedAnswer !== undefined && (response.ok ? response.body === null : isPermanentFailure(status))) {
      await response.body?.cancel();
      return resumedAnswer.errorResponse();
    }
    // The transport reads any successful answer as the rest of a stream, and would wait for ever if it is not one.
    const isResumedStream = resumedAnswer !== undefined && response.ok;
    const isStream = isResumedStream || isStreamResponse(response);
    if (isListening && isStream && response.ok) watch.endpoint?.noteOpened();
    const id = watch.type === "http" && response.ok ? requestId : undefined;
    if (id !== undefined && (response.status === 202 || response.status === 204)) {
      const answer = isStream || response.body === null ? undefined : await answerIn(response, id);
      if (answer !== undefined) return answer;
      if (isStream) await response.body?.cancel();
      return hasStream && (await listeningStream.awaitAnswer(id)) ? response : errorResponse(id, noAnswerText);
    }
    if (response.body === null) return response;
    if (isListening && isStream && response.ok) hasStream = true;
    const follower = isStream
      ? (resumedAnswer ??
        followerFor(watch, isListening, shared ?? listeningStream, () => new AwaitedAnswer(requestId, resumable)))
      : undefined;
    const whole = new Response(followBody(response.body, isStream, follower), response);
    const isLogin = !isListening && requestId === undefined;
    const answered = () => (posted === undefined ? checkedAnswer(id, whole) : shared?.afterPost(posted, whole));
    const bounded = isStream ? whole : isLogin ? await withoutNullFields(whole) : ((await answered()) ?? whole);
    // A constructed response has no URL, which relative references in it need.
    Object.defineProperty(bounded, "url", { value: response.url });
    return bounded;
  };
}

/** Statuses that neither a login nor time will change. With 409, the server may not know yet that the old connection is lost. */
function isPermanentFailure(status: number): boolean {
  return status >= 400 && status < 500 && ![401, 403, 408, 409, 425, 429].includes(status);
}

function idOf(body: unknown): unknown {
  const { id, method } = typeof body === "string" ? parseMessage(body) : {};
  return method === undefined ? undefined : id;
}

function errorResponse(id: unknown, message: string): Response {
  return Response.json(errorMessage(id, message));
}

/** The answer in a body of the wrong status or type; undefined if it is none. The body is read. */
async function answerIn(response: Response, id: unknown): Promise<Response | undefined> {
  const body = response.body === null ? null : followBody(response.body, false);
  const text = await new Response(body).text().catch(() => "");
  const messages = parseMessages(text) ?? [];
  const isAnswer = (message: Message): boolean => message.method === undefined && isSameId(message.id, id);
  return messages.some(isAnswer) ? Response.json(messages, { headers: sessionHeaders(response) }) : undefined;
}

function sessionHeaders({ headers }: Response): Record<string, string> {
  const session = headers.get("mcp-session-id");
  return session === null ? {} : { "mcp-session-id": session };
}

/** A JSON answer to another request, or to none, becomes an error: nothing more will come. */
async function checkedAnswer(id: unknown, response: Response): Promise<Response> {
  if (id === undefined) return response;
  const bytes = await response.arrayBuffer();
  const text = new TextDecoder().decode(bytes);
  // A response made of text would have a type of its own, and be reported with it.
  const again = (): Response => new Response(bytes, response);
  // Hand-written servers forget the type, or name a similar one.
  if (!isJsonResponse(response)) return (await answerIn(again(), id)) ?? again();
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    const plain = replaceNonJsonNumbers(text);
    return plain === undefined ? again() : checkedAnswer(id, new Response(plain, response));
  }
  const messages = (Array.isArray(parsed) ? parsed : [parsed]).filter((each) => isObject(each)) as Message[];
  const answers = messages.filter(({ method }) => method === undefined);
  if (answers.some((each) => isSameId(each.id, id))) {
    const repaired = messages.map(repairMessage);
    if (repaired.every((each, at) => each === messages[at])) return again();
    return Response.json(Array.isArray(parsed) ? repaired : repaired[0]);
  }
  // For a request that it could not parse, a server cannot name the id.
  const refused = answers.find((each) => (each.id ?? null) === null && each["error"] !== undefined);
  return refused === undefined ? errorResponse(id, wrongIdText) : Response.json({ ...refused, id });
}

/** Over `http` the transport resumes its own listening stream by itself. */
function followerFor(
  { onLost }: FetchWatch,
  isListening: boolean,
  listened: SharedStream | ListeningStream,
  awaited: () => AwaitedAnswer,
): StreamFollower | undefined {
  if (!(listened instanceof SharedStream)) return isListening ? listened.stream() : awaited();
  return isListening ? listened.stream(() => onLost("its stream has ended")) : undefined;
}

function codeOf(error: unknown): unknown {
  const cause = isError(error) ? (error.cause ?? error) : undefined;
  return isObject(cause as never) ? (cause as { code?: unknown }).code : undefined;
}

function followBody(
  body: ReadableStream<Uint8Array>,
  isStream: boolean,
  follower?: StreamFollower,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const endsEvent = createEventEndDetector();
  const repairLineEnds = isStream ? createLineEndRepair() : undefined;
  let bytes = 0;
  let isOver = false;
  const finish = (controller: ReadableStreamDefaultController<Uint8Array>, error?: unknown): void => {
    isOver = true;
    const last = follower?.onEnd(error instanceof AnswerTooLong ? error.message : connectionLostText);
    if (last !== undefined) controller.enqueue(last);
    if (error === undefined || last !== undefined) controller.close();
    else controller.error(error);
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      follower?.onStart?.((more) => {
        if (!isOver) controller.enqueue(more);
      });
    },
    async pull(controller) {
      try {
        const { done, value: read } = await reader.read();
        if (done) return finish(controller);
        const value = repairLineEnds?.(read) ?? read;
        bytes += value.length;
        if (bytes > maxBytes)
          throw new AnswerTooLong(`the server sent more than ${maxBytes / 1024 / 1024} MiB at once`);
        if (isStream && endsEvent(value)) bytes = 0;
        const more = follower?.onChunk(value);
        controller.enqueue(value);
        if (more !== undefined) controller.enqueue(more);
      } catch (error) {
        finish(controller, error);
        await reader.cancel(error).catch(() => undefined);
      }
    },
    cancel(reason) {
      isOver = true;
      return reader.cancel(reason);
    },
  });
}

/** Detects whether an event ends in a chunk: the empty line that ends it may have begun in the chunk before. */
function createEventEndDetector(): (chunk: Uint8Array) => boolean {
  let before = "";
  return (chunk) => {
    const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    const border = before + text.toString("latin1", 0, 3);
    before = (before + text.toString("latin1", Math.max(0, text.length - 3))).slice(-3);
    return ["\n\n", "\r\n\r\n", "\r\r"].some((end) => border.includes(end) || text.includes(end));
  };
}
