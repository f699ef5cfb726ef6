/** Types and field readers for the handlers of control requests. */
import type { McpServerConfig } from "../../protocol/mcp.ts";
import type { SDKInterruptReceipt } from "../../protocol/sdk-control.ts";
import type { DrivenEngine } from "../engine-port.ts";
import type { WireObject } from "./frame.ts";

/** The parts of a session that a request may use. */
export interface ControlDesk {
  /** Throws before there is a session. */
  readonly engine: DrivenEngine;
  readonly version: string;
  /** Whether the session was started so that a client may switch to `bypassPermissions`. */
  readonly mayBypass: boolean;
  /** Converts servers from their wire form. Servers of the type `sdk` live in the client. */
  readonly toServerConfigs: (servers: WireObject) => Record<string, McpServerConfig>;
  /** True while a turn runs or a message waits for one. */
  readonly isBusy: boolean;
  /** Takes a message of a server that lives in the client. Throws if there is no server of that name. */
  takeServerMessage(server: string, message: object): void;
  interrupt(options: { cancelQueued: boolean }): SDKInterruptReceipt;
  /** Drops a waiting message. Returns false if it no longer waits. */
  cancelMessage(uuid: string): boolean;
}

/** A request that cannot be met. The message is the error of the response. */
export class ControlError extends Error {
  override readonly name = "ControlError";
  /** The `error_code` of the response, for programs. */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

export interface SessionRequest {
  name: string;
  /** What the request does here, for the documentation. */
  does: string;
  /** No turn starts while the request is running. */
  holdsTurns?: true;
  run(desk: ControlDesk, fields: WireObject, signal: AbortSignal): object | Promise<object>;
}

/** A request that is answered as soon as it is read. It does not use the session, which may not exist yet. */
export interface ImmediateRequest {
  name: string;
  does: string;
  now(desk: ControlDesk, fields: WireObject): object;
}

interface RefusedRequest {
  name: string;
  /** A sentence that says why the request is answered with an error. */
  refusal: string;
}

export type ControlEntry = SessionRequest | ImmediateRequest | RefusedRequest;

export function textField(fields: WireObject, name: string): string {
  const value = fields[name];
  if (typeof value !== "string" || value === "") throw new ControlError(`"${name}" must be a non-empty string`);
  return value;
}

export function wholeNumberField(fields: WireObject, name: string): number {
  const value = fields[name];
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0)
    throw new ControlError(`"${name}" must be a whole number of 0 or more`);
  return value;
}

export function flagField(fields: WireObject, name: string): boolean {
  const value = fields[name];
  if (typeof value !== "boolean") throw new ControlError(`"${name}" must be true or false`);
  return value;
}

/** Returns undefined if the field is missing or null. */
export function optionalField<T>(
  fields: WireObject,
  name: string,
  read: (fields: WireObject, name: string) => T,
): T | undefined {
  return (fields[name] ?? null) === null ? undefined : read(fields, name);
}

export function noTaskError(id: string): ControlError {
  return new ControlError(`there is no background task "${id.slice(0, 80)}"`);
}
