/** The lines that keys edit: the prompt, and the answer to a question in its place. */
import { Editor } from "./editor.ts";

interface TypedLine {
  /** What stands before the input. */
  prompt: string;
  editor: Editor;
}

export class TypedLines {
  readonly promptLine: TypedLine;
  /** Replaces the prompt while a question is asked. */
  #answerLine: TypedLine | undefined;

  constructor(prompt: string) {
    this.promptLine = { prompt, editor: new Editor() };
  }

  get isAnswering(): boolean {
    return this.#answerLine !== undefined;
  }

  get active(): TypedLine {
    return this.#answerLine ?? this.promptLine;
  }

  beginAnswer(prompt: string): void {
    this.#answerLine = { prompt, editor: new Editor() };
  }

  endAnswer(): void {
    this.#answerLine = undefined;
  }
}
