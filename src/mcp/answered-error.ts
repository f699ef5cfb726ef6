/** What a server says of a call that it refused, or that failed there. */
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/client";

/** With what stands beside the message: what is wrong with an input is often told there alone. Undefined where no server said it. */
export function answeredError(error: unknown): string | undefined {
  if (!(error instanceof ProtocolError)) return undefined;
  const { code, message, data } = error;
  const said = message.trim() === "" ? `it answered with the error ${code}` : message;
  // Where to go instead is for a person.
  const beside = code === Number(ProtocolErrorCode.UrlElicitationRequired) ? "" : textOf(data);
  return said.includes(beside) ? said : `${said}\n${beside}`;
}

function textOf(data: unknown): string {
  if (typeof data === "string") return data.trim();
  const isEmpty = data === undefined || data === null || (typeof data === "object" && Object.keys(data).length === 0);
  return isEmpty ? "" : JSON.stringify(data);
}
