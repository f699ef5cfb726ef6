/** Prompts that a host adds to a running query. They are read as they arrive, whether or not the host is waiting for a message. */
import { closeIterator } from "../../lib/items-until-aborted.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { PromptInput } from "./query-types.ts";

/** Where an added prompt goes: into the running turn, before all other prompts, or after the added ones. */
export type PromptPlace = "turn" | "first" | "last";

type QueuedItem = { prompt: PromptInput } | { error: unknown };

export class AddedPrompts {
  readonly #ready: QueuedItem[] = [];
  /** Prompts that come before all others, also those of the query itself. */
  readonly #first: PromptInput[] = [];
  readonly #onChange: () => void;
  #reading = 0;
  #change = Promise.withResolvers<void>();

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get isEmpty(): boolean {
    return this.#reading === 0 && this.#ready.length === 0 && this.#first.length === 0;
  }

  /** The uuids of the waiting prompts that have one, in order. `skipsFirst`: leaves out the first prompt. */
  uuids({ skipsFirst }: { skipsFirst: boolean }): string[] {
    const waiting = [...this.#first, ...this.#ready.flatMap((item) => ("prompt" in item ? [item.prompt] : []))];
    return waiting.slice(skipsFirst ? 1 : 0).flatMap((prompt: unknown) => {
      const uuid = isRecord(prompt) ? prompt["uuid"] : undefined;
      return typeof uuid === "string" ? [uuid] : [];
    });
  }

  /** Takes the next prompt that comes before all others. */
  takeFirst(): PromptInput | undefined {
    return this.#first.shift();
  }

  /**
   * Resolves once all prompts are read. An error that `prompts` or `placeOf` throws ends the query when its place in the queue is reached.
   * What `placeOf` puts into the turn is not added.
   */
  async read(prompts: AsyncIterable<PromptInput>, placeOf: (prompt: PromptInput) => PromptPlace): Promise<void> {
    this.#reading++;
    try {
      for await (const prompt of prompts) {
        const place = placeOf(prompt);
        if (place === "first") this.#addFirst(prompt);
        if (place === "last") this.#addItem({ prompt });
      }
    } catch (error) {
      this.#addItem({ error });
    } finally {
      this.#reading--;
      this.#notifyChange();
    }
  }

  /** Yields the prompts that come first, then those of `own` one at a time on demand, and an added prompt whenever `own` has none ready. */
  async *mergedWith(own: AsyncIterable<PromptInput>): AsyncGenerator<PromptInput> {
    const iterator = own[Symbol.asyncIterator]();
    let nextPrompt: Promise<IteratorResult<PromptInput>> | undefined;
    let [isOver, isThere] = [false, false];
    const arrived = (): void => {
      isThere = true;
      this.#notifyChange();
    };
    try {
      for (;;) {
        if (!isOver && nextPrompt === undefined) {
          isThere = false;
          nextPrompt = iterator.next();
          nextPrompt.then(arrived, arrived);
        }
        if (this.#ready.length > 0) await new Promise((resolve) => setImmediate(resolve));
        const first = this.#first.shift();
        const added = isThere || first !== undefined ? undefined : this.#ready.shift();
        if (first !== undefined) yield first;
        else if (added !== undefined) yield promptOf(added);
        else if (nextPrompt !== undefined && isThere) {
          const step = await nextPrompt;
          nextPrompt = undefined;
          isThere = false;
          if (step.done === true) isOver = true;
          else yield step.value;
        } else if (isOver && this.#reading === 0) return;
        else await this.#change.promise;
      }
    } finally {
      if (!isOver) await closeIterator(iterator, nextPrompt !== undefined);
    }
  }

  #addFirst(prompt: PromptInput): void {
    this.#first.push(prompt);
    this.#notifyChange();
  }

  #addItem(ready: QueuedItem): void {
    this.#ready.push(ready);
    this.#notifyChange();
  }

  #notifyChange(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers<void>();
    this.#onChange();
  }
}

function promptOf(ready: QueuedItem): PromptInput {
  if ("error" in ready) throw ready.error;
  return ready.prompt;
}
