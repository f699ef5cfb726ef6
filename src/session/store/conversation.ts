/** The conversation in memory, always equal to the fold of the records on disk: a record only counts once it is written. */
import type { Attachment, Message } from "../../protocol/message.ts";
import type { AppendResult, RunNote, TranscriptPort } from "../../protocol/record.ts";
import type { MessageAppendResult } from "../../transcript/index.ts";
import type { Usage } from "../../protocol/usage.ts";
import { answeredClientIds, clientMessageId } from "./client-ids.ts";

export interface RecordSink {
  append(message: Message, soFar?: Usage): MessageAppendResult;
  appendMeta(kind: "run", note: RunNote): AppendResult;
  has(uuid: string): boolean;
}

/** Observes what is recorded. Must not throw. */
export interface RecordWatch {
  onMessage(message: Message): void;
  onNote(note: RunNote): void;
}

const maxSummedUpIds = 500;

export class Conversation implements TranscriptPort {
  readonly #sink: RecordSink | null;
  readonly #fold: (messages: Message[], message: Message) => void;
  readonly #messages: Message[];
  readonly #takenSourceUuids = new Set<string>();
  /** Ids of answered prompts that a summary replaces. */
  readonly #summedUp: Set<string>;
  readonly #watch: RecordWatch | undefined;
  /** Uuids of prompts that `UserPromptSubmit` hooks have not admitted yet: no model sees them. */
  readonly unjudged = new Set<string>();
  /** Called for each recorded message from another agent. */
  onMail?: (id: string) => void;
  #lastCompleteUuid: string | undefined;
  #isBehind = false;
  #hasGaps = false;
  readonly #attached = new WeakSet<Attachment>();

  /** `sink` null: nothing is persisted. `fold` is the transcript's own function. */
  constructor(
    sink: RecordSink | null,
    fold: (messages: Message[], message: Message) => void,
    messages: readonly Message[],
    watch?: RecordWatch,
    summedUp: readonly string[] = [],
  ) {
    this.#sink = sink;
    this.#fold = fold;
    this.#watch = watch;
    this.#messages = [...messages];
    this.#summedUp = new Set(summedUp);
    this.#lastCompleteUuid = messages.at(-1)?.uuid;
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** The uuid of a message up to which no answer is incomplete. */
  get lastCompleteUuid(): string | undefined {
    return this.#lastCompleteUuid;
  }

  /** Whether the last message could not be recorded. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** Whether a part was summarized or removed since the last call. Compactions do not count: other code repeats what they remove. */
  takeGaps(): boolean {
    const hasGaps = this.#hasGaps;
    this.#hasGaps = false;
    return hasGaps;
  }

  append(message: Message, soFar?: Usage): MessageAppendResult {
    // Added before the boundary is written, since the boundary carries these ids.
    if (message.type === "compact_boundary") for (const id of answeredClientIds(this.#messages)) this.#summedUp.add(id);
    const result: MessageAppendResult = this.#sink?.append(message, soFar) ?? { ok: true };
    this.#isBehind = !result.ok;
    if (!result.ok) return result;
    const attached = message.type === "attachment" ? message.attachment : undefined;
    if (attached?.kind === "queued_command") this.#takenSourceUuids.add(attached.sourceUuid);
    this.#fold(this.#messages, message);
    if (message.type === "collapse_commit" || message.type === "snip_boundary") this.#hasGaps = true;
    if (attached !== undefined) this.#attached.add(attached);
    if (attached?.kind === "reminder" && attached.mail !== undefined) this.onMail?.(attached.mail.id);
    // The boundary was written between the records of an answer: what it keeps of that answer is final, although later records are
    // dropped.
    if (message.type === "compact_boundary") this.#lastCompleteUuid = message.messages.at(-1)?.uuid;
    this.#watch?.onMessage(message);
    return result;
  }

  /** Whether this very attachment object has been recorded. */
  hasAttached(attachment: Attachment): boolean {
    return this.#attached.has(attachment);
  }

  note(note: RunNote): void {
    this.#sink?.appendMeta("run", note);
    this.#watch?.onNote(note);
  }

  /** Whether a message with this id is on record, even if it was removed from the conversation since. */
  isOnRecord(uuid: string): boolean {
    return this.#sink?.has(uuid) === true;
  }

  /** Whether queued input with this id is, or has been, part of the conversation. */
  hasTaken(sourceUuid: string): boolean {
    if (this.#takenSourceUuids.has(sourceUuid) || this.isSummedUp(sourceUuid)) return true;
    return this.#messages.some((message) => clientMessageId(message) === sourceUuid);
  }

  /** Whether a prompt with this id was answered before a summary replaced it. */
  isSummedUp(id: string): boolean {
    return this.#summedUp.has(id);
  }

  /** The newest of these ids: a client that is unsure resends what it sent last. */
  get summedUp(): string[] {
    return [...this.#summedUp].slice(-maxSummedUpIds);
  }
}
