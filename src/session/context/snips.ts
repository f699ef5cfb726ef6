/** Snips: spans of history removed on demand. Checks the embedder's callback, and holds requests that wait for a border. */
import { errorText } from "../../lib/error-text.ts";
import { PawlError } from "../../lib/pawl-error.ts";
import type { Message, SnipBoundaryMessage, SnipReplay } from "../../protocol/message.ts";
import { isMark, judgeSpan, type SnipRequest, type Snipped } from "../../context/index.ts";
import { foldMessageInto } from "../../transcript/fold.ts";

export type { SnipRequest };

export type SnipErrorCode =
  | Extract<Snipped, { ok: false }>["code"]
  /** No `snipReplay` was given. */
  | "no_callback"
  /** Disabled by settings or environment. */
  | "switched_off"
  /** The transcript could not be written. */
  | "not_recorded";

/** Nothing was removed; `message` says why and what would work. */
export class SnipError extends PawlError {
  override readonly name = "SnipError";
  readonly code: SnipErrorCode;
  readonly retryable: boolean;

  constructor(code: SnipErrorCode, message: string) {
    super(message);
    this.code = code;
    this.retryable = code === "not_recorded";
  }
}

/** `waiting`: a turn is running, and the snip is judged again and applied at the next border. */
export type SnipAnswer = { state: "applied"; boundary: SnipBoundaryMessage } | { state: "waiting" };

export interface SnipsOptions {
  replay: SnipReplay | undefined;
  isEnabled: boolean;
  /** For people, one sentence each. */
  notice(text: string): void;
}

export class Snips {
  /** Given to the transcript's fold; undefined if nothing can execute a snip. */
  readonly replay: SnipReplay | undefined;
  /** The transcript's fold, with the callback. */
  readonly foldInto: (messages: Message[], message: Message) => void;
  readonly #options: SnipsOptions;
  #waiting: SnipRequest[] = [];

  constructor(options: SnipsOptions) {
    this.#options = options;
    const { replay, isEnabled } = options;
    const execute =
      isEnabled && replay !== undefined ? withCheckedReplay(replay, (text) => options.notice(text)) : undefined;
    this.replay = execute;
    this.foldInto =
      execute === undefined ? foldMessageInto : (messages, message) => this.#fold(messages, message, execute);
  }

  /** Throws `SnipError`. */
  assertReady(): void {
    if (!this.#options.isEnabled)
      throw new SnipError("switched_off", "Snips are switched off (snipEnabled in settings, or DISABLE_SNIP).");
    if (this.replay === undefined)
      throw new SnipError("no_callback", "No snipReplay was given to createEngine(): nothing can take the span out.");
  }

  /** Queues a snip for the next border of the running turn. Throws `SnipError` if the span is already invalid. */
  add(request: SnipRequest, messages: readonly Message[]): void {
    const verdict = judgeSpan(messages, request, true);
    if (!verdict.ok) throw new SnipError(verdict.code, verdict.message);
    this.#waiting.push({ ...request });
  }

  /** Each request waits until it is recorded or dropped. */
  waitingRequests(): readonly SnipRequest[] {
    return [...this.#waiting];
  }

  drop(request: SnipRequest): void {
    this.#waiting = this.#waiting.filter((each) => each !== request);
  }

  /** Takes all requests; none waits any more. */
  take(): SnipRequest[] {
    return this.#waiting.splice(0);
  }

  #fold(messages: Message[], message: Message, execute: SnipReplay): void {
    foldMessageInto(messages, message, execute);
    if (message.type !== "snip_boundary") return;
    const done = this.#waiting.find(({ fromUuid }) => fromUuid === message.fromUuid);
    if (done !== undefined) this.drop(done);
  }

  /** What a resume says about snips it did not execute; undefined if there are none. */
  unappliedText(count: number): string | undefined {
    if (count === 0) return undefined;
    const what =
      count === 1 ? "A part of the history that was removed is" : `${count} parts of the history that were removed are`;
    const why = !this.#options.isEnabled
      ? "snips are switched off"
      : this.replay === undefined
        ? "this session was opened without snipReplay"
        : "snipReplay did not execute it";
    return `${what} back in the conversation, because ${why}. Nothing is lost, and its record stays.`;
  }
}

/**
 * Asks the callback once per boundary and keeps its answer, so that the conversation in memory and on disk are the same. An
 * answer that would harm the conversation is ignored.
 */
function withCheckedReplay(replay: SnipReplay, notice: (text: string) => void): SnipReplay {
  const removedByBoundary = new WeakMap<SnipBoundaryMessage, ReadonlySet<string>>();
  return (boundary, messages) => {
    const known = removedByBoundary.get(boundary);
    if (known !== undefined) return messages.filter(({ uuid }) => !known.has(uuid));
    const remaining = callReplay(replay, boundary, messages);
    if (remaining === undefined) return undefined;
    const why = typeof remaining === "string" ? remaining : replayProblem(remaining, boundary, messages);
    if (typeof remaining === "string" || why !== undefined) {
      notice(`snipReplay ${why ?? "failed"}; the span from ${boundary.fromUuid} to ${boundary.toUuid} stays.`);
      return undefined;
    }
    const kept = new Set(remaining);
    removedByBoundary.set(boundary, new Set(messages.filter((message) => !kept.has(message)).map(({ uuid }) => uuid)));
    return remaining;
  };
}

/** A string says how it failed. */
function callReplay(
  replay: SnipReplay,
  boundary: SnipBoundaryMessage,
  messages: readonly Message[],
): readonly Message[] | string | undefined {
  try {
    const remaining: unknown = replay(boundary, messages);
    if (remaining === undefined) return undefined;
    return Array.isArray(remaining) ? (remaining as Message[]) : "returned something that is not a list of messages";
  } catch (error) {
    return `failed (${errorText(error)})`;
  }
}

function replayProblem(
  remaining: readonly Message[],
  { fromUuid, toUuid }: SnipBoundaryMessage,
  messages: readonly Message[],
): string | undefined {
  const from = messages.findIndex(({ uuid }) => uuid === fromUuid);
  const to = messages.findIndex(({ uuid }) => uuid === toUuid);
  let next = 0;
  for (const [at, message] of messages.entries()) {
    if (remaining[next] === message) next++;
    else if (at < from || at > to) return "removed more than the span";
    else if (isMark(message)) return "removed a record that controls which part of the history is sent";
  }
  if (next < remaining.length) return "added or changed messages";
  if (next === messages.length) return "left the span where it is";
  return countUnpairedBlocks(remaining) === countUnpairedBlocks(messages)
    ? undefined
    : "separated a tool call from its result";
}

/** Calls without a result and results without a call. */
function countUnpairedBlocks(messages: readonly Message[]): number {
  const calls = new Set<string>();
  const results = new Set<string>();
  for (const message of messages) {
    if (message.type !== "assistant" && message.type !== "user") continue;
    for (const block of message.content) {
      if (block.type === "tool_use") calls.add(block.id);
      if (block.type === "tool_result") results.add(block.tool_use_id);
    }
  }
  const paired = [...calls].filter((id) => results.has(id)).length;
  return calls.size + results.size - 2 * paired;
}
