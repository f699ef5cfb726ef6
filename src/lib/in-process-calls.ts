/**
 * Calls that are answered within this process. A message is a copy and cannot hold a signal or a function: it names the call, and the
 * answering side looks up the call's context here.
 */
import { randomUUID } from "node:crypto";
import { isRecord } from "./is-record.ts";

/** The name of the call, in the `_meta` of a message. */
const callMetaKey = "pawl/call";
/** The time limit of a call, ms, in the `_meta` of a tool. */
export const timeLimitMetaKey = "pawl/timeLimitMs";

const openCalls = new Map<string, object>();

export interface RegisteredCall {
  meta: Record<string, unknown>;
  /** Call this once the call is answered. */
  close(): void;
}

export function registerCall(context: object): RegisteredCall {
  const name = randomUUID();
  openCalls.set(name, context);
  return { meta: { [callMetaKey]: name }, close: () => void openCalls.delete(name) };
}

/** Undefined if the call came from elsewhere. */
export function findCallContext(meta: unknown): object | undefined {
  const name = isRecord(meta) ? meta[callMetaKey] : undefined;
  return typeof name === "string" ? openCalls.get(name) : undefined;
}
