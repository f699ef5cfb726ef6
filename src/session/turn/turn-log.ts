/** What the engine learns from the events of one user turn: the figures and texts its result is made of. */
import { present } from "../../lib/present.ts";
import type { QueryEvent } from "../../protocol/event.ts";
import type { SDKPermissionDenial } from "../../protocol/sdk.ts";
import type { SDKFailure } from "../../protocol/sdk-failure.ts";
import { noUsage, type Usage } from "../../protocol/usage.ts";

/** A text, and what people were shown in its place where that is another. */
type Said = Pick<TurnLog, "text" | "displayed">;

export class TurnLog {
  usage: Usage = noUsage;
  turnCount = 1;
  /** The init has been told. */
  isAnnounced = false;
  /** User messages the client was shown: tool results, and what the loop and the user said meanwhile. */
  userMessages = 0;
  stopReason: string | null = null;
  /** The call that was put off, and cannot be taken up. */
  deferral: { id: string; name: string; input: Record<string, unknown>; isUnavailable: true } | undefined;
  durationApiMs = 0;
  readonly errors: string[] = [];
  /** The provider's, of the request whose failure is the last of them. */
  failedRequest: Pick<SDKFailure, "request_id" | "status"> = {};
  readonly denials: SDKPermissionDenial[] = [];
  readonly #clock: { elapsed(): number };
  #requestStart: number | null = null;
  #messageId: string | null = null;
  /** What was said before the output limit cut it, where the next response goes on with it. */
  #pieces = "";
  /** The same as people were shown it; undefined: as it is. */
  #shownPieces: string | undefined;
  #goesOn = false;
  #before: Said = { text: "", displayed: undefined };
  #texts: { uuid: string; text: string; shown?: string }[] = [];

  constructor(clock: { elapsed(): number }) {
    this.#clock = clock;
  }

  /** Text of the last response, with the pieces before it where the output limit cut it. */
  get text(): string {
    return this.#pieces + this.#texts.map((part) => part.text).join("");
  }

  /** What people were shown in its place; undefined where that is the text itself. */
  get displayed(): string | undefined {
    if (this.#shownPieces === undefined && this.#texts.every(({ shown }) => shown === undefined)) return undefined;
    return (this.#shownPieces ?? this.#pieces) + this.#texts.map(({ text, shown }) => shown ?? text).join("");
  }

  /** What the last response says; where that is nothing, the one before it that said something. */
  get lastSaid(): Said {
    const { text, displayed } = this;
    return text.trim() === "" ? this.#before : { text, displayed };
  }

  /** A message was shown as this. */
  display(uuid: string, shown: string): void {
    for (const part of this.#texts) if (part.uuid === uuid) part.shown = shown;
  }

  observe(event: QueryEvent): void {
    switch (event.type) {
      case "assistant":
        return this.#assistant(event);
      case "tombstone":
        this.#texts = this.#texts.filter((part) => !event.targets.includes(part.uuid));
        return;
      case "response_end":
        this.usage = addUsage(this.usage, event.usage);
        this.stopReason = event.stopReason ?? this.stopReason;
        if (this.#requestStart !== null) this.durationApiMs += Math.round(this.#clock.elapsed() - this.#requestStart);
        // What follows without a new request of the loop's is the same one, asked again.
        this.#requestStart = this.#clock.elapsed();
        return;
      case "stream_request_start":
        this.#requestStart = this.#clock.elapsed();
        return;
      case "transition":
        this.turnCount = event.turnCount;
        this.#goesOn = event.transition.reason === "max_output_tokens_recovery";
        if (!this.#goesOn) return;
        this.#shownPieces = this.displayed;
        this.#pieces = this.text;
        this.#texts = [];
        return;
      case "permission_denied":
        this.denials.push({
          tool_name: event.toolName,
          tool_use_id: event.toolUseId,
          tool_input: structuredClone(event.input),
        });
        return;
      default:
    }
  }

  #assistant(message: Extract<QueryEvent, { type: "assistant" }>): void {
    if (message.apiError !== undefined) {
      for (const block of message.content) if (block.type === "text") this.errors.push(block.text);
      this.failedRequest = present({ request_id: message.requestId, status: message.apiError.status });
      return;
    }
    if (message.messageId !== this.#messageId) {
      this.#before = this.lastSaid;
      this.#texts = [];
      if (!this.#goesOn) {
        this.#pieces = "";
        this.#shownPieces = undefined;
      }
    }
    this.#messageId = message.messageId;
    for (const block of message.content)
      if (block.type === "text") this.#texts.push({ uuid: message.uuid, text: block.text });
  }
}

const rareUsage = [
  "cacheCreation5mInputTokens",
  "cacheCreation1hInputTokens",
  "webSearchRequests",
  "webFetchRequests",
  "thinkingTokens",
] as const;

function addUsage(one: Usage, other: Usage): Usage {
  const sum: Usage = {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cacheCreationInputTokens: one.cacheCreationInputTokens + other.cacheCreationInputTokens,
    cacheReadInputTokens: one.cacheReadInputTokens + other.cacheReadInputTokens,
  };
  for (const key of rareUsage)
    if (one[key] !== undefined || other[key] !== undefined) sum[key] = (one[key] ?? 0) + (other[key] ?? 0);
  const { serviceTier = one.serviceTier, inferenceGeo = one.inferenceGeo } = other;
  if (serviceTier !== undefined) sum.serviceTier = serviceTier;
  if (inferenceGeo !== undefined) sum.inferenceGeo = inferenceGeo;
  return sum;
}
