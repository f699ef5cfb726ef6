/** The conversation in memory, kept equal to the fold of what is on disk: a record is written first, then it counts. */
import type { Attachment, Message } from "../../protocol/message.ts";
import type { AppendResult, RunNote, TranscriptPort } from "../../protocol/record.ts";
import type { Appended } from "../../transcript/index.ts";
import type { Usage } from "../../protocol/usage.ts";
import { answeredIds, givenId } from "./given-ids.ts";

export interface RecordSink {
  append(message: Message, soFar?: Usage): Appended;
  appendMeta(kind: "run", note: RunNote): AppendResult;
  has(uuid: string): boolean;
}

/** Told of what is on record. Must not throw. */
export interface RecordWatch {
  recorded(message: Message): void;
  noted(note: RunNote): void;
}

const mostSummedUp = 500;

export class Conversation implements TranscriptPort {
  readonly #sink: RecordSink | null;
  readonly #fold: (messages: Message[], message: Message) => void;
  readonly #messages: Message[];
  readonly #taken = new Set<string>();
  /** Ids of answered prompts that a summary stands for. */
  readonly #summedUp: Set<string>;
  readonly #watch: RecordWatch | undefined;
  /** Uuids of prompts that `UserPromptSubmit` hooks have not let in yet: no model is shown them. */
  readonly unjudged = new Set<string>();
  /** Told of each letter of another agent that is on record. */
  onMail?: (id: string) => void;
  #lastWhole: string | undefined;
  #isBehind = false;
  #hasGaps = false;
  readonly #attached = new WeakSet<Attachment>();

  /** `sink` null: nothing is persisted. `fold` is the transcript's own. */
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
    this.#lastWhole = messages.at(-1)?.uuid;
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** A message's uuid: no answer is still coming among what stands up to it. */
  get lastWhole(): string | undefined {
    return this.#lastWhole;
  }

  /** The last message it was given was not taken. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** Whether a part has been summed up or taken out since this was asked last. After a compaction others tell again what it told. */
  takeGaps(): boolean {
    const hasGaps = this.#hasGaps;
    this.#hasGaps = false;
    return hasGaps;
  }

  append(message: Message, soFar?: Usage): Appended {
    // Before it is written: the boundary carries them.
    if (message.type === "compact_boundary") for (const id of answeredIds(this.#messages)) this.#summedUp.add(id);
    const result: Appended = this.#sink?.append(message, soFar) ?? { ok: true };
    this.#isBehind = !result.ok;
    if (!result.ok) return result;
    const attached = message.type === "attachment" ? message.attachment : undefined;
    if (attached?.kind === "queued_command") this.#taken.add(attached.sourceUuid);
    this.#fold(this.#messages, message);
    if (message.type === "collapse_commit" || message.type === "snip_boundary") this.#hasGaps = true;
    if (attached !== undefined) this.#attached.add(attached);
    if (attached?.kind === "reminder" && attached.mail !== undefined) this.onMail?.(attached.mail.id);
    // Written between two answers: what it keeps of one is all there will be, though the records of its end are not kept.
    if (message.type === "compact_boundary") this.#lastWhole = message.messages.at(-1)?.uuid;
    this.#watch?.recorded(message);
    return result;
  }

  /** Whether this very attachment has been recorded. */
  hasAttached(attachment: Attachment): boolean {
    return this.#attached.has(attachment);
  }

  note(note: RunNote): void {
    this.#sink?.appendMeta("run", note);
    this.#watch?.noted(note);
  }

  /** Whether a message of this id is on record, one that was taken out since as well. */
  isOnRecord(uuid: string): boolean {
    return this.#sink?.has(uuid) === true;
  }

  /** Whether queued input of this id is here, or has been. */
  hasTaken(sourceUuid: string): boolean {
    if (this.#taken.has(sourceUuid) || this.isSummedUp(sourceUuid)) return true;
    return this.#messages.some((message) => givenId(message) === sourceUuid);
  }

  /** Whether a prompt of this id was answered before a summary took its place. */
  isSummedUp(id: string): boolean {
    return this.#summedUp.has(id);
  }

  /** The newest of these ids: a client that is unsure sends again what it sent last. */
  get summedUp(): string[] {
    return [...this.#summedUp].slice(-mostSummedUp);
  }
}
