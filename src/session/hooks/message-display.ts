/**
 * Changes what people see of the model's text, if MessageDisplay hooks say so. The conversation, its transcript and every
 * `message` keep the original text. Loaded only if there is such a hook.
 */
import type { ClockPort, IdPort } from "../../loop/ports.ts";
import { waitFor, type Steps } from "../../lib/steps.ts";
import type { HookPort } from "../../protocol/hook.ts";
import type {
  SDKAssistantMessage,
  SDKMessage,
  SDKPartialAssistantMessage,
  SDKStreamEvent,
} from "../../protocol/sdk.ts";

export interface DisplayParts {
  hooks: HookPort;
  clock: ClockPort;
  ids: IdPort;
  sessionId: string;
  /** Shows the text of a message as it streams. */
  byLines: boolean;
  /** The signal of the turn. */
  signal: AbortSignal;
  /** Called when a message is shown with a different text. */
  onShown: (uuid: string, shown: string) => void;
}

/** Lines that arrive within this time of a call wait for the next call: a program is not started for each line. */
const minCallIntervalMs = 100;
/** If a hook fails after more than this, no MessageDisplay hook is called again in the turn. */
const slowFailureMs = 1_000;

/** A text that is being shown. */
interface DisplayedText {
  id: string;
  index: number;
  raw: string;
  /** Text that hooks have not seen yet. */
  unseenText: string;
  shownText: string;
  isOver: boolean;
}

export class MessageDisplay {
  readonly #parts: DisplayParts;
  readonly #turnId: string;
  readonly #reported = new Set<string>();
  #streamed: DisplayedText | undefined;
  #lastCallAt = -Infinity;
  #hasGivenUp = false;

  constructor(parts: DisplayParts) {
    this.#parts = parts;
    this.#turnId = parts.ids.uuid();
  }

  readonly pass = (message: SDKMessage): Steps<SDKMessage, void> => this.#pass(message);

  *#pass(message: SDKMessage): Steps<SDKMessage, void> {
    if (message.type === "assistant") yield* this.#showMessage(message);
    else if (message.type === "stream_event" && this.#parts.byLines) yield* this.#showStreamEvent(message);
    else yield message;
  }

  *#showMessage(message: SDKAssistantMessage): Steps<SDKMessage, void> {
    const text = message.message.content
      .flatMap((block) => (block.type === "text" ? [String(block["text"])] : []))
      .join("");
    const streamed = this.#streamed;
    this.#streamed = undefined;
    const isAnothers = message.error !== undefined || message.parent_tool_use_id !== null;
    if (text === "" || isAnothers) {
      yield message;
      return;
    }
    const isShown = streamed?.raw === text;
    const shown = isShown ? streamed : this.#begin(message.uuid, text);
    if (!shown.isOver) {
      const rest = yield* this.#runHooks(shown, shown.unseenText, true);
      if (isShown && rest !== "") yield this.#delta(rest);
    }
    const isChanged = shown.shownText !== text;
    if (isChanged) this.#parts.onShown(message.uuid, shown.shownText);
    yield isChanged ? { ...message, display_content: shown.shownText } : message;
  }

  /** Holds back streamed text until its lines are complete and hooks have seen them. */
  *#showStreamEvent(message: SDKPartialAssistantMessage): Steps<SDKMessage, void> {
    const { event } = message;
    const block = event["content_block"] as { type?: unknown } | undefined;
    const delta = event["delta"] as { type?: unknown; text?: unknown } | undefined;
    const streamed = this.#streamed;
    if (event.type === "content_block_start") {
      this.#streamed = block?.type === "text" ? this.#begin(this.#parts.ids.uuid(), "") : undefined;
    } else if (streamed !== undefined && event.type === "content_block_delta" && typeof delta?.text === "string") {
      streamed.raw += delta.text;
      streamed.unseenText += delta.text;
      const length = streamed.unseenText.lastIndexOf("\n") + 1;
      if (length === 0 || this.#parts.clock.elapsed() - this.#lastCallAt < minCallIntervalMs) return;
      const lines = streamed.unseenText.slice(0, length);
      streamed.unseenText = streamed.unseenText.slice(length);
      const text = yield* this.#runHooks(streamed, lines, false);
      if (text !== "") yield { ...message, event: { ...event, delta: { ...delta, text } } as SDKStreamEvent };
      return;
    } else if (streamed !== undefined && event.type === "content_block_stop" && !streamed.isOver) {
      const rest = yield* this.#runHooks(streamed, streamed.unseenText, true);
      if (rest !== "") yield this.#delta(rest, event.index);
    }
    yield message;
  }

  #begin(id: string, text: string): DisplayedText {
    return { id, index: 0, raw: text, unseenText: text, shownText: "", isOver: false };
  }

  /** Returns the text to show instead. */
  *#runHooks(of: DisplayedText, delta: string, final: boolean): Steps<SDKMessage, string> {
    const { hooks, clock, signal } = this.#parts;
    of.isOver = final;
    of.unseenText = final ? "" : of.unseenText;
    let shown = delta;
    if (!this.#hasGivenUp) {
      const own = { turn_id: this.#turnId, message_id: of.id, index: of.index++, final, delta };
      const answer = yield* waitFor(hooks.run({ hook_event_name: "MessageDisplay", ...own }, signal));
      this.#lastCallAt = clock.elapsed();
      shown = answer.displayContent ?? delta;
      this.#hasGivenUp = answer.runs?.some(({ isOk, durationMs }) => !isOk && durationMs > slowFailureMs) === true;
      const more = this.#hasGivenUp ? ["MessageDisplay: its hooks are not asked again in this turn."] : [];
      for (const text of [...answer.notices.map((notice) => notice.text), ...more]) yield* this.#reportOnce(text);
    }
    of.shownText += shown;
    return shown;
  }

  /** Each problem is reported once per turn: a failing hook fails for every line. */
  *#reportOnce(content: string): Steps<SDKMessage, void> {
    if (this.#reported.has(content)) return;
    this.#reported.add(content);
    const { ids, sessionId: session_id } = this.#parts;
    const own = { uuid: ids.uuid(), session_id };
    yield { type: "system", subtype: "informational", content, level: "warning", tag: "hook", ...own };
  }

  #delta(text: string, index = 0): SDKMessage {
    const { ids, sessionId: session_id } = this.#parts;
    const event: SDKStreamEvent = { type: "content_block_delta", index, delta: { type: "text_delta", text } };
    return { type: "stream_event", event, parent_tool_use_id: null, uuid: ids.uuid(), session_id };
  }
}
