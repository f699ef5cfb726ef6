// Every call the loop makes of a port goes through here: it is counted, written down in order, and one of them can be made
// to fail. What the laws know of a run, they know from this record.

export type FaultKind = "throw" | "failure" | "hang";

export interface Fault {
  /** Which call, counted from 0 over all ports. */
  at: number;
  kind: FaultKind;
}

export interface PortCall {
  at: number;
  name: string;
  key?: string;
  /** Ids and names the laws ask for. */
  about?: string;
  /** What tells the call to end. */
  signal?: AbortSignal;
  isAsync: boolean;
  hasFailureValue: boolean;
  /** How many messages the consumer had been given when the call was made. */
  afterEvents: number;
  /** Virtual time, ms. */
  time: number;
}

interface Note {
  key?: string;
  signal?: AbortSignal;
  about?: string;
}

export class World {
  readonly calls: PortCall[] = [];
  /** Of a long run only the end is kept: requests, calls and inputs of what is over are let go. */
  isLean = false;
  readonly #fault: Fault | null;
  readonly #now: () => number;
  /** The call that was made to fail. */
  faulted: PortCall | null = null;
  eventsSeen = 0;
  /** How many records the transcript holds. */
  records: () => number = () => 0;
  /** Told of each call as it is made. */
  onCall: ((call: PortCall) => void) | null = null;
  /** Calls made up to the moment of the cancel; null while nobody has cancelled. */
  callsAtCancel: number | null = null;

  constructor(now: () => number, fault: Fault | null = null) {
    this.#now = now;
    this.#fault = fault;
  }

  call<T>(name: string, note: Note, real: () => T, failing?: () => T): T {
    const kind = this.#enter(name, note, false, failing !== undefined);
    if (kind === "throw") throw new Error(`injected at ${name}`);
    return kind === "failure" && failing !== undefined ? failing() : real();
  }

  async callAsync<T>(name: string, note: Note, real: () => Promise<T>, failing?: () => T): Promise<T> {
    const kind = this.#enter(name, note, true, failing !== undefined);
    if (kind === "throw") throw new Error(`injected at ${name}`);
    if (kind === "hang") return new Promise<T>(() => {});
    return kind === "failure" && failing !== undefined ? failing() : real();
  }

  #enter(name: string, note: Note, isAsync: boolean, hasFailureValue: boolean): FaultKind | null {
    const entry: PortCall = {
      at: this.calls.length,
      name,
      isAsync,
      hasFailureValue,
      afterEvents: this.eventsSeen,
      time: this.#now(),
      ...note,
    };
    if (!this.isLean) this.calls.push(entry);
    this.onCall?.(entry);
    if (this.#fault?.at !== entry.at) return null;
    this.faulted = entry;
    return this.#fault.kind;
  }
}
