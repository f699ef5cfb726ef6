/** Questions beside the answer that comes: each answered between the lines of it. */
import type { Engine } from "../engine-port.ts";
import type { Style } from "../show/style.ts";
import { besideLines } from "./commands.ts";

export class Asides {
  readonly #style: Style;
  readonly #show: (line: string) => void;
  readonly #leaving = new AbortController();
  readonly #asked: Promise<void>[] = [];

  constructor(style: Style, show: (line: string) => void) {
    this.#style = style;
    this.#show = show;
  }

  ask(engine: Pick<Engine, "sideQuestion">, question: string): void {
    this.#show(this.#style.dim("(asked beside)"));
    this.#asked.push(this.#answer(engine, question));
  }

  async #answer(engine: Pick<Engine, "sideQuestion">, question: string): Promise<void> {
    const { signal } = this.#leaving;
    const answer = await engine.sideQuestion(question, { signal });
    if (!signal.aborted) for (const line of besideLines(answer, this.#style)) this.#show(line);
  }

  async close(): Promise<void> {
    this.#leaving.abort("left");
    await Promise.all(this.#asked);
  }
}
