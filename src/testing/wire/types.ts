/**
 * The Messages API as this directory sees it: bytes in, bytes out. These shapes are written from the public documentation and
 * deliberately shared with nothing else in the package, so that a mistake made there is not repeated here.
 */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export type JsonObject = { [key: string]: Json };

/** A content block in either direction. Only `type` is certain; the validator checks the rest. */
export interface WireBlock {
  type: string;
  [key: string]: unknown;
}

export interface WireMessage {
  role: string;
  content: string | WireBlock[];
  [key: string]: unknown;
}

export interface WireTool {
  name: string;
  type?: string;
  input_schema?: { properties?: Record<string, unknown>; [key: string]: unknown };
  [key: string]: unknown;
}

/** A request body that has passed the shape checks. */
export interface WireRequest {
  model: string;
  max_tokens: number;
  messages: WireMessage[];
  system?: string | WireBlock[];
  tools?: WireTool[];
  stream?: boolean;
  thinking?: { type: string; budget_tokens?: number; display?: string; [key: string]: unknown };
  tool_choice?: { type: string; name?: string; [key: string]: unknown };
  output_config?: { effort?: string; [key: string]: unknown };
  [key: string]: unknown;
}

/** Token counts of one call, under the API's own names. `input_tokens` excludes cache reads and writes. */
export interface WireUsage {
  input_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
  cache_creation: { ephemeral_5m_input_tokens: number; ephemeral_1h_input_tokens: number };
  output_tokens: number;
  service_tier?: string;
  [key: string]: unknown;
}

export interface ErrorBody {
  type: "error";
  error: { type: string; message: string; details?: JsonObject };
  request_id: string;
}

/** The value as text. `String` would call an object's own `toString`, which a request may contain as a field. */
export function asText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined ? "undefined" : JSON.stringify(value);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The blocks of a message's content, in either of its two forms. */
export function blocksOf(content: string | WireBlock[] | undefined): WireBlock[] {
  if (content === undefined) return [];
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** The value if it is a string, else empty text. */
export function stringOrEmpty(value: unknown): string {
  return typeof value === "string" ? value : "";
}
