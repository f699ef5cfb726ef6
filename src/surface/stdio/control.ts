/** What the handlers of control requests work with, and how a request is answered. */
import type { McpServerConfig } from "../../protocol/mcp.ts";
import type { SDKInterruptReceipt } from "../../protocol/sdk-control.ts";
import type { DrivenEngine } from "../engine-port.ts";
import type { Loose } from "./frame.ts";

/** What a request may reach. */
export interface ControlDesk {
  /** Throws before there is one. */
  readonly engine: DrivenEngine;
  readonly version: string;
  /** The session was started so that a client may switch to `bypassPermissions`. */
  readonly mayBypass: boolean;
  /** As they are written on the wire; those of the type `sdk` live in the client. */
  readonly serversOf: (servers: Loose) => Record<string, McpServerConfig>;
  /** A turn runs, or a message waits for one. */
  readonly isBusy: boolean;
  /** A message of a server that lives in the client. Throws where there is none of that name. */
  takeServerMessage(server: string, message: object): void;
  interrupt(options: { cancelQueued: boolean }): SDKInterruptReceipt;
  /** True where the message still waited. */
  cancelMessage(uuid: string): boolean;
}

/** A request that cannot be met: the text is its error response. */
export class ControlError extends Error {
  override readonly name = "ControlError";
  /** For programs. */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

export interface Handled {
  name: string;
  /** For the documentation: what it does here. */
  does: string;
  /** No turn begins while it is at work. */
  holdsTurns?: true;
  run(desk: ControlDesk, fields: Loose, signal: AbortSignal): object | Promise<object>;
}

/** Answered in the moment it is read, also before there is a session, which it does not look at. */
export interface HandledAtOnce {
  name: string;
  does: string;
  now(desk: ControlDesk, fields: Loose): object;
}

interface NotHandled {
  name: string;
  /** A sentence: why it is answered with an error. */
  refusal: string;
}

export type ControlEntry = Handled | HandledAtOnce | NotHandled;

export function text(fields: Loose, name: string): string {
  const value = fields[name];
  if (typeof value !== "string" || value === "") throw new ControlError(`"${name}" has to be a text`);
  return value;
}

export function optionalText(fields: Loose, name: string): string | undefined {
  const value = fields[name];
  return value === undefined || value === null ? undefined : text(fields, name);
}

export function wholeNumber(fields: Loose, name: string): number {
  const value = fields[name];
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0)
    throw new ControlError(`"${name}" has to be a whole number from 0 on`);
  return value;
}

export function optionalWholeNumber(fields: Loose, name: string): number | undefined {
  const value = fields[name];
  return value === undefined || value === null ? undefined : wholeNumber(fields, name);
}

export function flag(fields: Loose, name: string): boolean {
  const value = fields[name];
  if (typeof value !== "boolean") throw new ControlError(`"${name}" has to be true or false`);
  return value;
}

/** False where it is not there. */
export function optionalFlag(fields: Loose, name: string): boolean {
  const value = fields[name];
  return value !== undefined && value !== null && flag(fields, name);
}
