/**
 * How new a server is, is a question that those of before it do not know. Some have a fault at it, refuse it or say nothing:
 * they are spoken to as before, and what is really wrong shows then.
 */
import { InsufficientScopeError, type Transport } from "@modelcontextprotocol/client";
import { isRefusedLogin } from "./connect-failure.ts";
import { statusOf } from "./http-failure.ts";
import type { McpWorld } from "./world.ts";

const methodNotFound = -32_601;

/** Of the time that a server has to be there, what it may take to say how new it is. */
const share = 2 / 3;

/** Answers the question where `transport` brings no answer; `onSilence`: as none has come in time. The result ends the wait for it. */
export function answerForOlder(
  transport: Transport,
  { clock, connectMs }: Pick<McpWorld, "clock" | "connectMs">,
  onSilence = (): void => {},
): () => void {
  let stop = (): void => {};
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    stop();
    if (!("id" in message && "method" in message && message.method === "server/discover"))
      return await send(message, options);
    const error = { code: methodNotFound, message: "it does not say how new it is" };
    const answer = (): void => transport.onmessage?.({ jsonrpc: "2.0", id: message.id, error });
    stop = clock.timer(connectMs * share, () => {
      onSilence();
      answer();
    });
    try {
      await send(message, options);
    } catch (failure) {
      if (isRefusedLogin(failure) || failure instanceof InsufficientScopeError || isRead(failure)) throw failure;
      answer();
    }
  };
  return () => stop();
}

/** The client itself looks for the versions that the server names there, and speaks as before where it names none. */
function isRead(failure: unknown): boolean {
  const status = statusOf(failure) ?? 0;
  return status >= 400 && status < 500 && status !== 403;
}
