/** Prompts that a host adds to a running query. They are read as they arrive, whether or not the host is waiting for a message. */
import { closeIterator } from "../../lib/items-until-aborted.ts";
import type { PromptInput } from "./query-types.ts";

type QueuedItem = { prompt: PromptInput } | { error: unknown };

export class AddedPrompts {
  readonly #ready: QueuedItem[] = [];
  readonly #onChange: () => void;
  #reading = 0;
  #changed = Promise.withResolvers<void>();

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get isEmpty(): boolean {
    return this.#reading === 0 && this.#ready.length === 0;
  }

  /** Resolves once all prompts are read. An error that `prompts` throws ends the query when its place in the queue is reached. */
  async read(prompts: AsyncIterable<PromptInput>): Promise<void> {
    this.#reading++;
    try {
      for await (const prompt of prompts) this.#put({ prompt });
    } catch (error) {
      this.#put({ error });
    } finally {
      this.#reading--;
      this.#notifyChange();
    }
  }

  /** Yields the prompts of `own` one at a time on demand, and an added prompt whenever `own` has none ready. */
  async *mergedWith(own: AsyncIterable<PromptInput>): AsyncGenerator<PromptInput> {
    const iterator = own[Symbol.asyncIterator]();
    let coming: Promise<IteratorResult<PromptInput>> | undefined;
    let [isOver, isThere] = [false, false];
    const arrived = (): void => {
      isThere = true;
      this.#notifyChange();
    };
    try {
      for (;;) {
        if (!isOver && coming === undefined) {
          isThere = false;
          coming = iterator.next();
          coming.then(arrived, arrived);
        }
        if (this.#ready.length > 0) await new Promise((resolve) => setImmediate(resolve));
        const added = isThere ? undefined : this.#ready.shift();
        if (added !== undefined) yield promptOf(added);
        else if (coming !== undefined && isThere) {
          const step = await coming;
          coming = undefined;
          isThere = false;
          if (step.done === true) isOver = true;
          else yield step.value;
        } else if (isOver && this.#reading === 0) return;
        else await this.#changed.promise;
      }
    } finally {
      if (!isOver) await closeIterator(iterator, coming !== undefined);
    }
  }

  #put(ready: QueuedItem): void {
    this.#ready.push(ready);
    this.#notifyChange();
  }

  #notifyChange(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
    this.#onChange();
  }
}

function promptOf(ready: QueuedItem): PromptInput {
  if ("error" in ready) throw ready.error;
  return ready.prompt;
}
