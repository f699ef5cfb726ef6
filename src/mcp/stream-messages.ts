/** Messages in a stream of events, as the ways over HTTP read and write them. */
import { recordIn } from "../lib/json-in.ts";

export const otherId = "the server answered another request than the one it was asked";

/** The name of events that the transports read. */
export const usual = "message";

export const brokenOff = "the connection was lost before the answer came";

export interface Message {
  id?: unknown;
  method?: unknown;
  params?: unknown;
  error?: unknown;
}

export interface StreamEnd {
  /** Called once, before anything is read, with what writes between what is read. */
  begin?(write: (bytes: Uint8Array) => void): void;
  /** Answers what is to be read after it, if anything is. */
  see(chunk: Uint8Array): Uint8Array | undefined;
  /** At the end, whether it came well or not: what is still to be read; undefined where nothing is. `why`: one clause. */
  last(why: string): Uint8Array | undefined;
}

/** Empty where it is none. */
export function messageOf(text: string): Message {
  return recordIn(text) ?? {};
}

/** Some servers write a number as text. */
export function isSame(one: unknown, other: unknown): boolean {
  return one === other || (typeof one === "string" && one === String(other));
}

export function eventOf(message: object): Uint8Array {
  return Buffer.from(`\n\ndata: ${JSON.stringify(message)}\n\n`);
}

export function errorMessage(id: unknown, message: string): object {
  return { jsonrpc: "2.0", id, error: { code: -32_000, message } };
}
