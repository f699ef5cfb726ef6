/** User messages that wait for their turn. */
import type { Prompt } from "./frame.ts";

interface Waiting {
  prompt: Prompt;
  /** Characters. */
  size: number;
  /** One of the session's own. */
  wasExpected?: true;
}

export class PromptQueue implements AsyncIterable<Prompt> {
  readonly #changed: () => void;
  readonly #waiting: Waiting[] = [];
  #size = 0;
  #isOver = false;
  /** Prompts of the session's own that are still to come. */
  #expected = 0;
  #wake: (() => void) | undefined;

  /** `changed` is told where something was taken out. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Characters of all that wait. */
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

  /** What is there before the next of its own comes: for what a turn left. */
  pushFront(prompt: Prompt): void {
    this.#putFirst({ prompt, size: 0 });
    this.#wake?.();
  }

  /** But behind what is to come now, which keeps its order. */
  #putFirst(waiting: Waiting): void {
    const at = this.#waiting.findIndex(({ prompt }) => prompt.priority !== "now");
    this.#waiting.splice(at === -1 ? this.#waiting.length : at, 0, waiting);
  }

  /** The end of the input waits for it; undefined: there is none after all, which `none` is told. */
  expect(coming: Promise<Prompt | undefined>, none: () => void): void {
    this.#expected++;
    const take = (prompt?: Prompt): void => {
      this.#expected = Math.max(0, this.#expected - 1);
      if (prompt === undefined) none();
      else this.#putFirst({ prompt, size: 0, wasExpected: true });
      this.#wake?.();
    };
    coming.then(take, () => take());
  }

  /** `left` by the turn comes first. One of the session's own may be needless since: who expects it anew is told. */
  turnEnded(left: readonly Prompt[]): void {
    const others = this.#waiting.filter(({ wasExpected }) => wasExpected !== true);
    this.#waiting.splice(0, Infinity, ...others);
    for (const prompt of left.toReversed()) this.pushFront(prompt);
  }

  get isExpecting(): boolean {
    return this.#expected > 0;
  }

  /** The first that is to have a turn. */
  get next(): Prompt | undefined {
    return this.#waiting.find(({ prompt }) => prompt.isAppended !== true || prompt.problem !== undefined)?.prompt;
  }

  /** Of all that wait but `without`. */
  uuids(without?: Prompt): string[] {
    const waiting = this.#waiting.filter(({ prompt }) => prompt !== without);
    return waiting.flatMap(({ prompt: { uuid } }) => (uuid === undefined ? [] : [uuid]));
  }

  /** True where it waited. */
  remove(uuid: string): boolean {
    const at = this.#waiting.findIndex(({ prompt }) => prompt.uuid === uuid);
    const [removed] = at === -1 ? [] : this.#waiting.splice(at, 1);
    if (removed !== undefined) this.#took(removed);
    return removed !== undefined;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Drops everything, and answers how many of a client's prompts had no id. */
  clear(): number {
    const dropped = this.#waiting.splice(0);
    for (const waiting of dropped) this.#took(waiting);
    return dropped.filter(({ prompt: { uuid, isMeta } }) => uuid === undefined && isMeta !== true).length;
  }

  /** Nothing more will come: what waits is still handed out. */
  end(): void {
    this.#isOver = true;
    this.#wake?.();
  }

  /** What waits will not be asked. */
  fail(): void {
    this.#expected = 0;
    this.clear();
    this.end();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Prompt> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next !== undefined) {
        this.#took(next);
        yield next.prompt;
      } else if (this.#isOver && !this.isExpecting) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  #took({ size }: Waiting): void {
    this.#size -= size;
    this.#changed();
  }
}
