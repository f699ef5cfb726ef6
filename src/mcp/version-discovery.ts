/**
 * Answers the protocol-version question on behalf of older servers that do not know it. Some crash, refuse it or stay silent. They
 * are then spoken to in the old way, and any real problem shows there.
 */
import { InsufficientScopeError, type Transport } from "@modelcontextprotocol/client";
import { isUnauthorized } from "./connect-failure.ts";
import { httpStatusOf } from "./http-failure.ts";
import type { McpWorld } from "./world.ts";

const methodNotFound = -32_601;

/** The share of the connection time limit that a server may take to answer the question. */
const discoverTimeShare = 2 / 3;

/** Answers the question if `transport` brings no answer; `onSilence` is called if none comes in time. The result stops the wait. */
export function answerDiscoverForOldServer(
  transport: Transport,
  { clock, connectMs }: Pick<McpWorld, "clock" | "connectMs">,
  onSilence: () => void,
): () => void {
  let stop = (): void => {};
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    stop();
    if (!("id" in message && "method" in message && message.method === "server/discover"))
      return await send(message, options);
    const error = { code: methodNotFound, message: "it does not say how new it is" };
    const answer = (): void => transport.onmessage?.({ jsonrpc: "2.0", id: message.id, error });
    stop = clock.timer(connectMs * discoverTimeShare, () => {
      onSilence();
      answer();
    });
    try {
      await send(message, options);
    } catch (failure) {
      if (isUnauthorized(failure) || failure instanceof InsufficientScopeError || isHandledByClient(failure))
        throw failure;
      answer();
    }
  };
  return () => stop();
}

/** The client itself reads a 4xx answer for the versions that it names, and falls back to the old way if it names none. */
function isHandledByClient(failure: unknown): boolean {
  const status = httpStatusOf(failure) ?? 0;
  return status >= 400 && status < 500 && status !== 403;
}
