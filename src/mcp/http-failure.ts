/** Explains HTTP answers that are not the server's own: what the status means, and what the body adds to it. */
import { SdkError, SdkErrorCode, SdkHttpError, SseError } from "@modelcontextprotocol/client";
import { isError } from "../lib/error-text.ts";
import { isRecord } from "../lib/is-record.ts";
import { tryParseRecord } from "../lib/try-parse-json.ts";
import { oneLine } from "../lib/sanitize.ts";
import { otherKindHint, otherKindText } from "./other-kind.ts";

/** An error and its causes: the real one lies deep, and each layer has its own words for it. */
export function* causesOf(error: unknown): Generator<Error> {
  for (let at: unknown = error, depth = 0; isError(at) && depth < 10; at = at.cause, depth += 1) yield at;
}

export function httpStatusOf(error: unknown): number | undefined {
  if (error instanceof SdkHttpError) return error.status;
  return error instanceof SseError ? error.code : undefined;
}

/**
 * The reason as a clause; undefined if the error is not an HTTP failure. `type` is that of a server that could not be connected to: it may be
 * the wrong one.
 */
export function httpFailure(error: unknown, type?: string): string | undefined {
  for (const each of causesOf(error)) {
    const status = httpStatusOf(each);
    if (status !== undefined && status >= 300) return statusText(status, each, type);
    if (status !== undefined && status >= 200 && type === "sse")
      return otherKindText("sse", `it answers with status ${status} and no stream`);
    if (each instanceof SdkError && each.code === SdkErrorCode.ClientHttpUnexpectedContent)
      return `what is at its address is not an MCP server: it answers with ${oneLine(contentTypeOf(each), 60)}`;
  }
  return undefined;
}

/** What was sent as JSON is none. The parser's own words quote the text and say nothing about where it comes from. */
export function isInvalidJson(error: unknown): boolean {
  return Array.from(causesOf(error)).some((each) => each instanceof SyntaxError);
}

function contentTypeOf({ data }: SdkError): string {
  const type = isRecord(data) ? data["contentType"] : undefined;
  return typeof type === "string" && type !== "" ? type : "no content type";
}

function statusText(status: number, error: Error, type: string | undefined): string {
  const words = bodyText(error);
  const reasonText = words === "" ? "" : `: ${words}`;
  switch (true) {
    case status < 400:
      return `it has moved (status ${status})${reasonText}`;
    case status === 403:
      return `it refuses access (status 403)${reasonText}`;
    case type === undefined && (status === 404 || status === 405):
      return `it does not find what it was asked for (status ${status})${reasonText}`;
    case status === 404 || status === 405:
      return otherKindText(type === "sse" ? "sse" : "http", `status ${status}${reasonText}`);
    // Newer servers expect a session, or a body, with every request.
    case type === "sse" && (status === 400 || status === 406 || status === 415):
      return `it refused that (status ${status})${reasonText}; ${otherKindHint("sse")}`;
    case status === 429:
      return `it is asked too often (status 429)${reasonText}`;
    case status >= 500:
      return `it, or a proxy in front of it, has a fault (status ${status})${reasonText}`;
    default:
      return `it refused that (status ${status})${reasonText}`;
  }
}

/** The part of a page that contains its title. */
const headLength = 10_000;

function bodyText(error: Error): string {
  const data: unknown = error instanceof SdkHttpError ? error.data : undefined;
  const text = isRecord(data) && typeof data["text"] === "string" ? data["text"].trim() : "";
  return text === "" ? oneLine(redirectText(error), 200) : bodyWords(text);
}

/** The title of a page, or the error in a JSON body. */
export function bodyWords(text: string): string {
  const [, title] = /<title[^>]*>([^<]*)/iu.exec(text.slice(0, headLength)) ?? [];
  if (/^\s*</u.test(text)) return oneLine(title ?? "", 100);
  return oneLine(errorInJson(text) ?? text, 200).replace(/\.$/u, "");
}

function redirectText({ message }: Error): string {
  return /\bRedirect to \S+ not followed/u.exec(message)?.[0] ?? "";
}

function errorInJson(text: string): string | undefined {
  const { error, message, error_description: described, detail } = tryParseRecord(text) ?? {};
  const inner = isRecord(error) ? error["message"] : undefined;
  return [inner, described, message, detail, error].find((each) => typeof each === "string");
}
