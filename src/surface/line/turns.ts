/** Runs the turns of a terminal conversation and shows their messages. A `!` command typed at the prompt runs in the place of a turn. */
import type { ContentBlock } from "../../protocol/message.ts";
import type { SubmitOptions } from "../../session/intake/intake.ts";
import type { Engine } from "../engine-port.ts";
import type { Style } from "../show/style.ts";
import type { BackgroundNews } from "./background-news.ts";
import type { IdlePrompt } from "./idle-prompt.ts";
import type { Keyboard } from "./keyboard.ts";
import type { KeyboardOptions } from "./keyboard-options.ts";
import type { QuestionQueue } from "./question-queue.ts";
import type { Screen } from "./screen.ts";
import { ShellCommands } from "./shell-command.ts";
import type { AfterTurn, TypedAhead } from "./typed-ahead.ts";
import type { View } from "./view.ts";

interface TurnsOptions extends Pick<KeyboardOptions, "job"> {
  screen: Screen;
  style: Style;
  view: View;
  keyboard: Keyboard;
  questionQueue: QuestionQueue;
  typedAhead: TypedAhead;
  idlePrompt: IdlePrompt;
  backgroundNews: BackgroundNews;
  /** Returns whether the person has left. */
  isClosed: () => boolean;
  /** Returns whether the terminal is given back, so that nothing may be shown any more. */
  isTerminalRestored: () => boolean;
}

export class Turns {
  readonly #options: TurnsOptions;
  readonly #shellCommands: ShellCommands;
  #isRunning = false;
  #wasInterrupted = false;

  constructor(options: TurnsOptions) {
    this.#options = options;
    const { screen, style, view } = options;
    this.#shellCommands = new ShellCommands({
      show: (text, isError) => screen.line(isError ? style.red(text) : text),
      onOutput: (text) => view.onOwnOutput(text),
    });
  }

  /** True while a turn or a `!` command runs. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** The running turn, or the last one, was interrupted. */
  get wasInterrupted(): boolean {
    return this.#wasInterrupted;
  }

  /** True if a prompt may join the running turn. Text typed after the interrupt is meant for the next turn. */
  get mayTakePrompts(): boolean {
    return this.#isRunning && !this.#wasInterrupted && !this.#shellCommands.isRunning;
  }

  /** Runs the prompt's turn, and one for each input that no step of it took. `shellCommand` is a `!` command typed here. */
  async run(engine: Engine, text: string, options: SubmitOptions = {}, shellCommand?: string): Promise<void> {
    await this.#runOne(engine, text, options, shellCommand);
    const take = () => this.#options.typedAhead.takeLeftover(engine, this.#afterTurn);
    for (let left = take(); left !== undefined; left = take())
      await this.#runOne(engine, left.prompt, { uuid: left.uuid });
  }

  /** Drops the prompts typed for the running turn and ends a `!` command. The caller interrupts the engine. */
  interrupt(engine: Engine | undefined): void {
    this.#wasInterrupted = true;
    this.#options.typedAhead.dropPrompts(engine);
    this.#shellCommands.interrupt();
  }

  stopShellCommand(): void {
    this.#shellCommands.interrupt();
  }

  get #afterTurn(): AfterTurn {
    if (this.#options.isClosed()) return "exit";
    return this.#wasInterrupted ? "prompt" : "nextTurn";
  }

  async #runOne(
    engine: Engine,
    prompt: string | ContentBlock[],
    options: SubmitOptions,
    shellCommand?: string,
  ): Promise<void> {
    const { screen, view, keyboard, questionQueue, typedAhead, idlePrompt, backgroundNews, job } = this.#options;
    [this.#isRunning, this.#wasInterrupted] = [true, false];
    idlePrompt.onTurnStart();
    view.begin(shellCommand);
    try {
      if (shellCommand !== undefined) return await this.#shellCommands.run(engine, shellCommand);
      for await (const message of typedAhead.submit(engine, prompt, options)) {
        backgroundNews.onMessage(engine, message);
        await job?.back;
        if (this.#options.isTerminalRestored()) continue;
        if (message.type === "result") typedAhead.reportUnsent(engine, this.#afterTurn);
        view.show(message);
        if (typedAhead.onMessage(message)) view.notePromptShown();
      }
    } finally {
      view.end();
      this.#isRunning = false;
      // Half-typed text stays on the line and becomes the beginning of the next prompt.
      if (!questionQueue.isOpen) {
        if (screen.isHeld) keyboard.wipe();
        screen.release();
      }
      screen.endOpenLine();
    }
  }
}
