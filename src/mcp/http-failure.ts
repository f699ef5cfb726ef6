/** Answers over HTTP that are none of a server, for people: what the status means, and what their words add to it. */
import { SdkError, SdkErrorCode, SdkHttpError, SseError } from "@modelcontextprotocol/client";
import { isError } from "../lib/error-text.ts";
import { isRecord } from "../lib/is-record.ts";
import { recordIn } from "../lib/json-in.ts";
import { oneLine } from "../lib/sanitize.ts";

/** What went wrong lies deep: each layer has its own words for it. */
export function* causesOf(error: unknown): Generator<Error> {
  for (let at: unknown = error, depth = 0; isError(at) && depth < 10; at = at.cause, depth += 1) yield at;
}

export function statusOf(error: unknown): number | undefined {
  if (error instanceof SdkHttpError) return error.status;
  return error instanceof SseError ? error.code : undefined;
}

/** A clause; undefined where it is none. */
export function httpFailure(error: unknown, type: string): string | undefined {
  for (const each of causesOf(error)) {
    const status = statusOf(each);
    if (status !== undefined && status >= 300) return statusText(status, each, type);
    if (each instanceof SdkError && each.code === SdkErrorCode.ClientHttpUnexpectedContent)
      return `what is at its address is no MCP server: it answers with ${oneLine(contentTypeOf(each), 60)}`;
  }
  return undefined;
}

function contentTypeOf({ data }: SdkError): string {
  const type = isRecord(data) ? data["contentType"] : undefined;
  return typeof type === "string" && type !== "" ? type : "something of no type";
}

function statusText(status: number, error: Error, type: string): string {
  const words = wordsOf(error);
  const said = words === "" ? "" : `: ${words}`;
  switch (true) {
    case status < 400:
      return `it is elsewhere (status ${status})${said}`;
    case status === 403:
      return `it refuses access (status 403)${said}`;
    case status === 404 || status === 405: {
      const other = type === "sse" ? "http" : "sse";
      return `there is no MCP server of type ${type} at its address (status ${status}${said}); one of the other kind has "type": "${other}"`;
    }
    case status === 429:
      return `it is asked too often (status 429)${said}`;
    case status >= 500:
      return `it has a fault, or what stands before it (status ${status})${said}`;
    default:
      return `it refused that (status ${status})${said}`;
  }
}

/** Of a page, where its title stands. */
const headLength = 10_000;

/** Of a page its title alone, of JSON what is wrong. */
function wordsOf(error: Error): string {
  const data: unknown = error instanceof SdkHttpError ? error.data : undefined;
  const text = isRecord(data) && typeof data["text"] === "string" ? data["text"].trim() : "";
  if (text === "") return oneLine(redirectOf(error), 200);
  const [, title] = /<title[^>]*>([^<]*)/iu.exec(text.slice(0, headLength)) ?? [];
  if (/^\s*</u.test(text)) return oneLine(title ?? "", 100);
  return oneLine(fromJson(text) ?? text, 200).replace(/\.$/u, "");
}

function redirectOf({ message }: Error): string {
  return /\bRedirect to \S+ not followed/u.exec(message)?.[0] ?? "";
}

function fromJson(text: string): string | undefined {
  const { error, message, error_description: described, detail } = recordIn(text) ?? {};
  const inner = isRecord(error) ? error["message"] : undefined;
  return [inner, described, message, detail, error].find((each) => typeof each === "string");
}
