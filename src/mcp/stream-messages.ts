/** Messages in an event stream, as the HTTP transports read and write them. */
import { tryParseRecord } from "../lib/try-parse-json.ts";

export const wrongIdText = "the server answered another request than the one it was asked";

/** The event name that the transports read. */
export const defaultEventName = "message";

export const connectionLostText = "the connection was lost before the answer came";

export interface Message {
  id?: unknown;
  method?: unknown;
  params?: unknown;
  error?: unknown;
}

export interface StreamFollower {
  /** Called once, before anything is read, with a function that writes between chunks. */
  onStart?(write: (bytes: Uint8Array) => void): void;
  /** Returns what should be read after this chunk, if anything. */
  onChunk(chunk: Uint8Array): Uint8Array | undefined;
  /** Called at the end, successful or not. Returns what should still be read, or undefined. `why`: one clause. */
  onEnd(why: string): Uint8Array | undefined;
}

/** Empty if the text is not a JSON object. */
export function parseMessage(text: string): Message {
  return tryParseRecord(text) ?? {};
}

/** Some servers write a numeric id as text. */
export function isSameId(one: unknown, other: unknown): boolean {
  return one === other || (typeof one === "string" && one === String(other));
}

export function encodeEvent(message: object): Uint8Array {
  return Buffer.from(`\n\ndata: ${JSON.stringify(message)}\n\n`);
}

export function errorMessage(id: unknown, message: string): object {
  return { jsonrpc: "2.0", id, error: { code: -32_000, message } };
}
