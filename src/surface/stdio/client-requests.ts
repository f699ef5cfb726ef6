/** What is asked of the client: each request under an id of its own, settled by its answer, an abort, or the client's going away. */
import type { Loose, Reply } from "./frame.ts";

/** The client has closed its side: nothing can be asked any more. */
export class ClientGone extends Error {
  override readonly name = "ClientGone";
}

export interface ClientRequest extends Loose {
  subtype: string;
}

interface Pending {
  request: ClientRequest;
  settle: (reply: Reply) => void;
  fail: (error: Error) => void;
}

const forPeople: ReadonlySet<string> = new Set(["can_use_tool", "elicitation"]);

export class ClientRequests {
  readonly #write: (message: object) => void;
  readonly #newId: () => string;
  readonly #changed: () => void;
  readonly #pending = new Map<string, Pending>();
  /** Where messages of servers that live in the client go, by the name of each. */
  readonly servers = new Map<string, (message: object) => void>();
  #isClosed = false;

  /** `changed` is told where something was asked, or is not asked any more. */
  constructor(write: (message: object) => void, newId: () => string, changed = (): void => {}) {
    this.#write = write;
    this.#newId = newId;
    this.#changed = changed;
  }

  get isWaiting(): boolean {
    return this.#pending.size > 0;
  }

  /** Something that a person answers. */
  get asksPerson(): boolean {
    return this.#asks((subtype) => forPeople.has(subtype));
  }

  /** What the turn waits for is with the client: a question to a person, or one of the client's hooks. */
  get isAwaited(): boolean {
    return this.#asks((subtype) => forPeople.has(subtype) || subtype === "hook_callback");
  }

  #asks(isMeant: (subtype: string) => boolean): boolean {
    for (const { request } of this.#pending.values()) if (isMeant(request.subtype)) return true;
    return false;
  }

  /** Rejects with the client's own error, with `ClientGone`, or once `signal` aborts; the client is told then. */
  send(request: ClientRequest, signal?: AbortSignal): Promise<Loose> {
    if (this.#isClosed) return Promise.reject(gone());
    if (signal?.aborted === true) return Promise.reject(new Error("it was cancelled before it was asked"));
    const requestId = this.#newId();
    return new Promise((resolve, reject) => {
      const forget = (): void => {
        this.#pending.delete(requestId);
        signal?.removeEventListener("abort", withdraw);
        this.#changed();
      };
      const withdraw = (): void => {
        forget();
        this.#write({ type: "control_cancel_request", request_id: requestId });
        reject(new Error("it was cancelled while the client was asked"));
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
      this.#changed();
    });
  }

  /** Says it without waiting for an answer: also to a client that has closed its side, and still reads. */
  tell(request: ClientRequest): void {
    this.#write({ type: "control_request", request_id: this.#newId(), request });
  }

  /** False where nobody waits for it: it came late, or twice. */
  answer(requestId: string, reply: Reply): boolean {
    const pending = this.#pending.get(requestId);
    pending?.settle(reply);
    return pending !== undefined;
  }

  /** As they were sent: for a client that has lost track. */
  pending(subtype: string): object[] {
    return Array.from(this.#pending)
      .filter(([, { request }]) => request.subtype === subtype)
      .map(([requestId, { request }]) => ({ type: "control_request", request_id: requestId, request }));
  }

  /** No answer can come any more. */
  close(): void {
    this.#isClosed = true;
    for (const { fail } of this.#pending.values()) fail(gone());
  }
}

function gone(): ClientGone {
  return new ClientGone("the client has closed its input, so it cannot be asked");
}
