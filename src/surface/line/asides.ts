/**
 * Commands that are answered beside the turns, even in the middle of an answer: `/btw` with a question, `/goal` without a condition,
 * `/mode`, `/plan`.
 */
import { errorText } from "../../lib/error-text.ts";
import { oneLine, sanitize } from "../../lib/sanitize.ts";
import type { PermissionMode } from "../../protocol/permission.ts";
import type { SDKMessage } from "../../protocol/sdk.ts";
import { readCommand } from "../../session/commands/read-command.ts";
import type { Engine } from "../engine-port.ts";
import type { Style } from "../show/style.ts";
import { besideLines, noAnswer, questionBeside } from "./commands.ts";
import { modeAfter, modeAnswer, plannedIn } from "./mode.ts";

export interface Said {
  show(line: string): void;
  /** Sends a prompt that was part of such a line. */
  send(prompt: string): void;
  /** The permission mode may have changed. */
  changed(): void;
}

export class Asides {
  readonly #style: Style;
  readonly #said: Said;
  readonly #leaving = new AbortController();
  readonly #asked: Promise<void>[] = [];
  #firstMode: PermissionMode | undefined;

  constructor(style: Style, said: Said) {
    this.#style = style;
    this.#said = said;
  }

  /** Returns whether it handled the line. `isRunning`: a turn runs. Otherwise a question is a turn of its own. */
  takes(engine: Engine, text: string, isRunning: boolean): boolean {
    const question = isRunning ? questionBeside(text) : undefined;
    if (question !== undefined) {
      this.#said.show(this.#style.dim("(side question)"));
      this.#asked.push(this.#answer(engine, question));
      return true;
    }
    // The turn of a goal lasts until the goal is reached, so a command that clears the goal cannot wait for the turn's end.
    const told = isRunning && readCommand(text)?.name === "goal" ? engine.submitBeside(text) : undefined;
    if (told !== undefined) {
      this.#asked.push(this.#tell(told));
      return true;
    }
    const said = modeAnswer(text, engine, this.#first(engine));
    if (said === undefined) return false;
    this.#said.show(said);
    this.#said.changed();
    const planned = plannedIn(text);
    if (planned !== undefined) this.#said.send(planned);
    return true;
  }

  /** Switches to the next mode. Returns a line to show if that fails or if nothing else shows the mode. */
  cycleMode(engine: Engine | undefined, isShown: boolean): string | undefined {
    if (engine === undefined) return undefined;
    try {
      const mode = modeAfter(engine.getPermissionMode(), this.#first(engine));
      engine.setPermissionMode(mode);
      this.#said.changed();
      return isShown ? undefined : this.#style.dim(`(the permission mode is ${mode})`);
    } catch (error) {
      return this.#style.yellow(oneLine(errorText(error), 300));
    }
  }

  #first(engine: Engine): PermissionMode {
    return (this.#firstMode ??= engine.getPermissionMode());
  }

  async #answer(engine: Pick<Engine, "sideQuestion">, question: string): Promise<void> {
    const { signal } = this.#leaving;
    // Nobody awaits this promise before the end, so an error that escaped would end the session and the running turn.
    const lines = await engine.sideQuestion(question, { signal }).then(
      (answer) => besideLines(answer, this.#style),
      (error: unknown) => [noAnswer("btw", errorText(error), this.#style)],
    );
    if (!signal.aborted) for (const line of lines) this.#said.show(line);
  }

  async #tell(messages: AsyncGenerator<SDKMessage, void>): Promise<void> {
    try {
      for await (const message of messages)
        if (message.type === "system" && message.subtype === "local_command_output")
          for (const line of sanitize(message.content).split("\n")) this.#said.show(line);
    } catch (error) {
      this.#said.show(noAnswer("goal", errorText(error), this.#style));
    }
  }

  async close(): Promise<void> {
    this.#leaving.abort("left");
    await Promise.all(this.#asked);
  }
}
