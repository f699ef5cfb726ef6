/** Connections that leave no process: a server in this one, and a way its host keeps open. */
import { errorText } from "../lib/error-text.ts";
import { isPromise } from "../lib/steps.ts";
import { tell } from "../lib/unheard.ts";
import { untilAbort } from "../lib/until-abort.ts";
import type { McpServerInstance, McpTransport } from "../protocol/mcp.ts";
import { goodbye } from "./goodbye.ts";
import { wellFormed } from "./well-formed.ts";
import type { McpClock } from "./world.ts";

export type StartedTransport = McpTransport & {
  start(): Promise<void>;
  send(message: unknown): Promise<void>;
  close(): Promise<void>;
};

/** Of JSON-RPC. */
const internalError = -32_603;

/** One end of a pair. What is sent comes out at the other end as a copy, later: neither side can change what the other holds. */
class End implements McpTransport {
  onmessage?: (message: never) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  other: End | undefined;
  #waiting: unknown[] | null = [];
  #isClosed = false;

  start(): Promise<void> {
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const message of waiting) this.#deliver(message);
    return Promise.resolve();
  }

  send(message: unknown): Promise<void> {
    const { other } = this;
    if (this.#isClosed || other === undefined) return Promise.reject(new Error("the connection is closed"));
    const copy: unknown = JSON.parse(JSON.stringify(message));
    if (other.#waiting === null) other.#deliver(copy);
    else other.#waiting.push(copy);
    return Promise.resolve();
  }

  #deliver(message: unknown): void {
    queueMicrotask(() => {
      if (this.#isClosed) return;
      const handled = (async () => this.onmessage?.(message as never))();
      handled.then(undefined, (error: unknown) => this.#answerFailure(message, error));
    });
  }

  /** A server that fails over a message answers it so: what it throws would end its host's process, and its call would wait. */
  #answerFailure(message: unknown, error: unknown): void {
    const { id, method } = Object(message) as { id?: unknown; method?: unknown };
    if (id === undefined || method === undefined) return;
    const answer = { jsonrpc: "2.0", id, error: { code: internalError, message: errorText(error) } };
    tell(() => this.send(answer));
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // What the server does at its end is its own, and not waited for.
    tell(() => this.onclose?.());
    await this.other?.close();
  }
}

/** Connects the server to one end and answers the other. */
export async function connectInstance(instance: McpServerInstance, signal: AbortSignal): Promise<StartedTransport> {
  const [ours, theirs] = [new End(), new End()];
  ours.other = theirs;
  theirs.other = ours;
  try {
    await untilAbort((async () => instance.connect(theirs))(), signal);
  } catch (error) {
    // It may come later, or believe itself connected, and would refuse to be so again.
    await ours.close();
    throw error;
  }
  return ours;
}

/** What a host gave need not start, and may answer at once. Throws where it is none. */
export function adapted(given: McpTransport, clock: McpClock): StartedTransport {
  // One that will not be awaited may fail: nobody would hear of it.
  if (isPromise(given)) given.then(undefined, () => undefined);
  const { send, close } = Object(given) as Partial<McpTransport>;
  if (typeof send !== "function" || typeof close !== "function")
    throw new Error("its open() gave no way to it, which is an object with the functions send and close");
  const transport: StartedTransport = {
    async start() {
      given.onmessage = (message) => transport.onmessage?.(wellFormed(message) as never);
      given.onclose = () => transport.onclose?.();
      given.onerror = (error) => transport.onerror?.(error);
      await given.start?.();
    },
    async send(message) {
      await given.send(message);
    },
    async close() {
      // A client that could not shake hands closes its way and awaits nothing: a failure here would be nobody's.
      await goodbye(clock, () => given.close());
      transport.onclose?.();
    },
  };
  return transport;
}
