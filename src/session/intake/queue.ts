/** Input that arrives while the loop is busy: delivered at the next turn border, or left for the next user turn. */
import type { Attachment, ContentBlock } from "../../protocol/message.ts";
import type { QueuedJudgement, QueuedPrompt, QueuePort } from "../../loop/ports.ts";
import { promptProblem } from "./prompt.ts";

export interface QueueOptions {
  collectNews: () => Attachment[];
  /** Whether the conversation already has this input. */
  isRecorded: (uuid: string) => boolean;
  /** Whether the input is a command for the session itself and not text for the model. */
  isCommand: (prompt: ContentBlock[]) => boolean;
}

interface NamedFiles {
  messages: Awaited<ReturnType<NonNullable<QueuePort["named"]>>>;
  leave: () => void;
}

export class InputQueue implements QueuePort {
  readonly #options: QueueOptions;
  #waiting: QueuedPrompt[] = [];
  readonly #takenPrompts = new Map<string, QueuedPrompt>();
  readonly news: () => Attachment[];
  /** Hooks that judge a person's prompts. */
  judges:
    | { isJudged(): boolean; judge(prompt: ContentBlock[], signal: AbortSignal): Promise<QueuedJudgement> }
    | undefined;
  /** Reads the files that a person's prompt names. `onLeave`: called if they do not join the conversation. */
  files: ((prompt: ContentBlock[], signal: AbortSignal) => Promise<NamedFiles>) | undefined;
  readonly #onLeave = new Map<string, () => void>();

  constructor(options: QueueOptions) {
    this.#options = options;
    this.news = options.collectNews;
  }

  /** Ignores input that already waits or has joined: it was sent twice. */
  add({ uuid, prompt }: QueuedPrompt): void {
    const isWaiting = this.#takenPrompts.has(uuid) || this.#waiting.some((input) => input.uuid === uuid);
    if (isWaiting || this.#options.isRecorded(uuid)) return;
    this.#waiting.push({ uuid, prompt: structuredClone(prompt) });
  }

  /** Moves the waiting input to the queue of the session that takes this one's place. */
  moveTo(next: InputQueue): void {
    for (const input of this.#waiting.splice(0)) next.add(input);
  }

  /** For the next user turn: nothing else will consume it. */
  takeOne(): QueuedPrompt | undefined {
    return this.#waiting.shift();
  }

  /** Leaves commands, and prompts that cannot be sent: each waits for a user turn of its own, which reports the problem. */
  take(): QueuedPrompt[] {
    if (this.#waiting.length === 0) return [];
    const { isCommand } = this.#options;
    const inputs = this.#waiting.filter(({ prompt }) => promptProblem(prompt) === null && !isCommand(prompt));
    this.#waiting = this.#waiting.filter((input) => !inputs.includes(input));
    for (const input of inputs) this.#takenPrompts.set(input.uuid, input);
    return inputs;
  }

  isJudged(): boolean {
    return this.judges?.isJudged() === true;
  }

  async judge({ uuid, prompt }: QueuedPrompt, signal: AbortSignal): Promise<QueuedJudgement> {
    const judgement = (await this.judges?.judge(prompt, signal)) ?? { additionalContext: [], notices: [] };
    if (judgement.refusal !== undefined && !signal.aborted) this.#takenPrompts.delete(uuid);
    return judgement;
  }

  async named({ uuid, prompt }: QueuedPrompt, signal: AbortSignal): ReturnType<NonNullable<QueuePort["named"]>> {
    const named = await this.files?.(prompt, signal);
    if (named === undefined) return [];
    this.#onLeave.set(uuid, named.leave);
    return named.messages;
  }

  /** Returns unrecorded input to the front of the queue. The model sees recorded input with the next request, however the run ended. */
  settle(uuids: readonly string[]): void {
    const returned: QueuedPrompt[] = [];
    for (const uuid of uuids) {
      const input = this.#takenPrompts.get(uuid);
      this.#takenPrompts.delete(uuid);
      const leave = this.#onLeave.get(uuid);
      this.#onLeave.delete(uuid);
      if (input === undefined || this.#options.isRecorded(uuid)) continue;
      returned.push(input);
      leave?.();
    }
    this.#waiting.unshift(...returned);
  }
}
