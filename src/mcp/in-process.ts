/** Connections that do not leave the process: a server in this process, and a transport that its host keeps open. */
import { errorText } from "../lib/error-text.ts";
import { isPromise } from "../lib/steps.ts";
import { fireAndForget } from "../lib/fire-and-forget.ts";
import { rejectOnAbort } from "../lib/reject-on-abort.ts";
import type { McpServerInstance, McpTransport } from "../protocol/mcp.ts";
import { closeWithinLimit } from "./close-within-limit.ts";
import { repairMessage } from "./message-repair.ts";
import type { McpClock } from "./world.ts";

export type StartedTransport = McpTransport & {
  start(): Promise<void>;
  send(message: unknown): Promise<void>;
  close(): Promise<void>;
};

/** A JSON-RPC error code. */
const internalError = -32_603;

/** One end of a pair. Messages arrive at the other end as copies, later: neither side can change what the other holds. */
class End implements McpTransport {
  onmessage?: (message: never) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  peer: End | undefined;
  #queued: unknown[] | null = [];
  #isClosed = false;

  start(): Promise<void> {
    const waiting = this.#queued ?? [];
    this.#queued = null;
    for (const message of waiting) this.#deliver(message);
    return Promise.resolve();
  }

  send(message: unknown): Promise<void> {
    const { peer } = this;
    if (this.#isClosed || peer === undefined) return Promise.reject(new Error("the connection is closed"));
    const copy: unknown = JSON.parse(JSON.stringify(message));
    if (peer.#queued === null) peer.#deliver(copy);
    else peer.#queued.push(copy);
    return Promise.resolve();
  }

  #deliver(message: unknown): void {
    queueMicrotask(() => {
      if (this.#isClosed) return;
      const handled = (async () => this.onmessage?.(message as never))();
      handled.then(undefined, (error: unknown) => this.#answerFailure(message, error));
    });
  }

  /** A server error becomes its answer: thrown, it would end the host's process, and the call would wait for ever. */
  #answerFailure(message: unknown, error: unknown): void {
    const { id, method } = Object(message) as { id?: unknown; method?: unknown };
    if (id === undefined || method === undefined) return;
    const answer = { jsonrpc: "2.0", id, error: { code: internalError, message: errorText(error) } };
    fireAndForget(() => this.send(answer));
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // The server's own close handler is not awaited.
    fireAndForget(() => this.onclose?.());
    await this.peer?.close();
  }
}

/** Connects the server to one end and returns the other. */
export async function connectInstance(instance: McpServerInstance, signal: AbortSignal): Promise<StartedTransport> {
  const [clientEnd, serverEnd] = [new End(), new End()];
  clientEnd.peer = serverEnd;
  serverEnd.peer = clientEnd;
  try {
    await rejectOnAbort((async () => instance.connect(serverEnd))(), signal);
  } catch (error) {
    // The server may connect later, or believe it is connected and refuse to connect again.
    await clientEnd.close();
    throw error;
  }
  return clientEnd;
}

/** Wraps the host's transport, which may have no `start` and may answer synchronously. Throws if it is not a transport. */
export function adaptTransport(hostTransport: McpTransport, clock: McpClock): StartedTransport {
  // A promise instead of a transport is refused below; its own rejection would be unhandled.
  if (isPromise(hostTransport)) hostTransport.then(undefined, () => undefined);
  const { send, close } = Object(hostTransport) as Partial<McpTransport>;
  if (typeof send !== "function" || typeof close !== "function")
    throw new Error("its open() did not return a transport, an object with the functions send and close");
  const transport: StartedTransport = {
    async start() {
      hostTransport.onmessage = (message) => transport.onmessage?.(repairMessage(message) as never);
      hostTransport.onclose = () => transport.onclose?.();
      hostTransport.onerror = (error) => transport.onerror?.(error);
      await hostTransport.start?.();
    },
    async send(message) {
      await hostTransport.send(message);
    },
    async close() {
      // After a failed handshake the client closes its transport without awaiting it: a failure here would be unhandled.
      await closeWithinLimit(clock, () => hostTransport.close());
      transport.onclose?.();
    },
  };
  return transport;
}
