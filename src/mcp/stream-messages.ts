/** Messages in an event stream, as the HTTP transports read and write them. */
import { recordIn } from "../lib/json-in.ts";

export const otherId = "the server answered another request than the one it was asked";

/** The event name that the transports read. */
export const usual = "message";

export const brokenOff = "the connection was lost before the answer came";

export interface Message {
  id?: unknown;
  method?: unknown;
  params?: unknown;
  error?: unknown;
}

export interface StreamEnd {
  /** Called once, before anything is read, with a function that writes between chunks. */
  begin?(write: (bytes: Uint8Array) => void): void;
  /** Returns what should be read after this chunk, if anything. */
  see(chunk: Uint8Array): Uint8Array | undefined;
  /** Called at the end, successful or not. Returns what should still be read, or undefined. `why`: one clause. */
  last(why: string): Uint8Array | undefined;
}

/** Empty if the text is not a JSON object. */
export function messageOf(text: string): Message {
  return recordIn(text) ?? {};
}

/** Some servers write a numeric id as text. */
export function isSame(one: unknown, other: unknown): boolean {
  return one === other || (typeof one === "string" && one === String(other));
}

export function eventOf(message: object): Uint8Array {
  return Buffer.from(`\n\ndata: ${JSON.stringify(message)}\n\n`);
}

export function errorMessage(id: unknown, message: string): object {
  return { jsonrpc: "2.0", id, error: { code: -32_000, message } };
}
