/**
 * Commands that are answered beside the turns, even in the middle of an answer: `/btw` with a question, `/goal` without a condition,
 * `/mode`, `/plan`.
 */
import { errorText } from "../../lib/error-text.ts";
import { oneLine, sanitize } from "../../lib/sanitize.ts";
import type { PermissionMode } from "../../protocol/permission.ts";
import type { SDKMessage } from "../../protocol/sdk.ts";
import { readCommand } from "../../session/intake/read-command.ts";
import type { Engine } from "../engine-port.ts";
import type { Style } from "../show/style.ts";
import { sideAnswerLines, noAnswerLine, parseSideQuestion } from "./commands.ts";
import { nextMode, runModeCommand, planArgument } from "./mode-commands.ts";

export interface SideCommandCallbacks {
  show(line: string): void;
  /** Sends a prompt that was part of such a line. */
  send(prompt: string): void;
  /** The permission mode may have changed. */
  onChange(): void;
}

export class SideCommands {
  readonly #style: Style;
  readonly #callbacks: SideCommandCallbacks;
  readonly #leaveController = new AbortController();
  readonly #pendingAnswers: Promise<void>[] = [];
  #firstMode: PermissionMode | undefined;

  constructor(style: Style, callbacks: SideCommandCallbacks) {
    this.#style = style;
    this.#callbacks = callbacks;
  }

  /** Returns whether it handled the line. `isRunning`: a turn runs. Otherwise a question is a turn of its own. */
  tryHandle(engine: Engine, text: string, isRunning: boolean): boolean {
    const question = isRunning ? parseSideQuestion(text) : undefined;
    if (question !== undefined) {
      this.#callbacks.show(this.#style.note("(side question)"));
      this.#pendingAnswers.push(this.#answer(engine, question));
      return true;
    }
    // The turn of a goal lasts until the goal is reached, so a command that clears the goal cannot wait for the turn's end.
    const messages = isRunning && readCommand(text)?.name === "goal" ? engine.submitBeside(text) : undefined;
    if (messages !== undefined) {
      this.#pendingAnswers.push(this.#showOutput(messages));
      return true;
    }
    const modeAnswer = runModeCommand(text, engine, this.#startMode(engine));
    if (modeAnswer === undefined) return false;
    this.#callbacks.show(modeAnswer);
    this.#callbacks.onChange();
    const planned = planArgument(text);
    if (planned !== undefined) this.#callbacks.send(planned);
    return true;
  }

  /** Switches to the next mode. Returns a line to show if that fails or if nothing else shows the mode. */
  cycleMode(engine: Engine | undefined, isShown: boolean): string | undefined {
    if (engine === undefined) return undefined;
    try {
      const mode = nextMode(engine.getPermissionMode(), this.#startMode(engine));
      engine.setPermissionMode(mode);
      this.#callbacks.onChange();
      return isShown ? undefined : this.#style.note(`(the permission mode is ${mode})`);
    } catch (error) {
      return this.#style.yellow(oneLine(errorText(error), 300));
    }
  }

  #startMode(engine: Engine): PermissionMode {
    return (this.#firstMode ??= engine.getPermissionMode());
  }

  async #answer(engine: Pick<Engine, "sideQuestion">, question: string): Promise<void> {
    const { signal } = this.#leaveController;
    // Nobody awaits this promise before the end, so an error that escaped would end the session and the running turn.
    const lines = await engine.sideQuestion(question, { signal }).then(
      (answer) => sideAnswerLines(answer, this.#style),
      (error: unknown) => [noAnswerLine("btw", errorText(error), this.#style)],
    );
    if (!signal.aborted) for (const line of lines) this.#callbacks.show(line);
  }

  async #showOutput(messages: AsyncGenerator<SDKMessage, void>): Promise<void> {
    try {
      for await (const message of messages)
        if (message.type === "system" && message.subtype === "local_command_output")
          for (const line of sanitize(message.content).split("\n")) this.#callbacks.show(line);
    } catch (error) {
      this.#callbacks.show(noAnswerLine("goal", errorText(error), this.#style));
    }
  }

  async close(): Promise<void> {
    this.#leaveController.abort("left");
    await Promise.all(this.#pendingAnswers);
  }
}
