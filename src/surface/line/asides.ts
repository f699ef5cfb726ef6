/** What is answered beside the turns, also between the lines of an answer that comes: `/btw` with a question, `/mode`. */
import type { PermissionMode } from "../../protocol/permission.ts";
import type { Engine } from "../engine-port.ts";
import type { Style } from "../show/style.ts";
import { besideLines, questionBeside } from "./commands.ts";
import { modeAnswer } from "./mode.ts";

export class Asides {
  readonly #style: Style;
  readonly #show: (line: string) => void;
  readonly #leaving = new AbortController();
  readonly #asked: Promise<void>[] = [];
  #firstMode: PermissionMode | undefined;

  constructor(style: Style, show: (line: string) => void) {
    this.#style = style;
    this.#show = show;
  }

  /** Whether the line was for it. `isRunning`: an answer comes; without one a question is a turn of its own. */
  takes(engine: Engine, text: string, isRunning: boolean): boolean {
    const question = isRunning ? questionBeside(text) : undefined;
    if (question !== undefined) {
      this.#show(this.#style.dim("(asked beside)"));
      this.#asked.push(this.#answer(engine, question));
      return true;
    }
    this.#firstMode ??= engine.getPermissionMode();
    const said = modeAnswer(text, engine, this.#firstMode);
    if (said !== undefined) this.#show(said);
    return said !== undefined;
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
