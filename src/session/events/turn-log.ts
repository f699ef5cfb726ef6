/** What the engine gathers from the events of one user turn: the figures and texts for its result. */
import { withoutUndefined } from "../../lib/without-undefined.ts";
import type { QueryEvent } from "../../protocol/event.ts";
import type { SDKPermissionDenial } from "../../protocol/sdk.ts";
import type { SDKFailure } from "../../protocol/sdk-failure.ts";
import { noUsage, type Usage } from "../../protocol/usage.ts";

/** A text, and what people were shown instead if that differs. */
type TurnText = Pick<TurnLog, "text" | "displayed">;

export class TurnLog {
  usage: Usage = noUsage;
  turnCount = 1;
  /** Whether the init message was sent. */
  isAnnounced = false;
  /** User messages shown to the client: tool results, and what the loop and the user added meanwhile. */
  userMessages = 0;
  stopReason: string | null = null;
  /** The deferred call whose tool does not exist now. */
  deferral: { id: string; name: string; input: Record<string, unknown>; isUnavailable: true } | undefined;
  durationApiMs = 0;
  readonly errors: string[] = [];
  /** Request id and status of the failed request behind the last error. */
  failedRequest: Pick<SDKFailure, "request_id" | "status"> = {};
  readonly denials: SDKPermissionDenial[] = [];
  readonly #clock: { elapsed(): number };
  #requestStart: number | null = null;
  #messageId: string | null = null;
  /** Text of responses that the output limit cut, if the next response continues it. */
  #pieces = "";
  /** The same text as people were shown it; undefined if it was shown unchanged. */
  #shownPieces: string | undefined;
  #isContinued = false;
  #before: TurnText = { text: "", displayed: undefined };
  #texts: { uuid: string; text: string; shown?: string }[] = [];

  constructor(clock: { elapsed(): number }) {
    this.#clock = clock;
  }

  /** Text of the last response, preceded by the text of the cut responses that it continues. */
  get text(): string {
    return this.#pieces + this.#texts.map((part) => part.text).join("");
  }

  /** What people were shown instead of the text; undefined if they saw the text itself. */
  get displayed(): string | undefined {
    if (this.#shownPieces === undefined && this.#texts.every(({ shown }) => shown === undefined)) return undefined;
    return (this.#shownPieces ?? this.#pieces) + this.#texts.map(({ text, shown }) => shown ?? text).join("");
  }

  /** The text of the last response, or if that is blank, of the last response before it that had some. */
  get lastNonBlankText(): TurnText {
    const { text, displayed } = this;
    return text.trim() === "" ? this.#before : { text, displayed };
  }

  /** Records the text that people were shown for a message. */
  display(uuid: string, shownText: string): void {
    for (const part of this.#texts) if (part.uuid === uuid) part.shown = shownText;
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
        // A response without a new request from the loop belongs to the same request, asked again.
        this.#requestStart = this.#clock.elapsed();
        return;
      case "stream_request_start":
        this.#requestStart = this.#clock.elapsed();
        return;
      case "transition":
        this.turnCount = event.turnCount;
        this.#isContinued = event.transition.reason === "max_output_tokens_recovery";
        if (!this.#isContinued) return;
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
      this.failedRequest = withoutUndefined({ request_id: message.requestId, status: message.apiError.status });
      return;
    }
    if (message.messageId !== this.#messageId) {
      this.#before = this.lastNonBlankText;
      this.#texts = [];
      if (!this.#isContinued) {
        this.#pieces = "";
        this.#shownPieces = undefined;
      }
    }
    this.#messageId = message.messageId;
    for (const block of message.content)
      if (block.type === "text") this.#texts.push({ uuid: message.uuid, text: block.text });
  }
}

const optionalUsageFields = [
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
  for (const key of optionalUsageFields)
    if (one[key] !== undefined || other[key] !== undefined) sum[key] = (one[key] ?? 0) + (other[key] ?? 0);
  const { serviceTier = one.serviceTier, inferenceGeo = one.inferenceGeo } = other;
  if (serviceTier !== undefined) sum.serviceTier = serviceTier;
  if (inferenceGeo !== undefined) sum.inferenceGeo = inferenceGeo;
  return sum;
}
