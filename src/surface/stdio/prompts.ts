/** User messages that wait for their turn. */
import type { Prompt } from "./frame.ts";

interface WaitingPrompt {
  prompt: Prompt;
  /** Characters. */
  size: number;
  /** The session itself made this prompt. */
  isFromSession?: true;
}

export class PromptQueue implements AsyncIterable<Prompt> {
  readonly #onRemoved: () => void;
  readonly #waiting: WaitingPrompt[] = [];
  #size = 0;
  #hasEnded = false;
  /** How many prompts of the session itself are still to come. */
  #expectedCount = 0;
  #wake: (() => void) | undefined;

  /** `onRemoved` is called when a prompt is taken out. */
  constructor(onRemoved: () => void) {
    this.#onRemoved = onRemoved;
  }

  /** Characters of all waiting prompts. */
  get size(): number {
    return this.#size;
  }

  push(prompt: Prompt, size: number): void {
    const waiting = { prompt, size };
    if (prompt.priority === "now") this.#putFirst(waiting);
    else this.#waiting.push(waiting);
    this.#size += size;
    this.#wake?.();
  }

  /** Puts a prompt before the waiting ones, such as one that a turn left over. */
  pushFront(prompt: Prompt): void {
    this.#putFirst({ prompt, size: 0 });
    this.#wake?.();
  }

  /** Adds it before all others but those of the priority `now`, which keep their order. */
  #putFirst(waiting: WaitingPrompt): void {
    const at = this.#waiting.findIndex(({ prompt }) => prompt.priority !== "now");
    this.#waiting.splice(at === -1 ? this.#waiting.length : at, 0, waiting);
  }

  /** Keeps the queue open for a coming prompt, even after the end of the input. Calls `onNone` if there is no prompt after all. */
  expect(nextPrompt: Promise<Prompt | undefined>, onNone: () => void): void {
    this.#expectedCount++;
    const take = (prompt?: Prompt): void => {
      this.#expectedCount = Math.max(0, this.#expectedCount - 1);
      if (prompt === undefined) onNone();
      else this.#putFirst({ prompt, size: 0, isFromSession: true });
      this.#wake?.();
    };
    nextPrompt.then(take, () => take());
  }

  /** Puts the prompts that the turn left first. Drops the session's own, which may be obsolete: `expect` brings them again. */
  turnEnded(unusedPrompts: readonly Prompt[]): void {
    const others = this.#waiting.filter(({ isFromSession }) => isFromSession !== true);
    this.#waiting.splice(0, Infinity, ...others);
    for (const prompt of unusedPrompts.toReversed()) this.pushFront(prompt);
  }

  /** Whether no prompt of the client waits or can come. */
  get isAtEnd(): boolean {
    return this.#hasEnded && this.#waiting.length === 0;
  }

  get isExpecting(): boolean {
    return this.#expectedCount > 0;
  }

  /** The first prompt that is to have a turn. */
  get next(): Prompt | undefined {
    return this.#waiting.find(({ prompt }) => prompt.isAppended !== true || prompt.problem !== undefined)?.prompt;
  }

  /** Returns the uuids of all waiting prompts but `without`. */
  uuids(without?: Prompt): string[] {
    const waiting = this.#waiting.filter(({ prompt }) => prompt !== without);
    return waiting.flatMap(({ prompt: { uuid } }) => (uuid === undefined ? [] : [uuid]));
  }

  /** Returns true if the prompt was waiting. */
  remove(uuid: string): boolean {
    const at = this.#waiting.findIndex(({ prompt }) => prompt.uuid === uuid);
    const [removed] = at === -1 ? [] : this.#waiting.splice(at, 1);
    if (removed !== undefined) this.#handleRemoval(removed);
    return removed !== undefined;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Drops everything, and returns how many prompts of the client had no uuid. */
  clear(): number {
    const dropped = this.#waiting.splice(0);
    for (const waiting of dropped) this.#handleRemoval(waiting);
    return dropped.filter(({ prompt: { uuid, isMeta } }) => uuid === undefined && isMeta !== true).length;
  }

  /** Ends the input. Waiting prompts are still handed out. */
  end(): void {
    this.#hasEnded = true;
    this.#wake?.();
  }

  /** Drops the waiting prompts and ends. */
  fail(): void {
    this.#expectedCount = 0;
    this.clear();
    this.end();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Prompt> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next !== undefined) {
        this.#handleRemoval(next);
        yield next.prompt;
      } else if (this.#hasEnded && !this.isExpecting) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  #handleRemoval({ size }: WaitingPrompt): void {
    this.#size -= size;
    this.#onRemoved();
  }
}
