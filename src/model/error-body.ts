/** Reads the body of an error answer from any source: this API, a compatible server, a gateway, a proxy's HTML page. */
import { isRecord } from "../lib/is-record.ts";
import { tryParseJson, tryParseRecord } from "../lib/try-parse-json.ts";

export interface ErrorBody {
  /** `error.type`, such as `overloaded_error`. */
  type?: string;
  /** `error.details.error_code`, or the `code` of other servers. */
  code?: string;
  /** The HTTP status stated in the body, if the answer itself has another: an error in a stream, or behind a 200. */
  status?: number;
  /** One line, free of control characters. Empty if the body says nothing. */
  message: string;
  requestId?: string;
  tokens?: { actual?: number; maximum: number };
}

const maxMessageLength = 600;
/** The limit for a code or a type, which is a single word. */
const maxNameLength = 100;
/** How many servers may be chained, each of which passes on the error of the next. */
const maxChainedServers = 4;

export function readErrorBody(body: string, serversBehind = maxChainedServers): ErrorBody {
  const text = body.trim();
  if (text === "") return { message: "" };
  const value = tryParseJson(text);
  return value === undefined ? { message: firstLine(text) } : describeError(value, serversBehind);
}

/** @param value the parsed body, or the `error` event of a stream. */
export function describeError(value: unknown, serversBehind = maxChainedServers): ErrorBody {
  if (!isRecord(value)) return { message: plainText(typeof value === "string" ? value : jsonOrEmpty(value)) };
  const inner = isRecord(value["error"]) ? value["error"] : value;
  const rawMessage = withoutStack(messageOf(value, inner));
  const shortMessage = withoutRepeatedInput(rawMessage);
  const result: ErrorBody = { message: plainText(`${shortMessage}${parameterWords(inner)}`) };
  const details = isRecord(inner["details"]) ? inner["details"] : {};
  const code = details["error_code"] ?? inner["code"];
  const status = Number(inner["code"] ?? inner["status_code"]);
  if (typeof inner["type"] === "string" && inner["type"] !== "error")
    result.type = plainText(inner["type"], maxNameLength);
  if (typeof code === "string") result.code = plainText(code, maxNameLength);
  if (Number.isInteger(status) && status >= 400 && status < 600) result.status = status;
  if (typeof value["request_id"] === "string") result.requestId = plainText(value["request_id"]);
  const [actual, maximum] = [inner["n_prompt_tokens"], inner["n_ctx"]];
  if (typeof maximum === "number") result.tokens = typeof actual === "number" ? { actual, maximum } : { maximum };
  if (serversBehind === 0) return result;
  const upstreamError = rawMessage.startsWith("{") ? tryParseRecord(rawMessage) : undefined;
  if (upstreamError !== undefined && rawMessage !== jsonOrEmpty(value)) {
    const upstream = describeError(upstreamError, serversBehind - 1);
    return withUpstream(result, upstream, upstream.message);
  }
  const raw = isRecord(inner["metadata"]) ? inner["metadata"]["raw"] : undefined;
  if (typeof raw !== "string" || raw.trim() === "") return result;
  const upstream = readErrorBody(raw, serversBehind - 1);
  return withUpstream(result, upstream, plainText(`${result.message}: ${upstream.message}`));
}

/** Adds what the server behind a gateway said. The gateway's own message may only be "Provider returned error", its code "400". */
function withUpstream(gateway: ErrorBody, upstream: ErrorBody, message: string): ErrorBody {
  const names = [gateway.code, upstream.code, upstream.type].filter((name) => name !== undefined);
  const code = names.length === 0 ? {} : { code: names.join(" ") };
  return { ...upstream, ...gateway, ...code, message };
}

function messageOf(outer: Record<string, unknown>, inner: Record<string, unknown>): string {
  const candidates = [inner["message"], outer["error"], outer["message"], outer["detail"], outer["msg"], inner["type"]];
  for (const candidate of candidates) {
    const text = textIn(candidate);
    if (text !== "") return text;
  }
  return jsonOrEmpty(outer);
}

/** Removes the stack trace that some gateways append to their own error's message; the stack repeats the message at its start. */
function withoutStack(text: string): string {
  const head = text.slice(0, maxMessageLength * 4);
  const stack = /\n[ \t]+at [^\n]*:\d+(?::\d+)?\)?(?:\n|$)|\nTraceback \(most recent call last\):/.exec(head);
  if (stack === null) return text;
  const words = head.slice(0, stack.index);
  return /^(.+)[A-Za-z]{0,20}Error: \1$/s.exec(words)?.[1] ?? words;
}

/** Finds the request or answer text that servers repeat in an error. It may be of any length. A single word stays: it is what is wrong. */
const repeatedInputForms: readonly RegExp[] = [
  // Pydantic (vLLM and others).
  /(?<='input': |input_value=)(?!'[^'\s]{0,40}'[,}])[^]*?(?=\}(?:\s|\\+n)*\{'type': |, 'ctx': \{|\}\s*$|, input_type=|$)/,
  // LiteLLM.
  /(?<=Invalid Message passed in )\{[^]*/,
  /(?<=Invalid user message=)\{(?:[^]*(?= at index \d)|[^]*)/,
  // Ollama.
  /(?<=parsing tool call: raw=')[^]*?(?=', err=|$)/,
  // llama.cpp.
  /(?<=Failed to parse input at pos \d+: )(?!\S{0,40}$)[^]+/,
  /(?<=; (?:messages|tools) = )[[{][^]+/,
];
const repeatedInput = new RegExp(repeatedInputForms.map(({ source }) => source).join("|"), "g");

function withoutRepeatedInput(text: string): string {
  return text.replace(repeatedInput, "…");
}

/** One entry of a list of complaints, with its place in the request: without the place nobody knows what is meant. */
function complaintOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (!isRecord(value) || typeof value["msg"] !== "string") return jsonOrEmpty(value);
  const { loc, msg } = value;
  const place = Array.isArray(loc) ? loc.filter((part, at) => part !== "body" || at > 0).join(".") : "";
  return place === "" ? msg : `${place}: ${msg}`;
}

/** `param` is mostly a parameter's name, but some servers put the actual complaint there, with an empty phrase as the message. */
function parameterWords({ param }: Record<string, unknown>): string {
  return typeof param === "string" && param.trim().includes(" ") ? `: ${param}` : "";
}

function textIn(value: unknown): string {
  let inner = value;
  while (isRecord(inner)) inner = inner["detail"];
  if (typeof inner === "string") return inner;
  return Array.isArray(inner) ? inner.map(complaintOf).join("; ") : "";
}

function jsonOrEmpty(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    // A value nested too deeply to be serialized says nothing.
    return "";
  }
}

/** The first line of a page that a person would read: its title, or its first text. */
function firstLine(page: string): string {
  const head = page.slice(0, 20_000);
  if (!head.startsWith("<")) return plainText(head.split(/\r?\n/, 1)[0] ?? "");
  const title = /<title[^<>]*>([^<]*)/i.exec(head)?.[1]?.trim();
  if (title !== undefined && title !== "") return plainText(title);
  const words = head.replace(/<(script|style)\b[^]*?(?:<\/\1>|$)/gi, " ").replace(/<[^<>]*>/g, "\n");
  return plainText(words.split("\n").find((line) => line.trim() !== "") ?? "");
}

/** Returns one line without control characters or terminal escapes: a server's words are data. */
export function plainText(text: string, maxLength: number = maxMessageLength): string {
  const bare = text.slice(0, maxLength * 4).replace(/\p{Cc}\[[\d;?]*[A-Za-z]/gu, "");
  const clean = bare.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
  return clean.length > maxLength ? `${clean.slice(0, maxLength - 1)}…` : clean;
}
