/**
 * Calls that are answered in this process. A message is a copy, and holds no signal and no function: it names the call, and who answers
 * it finds here what it is made with.
 */
import { randomUUID } from "node:crypto";
import { isRecord } from "./is-record.ts";

/** The call's name, in the `_meta` of a message. */
const callMark = "pawl/call";
/** How long a call may take, ms, in the `_meta` of a tool. */
export const timeLimitMark = "pawl/timeLimitMs";

const open = new Map<string, object>();

export interface NamedCall {
  meta: Record<string, unknown>;
  /** To be called once it is answered. */
  close(): void;
}

export function nameCall(context: object): NamedCall {
  const name = randomUUID();
  open.set(name, context);
  return { meta: { [callMark]: name }, close: () => void open.delete(name) };
}

/** Undefined where the call is from elsewhere. */
export function callOf(meta: unknown): object | undefined {
  const name = isRecord(meta) ? meta[callMark] : undefined;
  return typeof name === "string" ? open.get(name) : undefined;
}
