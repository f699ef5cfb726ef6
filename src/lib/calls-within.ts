/**
 * Calls that are answered within this process. A message is a copy and cannot hold a signal or a function: it names the call, and the
 * answering side looks up the call's context here.
 */
import { randomUUID } from "node:crypto";
import { isRecord } from "./is-record.ts";

/** The name of the call, in the `_meta` of a message. */
const callMark = "pawl/call";
/** The time limit of a call, ms, in the `_meta` of a tool. */
export const timeLimitMark = "pawl/timeLimitMs";

const open = new Map<string, object>();

export interface NamedCall {
  meta: Record<string, unknown>;
  /** Call this once the call is answered. */
  close(): void;
}

export function nameCall(context: object): NamedCall {
  const name = randomUUID();
  open.set(name, context);
  return { meta: { [callMark]: name }, close: () => void open.delete(name) };
}

/** Undefined if the call came from elsewhere. */
export function callOf(meta: unknown): object | undefined {
  const name = isRecord(meta) ? meta[callMark] : undefined;
  return typeof name === "string" ? open.get(name) : undefined;
}
