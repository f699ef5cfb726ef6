/** What a server says about a call that it refused or that failed there. */
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/client";

/** Includes the data beside the message, which is often the only place that says what is wrong. Undefined if no server said it. */
export function serverErrorText(error: unknown): string | undefined {
  if (!(error instanceof ProtocolError)) return undefined;
  const { code, message, data } = error;
  const messageText = message.trim() === "" ? `it answered with the error ${code}` : message;
  // This data tells a person which page to visit.
  const dataText = code === Number(ProtocolErrorCode.UrlElicitationRequired) ? "" : textOf(data);
  return messageText.includes(dataText) ? messageText : `${messageText}\n${dataText}`;
}

function textOf(data: unknown): string {
  if (typeof data === "string") return data.trim();
  const isEmpty = data === undefined || data === null || (typeof data === "object" && Object.keys(data).length === 0);
  return isEmpty ? "" : JSON.stringify(data);
}
