/** Requests to the client, each with its own id. A request settles with its answer, an abort, or the end of the client's input. */
import type { WireObject, Reply } from "./frame.ts";

/** The client has closed its input, so it cannot be asked anything. */
export class ClientGone extends Error {
  override readonly name = "ClientGone";
}

export interface ClientRequest extends WireObject {
  subtype: string;
}

interface Pending {
  request: ClientRequest;
  settle: (reply: Reply) => void;
  fail: (error: Error) => void;
}

const subtypesForPeople: ReadonlySet<string> = new Set(["can_use_tool", "elicitation"]);

export class ClientRequests {
  readonly #write: (message: object) => void;
  readonly #newId: () => string;
  readonly #onChange: () => void;
  readonly #pending = new Map<string, Pending>();
  /** Receivers of messages from servers that live in the client, by server name. */
  readonly servers = new Map<string, (message: object) => void>();
  #isClosed = false;
  /** How many requests for a person the client has answered. */
  answersOfPeople = 0;

  /** `onChange` is called when a request is sent and when it settles. */
  constructor(write: (message: object) => void, newId: () => string, onChange = (): void => {}) {
    this.#write = write;
    this.#newId = newId;
    this.#onChange = onChange;
  }

  get isWaiting(): boolean {
    return this.#pending.size > 0;
  }

  /** True while a request waits for a person. */
  get isWaitingForPerson(): boolean {
    return this.#isWaitingFor((subtype) => subtypesForPeople.has(subtype));
  }

  /** True while the turn waits for the client: for a person's answer, or for a hook of the client. */
  get blocksTurn(): boolean {
    return this.#isWaitingFor((subtype) => subtypesForPeople.has(subtype) || subtype === "hook_callback");
  }

  #isWaitingFor(matches: (subtype: string) => boolean): boolean {
    for (const { request } of this.#pending.values()) if (matches(request.subtype)) return true;
    return false;
  }

  /** Rejects with the client's own error, with `ClientGone`, or once `signal` aborts, of which the client is told. */
  send(request: ClientRequest, signal?: AbortSignal): Promise<WireObject> {
    if (this.#isClosed) return Promise.reject(clientGoneError());
    if (signal?.aborted === true)
      return Promise.reject(new Error("the request was cancelled before it was sent to the client"));
    const requestId = this.#newId();
    return new Promise((resolve, reject) => {
      const forget = (): void => {
        this.#pending.delete(requestId);
        signal?.removeEventListener("abort", withdraw);
        this.#onChange();
      };
      const withdraw = (): void => {
        forget();
        this.#write({ type: "control_cancel_request", request_id: requestId });
        reject(new Error("the request was cancelled while it waited for the client"));
      };
      signal?.addEventListener("abort", withdraw);
      this.#pending.set(requestId, {
        request,
        settle: (reply) => {
          forget();
          if (reply.ok) resolve(reply.value);
          else reject(new Error(reply.error));
        },
        fail: (error) => {
          forget();
          reject(error);
        },
      });
      this.#write({ type: "control_request", request_id: requestId, request });
      this.#onChange();
    });
  }

  /** Sends the request without waiting for an answer, even to a client that has closed its input and still reads. */
  sendWithoutReply(request: ClientRequest): void {
    this.#write({ type: "control_request", request_id: this.#newId(), request });
  }

  /** Returns false if no request waits for this answer: it came late or twice. */
  answer(requestId: string, reply: Reply): boolean {
    const pending = this.#pending.get(requestId);
    if (pending !== undefined && subtypesForPeople.has(pending.request.subtype)) this.answersOfPeople++;
    pending?.settle(reply);
    return pending !== undefined;
  }

  /** Returns the open requests as they were sent, for a client that has lost track. */
  openRequests(subtype: string): object[] {
    return Array.from(this.#pending)
      .filter(([, { request }]) => request.subtype === subtype)
      .map(([requestId, { request }]) => ({ type: "control_request", request_id: requestId, request }));
  }

  /** Fails all open requests, because no answer can come any more. */
  close(): void {
    this.#isClosed = true;
    for (const { fail } of this.#pending.values()) fail(clientGoneError());
  }
}

function clientGoneError(): ClientGone {
  return new ClientGone("the client has closed its input, so it cannot be asked");
}
