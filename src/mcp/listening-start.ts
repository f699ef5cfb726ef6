/**
 * How the listening stream of a server over streamable HTTP begins. The transport opens the stream only if the server answers the end
 * of the introduction with 202, and takes whatever comes then for a stream.
 */
import { parseMessage } from "./stream-messages.ts";

const initialized = "notifications/initialized";
const loginStatuses: ReadonlySet<number> = new Set([401, 403]);
const undeclaredStream = /^(?:$|text\/plain\b|application\/octet-stream\b)/iu;

type Fetch<Init> = (url: string | URL, init?: Init) => Promise<Response>;

/** Corrects the answers of servers that do not follow the protocol here. */
export function withListeningStart<Init extends RequestInit>(url: URL, fetchImpl: Fetch<Init>): Fetch<Init> {
  return withIntroductionEnd(async (asked, init) => {
    const response = await fetchImpl(asked, init);
    if (!response.ok || new URL(asked).href !== url.href) return response;
    // The transport would take a page at this address for a stream that has ended, and ask for it again and again.
    const isWrong = isListeningRequest(init) && !isResumption(init) && isPage(response);
    return isWrong ? await withStatus(405, response) : response;
  });
}

/**
 * Has the end of the introduction accepted. Many servers answer it with 200 or 204; some know no notifications, and are not used worse for
 * it. If the session is lost, the next request learns that.
 */
export function withIntroductionEnd<Init extends RequestInit>(fetchImpl: Fetch<Init>): Fetch<Init> {
  return async (asked, init) => {
    const response = await fetchImpl(asked, init);
    const isRight = response.status === 202 || loginStatuses.has(response.status);
    return isRight || !isInitialized(init?.body) ? response : await withStatus(202, response);
  };
}

async function withStatus(status: number, response: Response): Promise<Response> {
  await response.body?.cancel();
  return new Response(null, { status, headers: response.headers });
}

/** Hand-written servers also send a stream without its type, or as text: unlike a page, it has no length. */
function isPage(response: Response): boolean {
  if (isStreamResponse(response)) return false;
  const { body, headers } = response;
  return body === null || headers.has("content-length") || !undeclaredStream.test(headers.get("content-type") ?? "");
}

function isInitialized(body: unknown): boolean {
  // Most bodies are calls, which may be large, so only one that holds the name is parsed.
  if (typeof body !== "string" || !body.includes(initialized)) return false;
  return parseMessage(body).method === initialized;
}

function isResumption(init: RequestInit | undefined): boolean {
  return new Headers(init?.headers).has("last-event-id");
}

export function isListeningRequest(init: RequestInit | undefined): boolean {
  const isGet = init?.method === undefined || init.method === "GET";
  return isGet && new Headers(init?.headers).get("accept")?.includes("text/event-stream") === true;
}

/** Types of content may be written in any case. */
export function isStreamResponse({ headers }: Response): boolean {
  return /^text\/event-stream\b/iu.test(headers.get("content-type") ?? "");
}
