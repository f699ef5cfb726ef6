/** A message as it goes to programs: a line of JSON. */
import type { SDKMessage } from "../protocol/sdk.ts";

export function wireLine(message: SDKMessage): string {
  return `${wireText(message)}\n`;
}

export function wireText(message: SDKMessage): string {
  return JSON.stringify(message.type === "result" ? withReason(message) : message);
}

/**
 * Other executables of the convention call a failed answer a success and have its error as `result`. Here it is no success, but
 * programs that show nothing except `result` find the reason there.
 */
function withReason<T extends Extract<SDKMessage, { type: "result" }>>(message: T): T & { result?: string } {
  const isShown = message.subtype === "error_during_execution" && !message.terminal_reason.startsWith("aborted");
  return isShown ? { ...message, result: message.errors.join("\n") } : message;
}
