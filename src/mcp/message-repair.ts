/**
 * Repairs a server's message to match the protocol. Hand-written servers, and those on older libraries, answer with `"error": null`
 * beside a result, with a null result, or without a version. The client ignores any message that is not exactly right, and the
 * caller would wait for ever.
 */
import { isRecord } from "../lib/is-record.ts";
import { tryParseJson } from "../lib/try-parse-json.ts";
import { withoutNulls } from "../lib/without-nulls.ts";
import { repairInitializeResult } from "./initialize-result.ts";
import { replaceNonJsonNumbers } from "./non-json-numbers.ts";

const internalError = -32_603;
const version = "2.0";

/** The messages of one line or frame, which may contain several; undefined if it contains none. */
export function parseMessages(text: string): object[] | undefined {
  const value = tryParseJson(text) ?? tryParseJson(replaceNonJsonNumbers(text) ?? "");
  if (typeof value !== "object" || value === null) return undefined;
  return (Array.isArray(value) ? (value as object[]) : [value]).map(repairMessage);
}

/** The messages of a list, which one event may carry in the version 2025-03-26; undefined if the text is no list. */
export function parseMessageList(text: string): object[] | undefined {
  return text.trimStart().startsWith("[") ? parseMessages(text)?.filter(isRecord) : undefined;
}

/** Returns the same object if nothing is wrong with it. */
export function repairMessage(message: object): object {
  if (!isRecord(message)) return message;
  const { method, id } = message;
  if (typeof method === "string") return repairRequest(message);
  return typeof id === "string" || typeof id === "number" ? repairAnswer(message) : message;
}

function repairRequest(message: Record<string, unknown>): object {
  const { id, jsonrpc, method } = message;
  const params = method === "notifications/progress" ? withoutNullParams(message["params"]) : message["params"];
  const hasId = id !== undefined && id !== null;
  if (
    jsonrpc === version &&
    id !== null &&
    hasValidParams(params, message) &&
    hasValidMeta(params) &&
    params === message["params"]
  )
    return message;
  const { id: _id, params: _params, ...rest } = message;
  return {
    ...rest,
    jsonrpc: version,
    ...(hasId ? { id } : {}),
    ...(isRecord(params) ? { params: withoutInvalidMeta(params) } : {}),
  };
}

/** Servers send null for a total that they do not know. The client would drop the whole progress notification for that. */
function withoutNullParams(params: unknown): unknown {
  return isRecord(params) && Object.values(params).includes(null) ? withoutNulls(params) : params;
}

/** `params` is absent, or an object. */
function hasValidParams(params: unknown, message: object): boolean {
  return params === undefined ? !("params" in message) : isRecord(params);
}

const answerKeys: ReadonlySet<string> = new Set(["jsonrpc", "id", "result", "error"]);

function repairAnswer(message: Record<string, unknown>): object {
  const { jsonrpc, id, result, error } = message;
  const hasOneOutcome =
    "result" in message !== "error" in message && Object.keys(message).every((key) => answerKeys.has(key));
  const isRight = isRecord(result) ? hasValidMeta(result) : isErrorObject(error);
  const plain = isRecord(result) ? repairInitializeResult(result) : result;
  if (jsonrpc === version && hasOneOutcome && isRight && plain === result) return message;
  const isNoError = error === undefined || error === null || (isRecord(plain) && (error === false || error === ""));
  if (!isNoError) return { jsonrpc: version, id, error: toErrorObject(error) };
  if (isRecord(plain)) return { jsonrpc: version, id, result: withoutInvalidMeta(plain) };
  if (result === undefined || result === null) return { jsonrpc: version, id, result: {} };
  return { jsonrpc: version, id, error: toErrorObject("its answer is not an object") };
}

function isErrorObject(value: unknown): boolean {
  return isRecord(value) && Number.isSafeInteger(value["code"]) && typeof value["message"] === "string";
}

function toErrorObject(value: unknown): object {
  if (!isRecord(value)) return { code: internalError, message: typeof value === "string" ? value : textOf(value) };
  const { code, message, data } = value;
  return {
    code: Number.isSafeInteger(code) ? code : internalError,
    message: typeof message === "string" ? message : textOf(value),
    ...(data === undefined ? {} : { data }),
  };
}

function textOf(value: unknown): string {
  return JSON.stringify(value).slice(0, 1_000);
}

function hasValidMeta(value: unknown): boolean {
  return !isRecord(value) || value["_meta"] === undefined || isRecord(value["_meta"]);
}

function withoutInvalidMeta(value: Record<string, unknown>): Record<string, unknown> {
  if (hasValidMeta(value)) return value;
  const { _meta: _, ...rest } = value;
  return rest;
}
