/** What is typed before its turn: a prompt joins the answer that comes, a command waits for its end, and what stands behind one waits with it. */
import { readCommand } from "../../session/commands/read-command.ts";
import type { Engine } from "../engine-port.ts";
import { isExit } from "./commands.ts";
import { ownCommand } from "./own-command.ts";

export class TypedAhead {
  readonly #waiting: string[] = [];
  /** Prompts that an interrupt has kept from being sent, and that nobody was told of. */
  unsent = 0;

  /** Answers what becomes of it. `running`: the engine whose answer comes. */
  keep(text: string, running: Pick<Engine, "enqueue"> | undefined): string {
    // Behind `/clear` or `/model` it is meant for what they make of the session.
    if (running !== undefined && this.#waiting.length === 0 && isPrompt(text)) {
      running.enqueue(text);
      return "(joins at the next step)";
    }
    this.#waiting.push(text);
    return "(comes next)";
  }

  next(): string | undefined {
    return this.#waiting.shift();
  }

  /** The answer they were typed at is interrupted. */
  dropPrompts(): void {
    const commands = this.#waiting.filter((text) => !isPrompt(text));
    this.unsent += this.#waiting.length - commands.length;
    this.#waiting.splice(0, Infinity, ...commands);
  }
}

function isPrompt(text: string): boolean {
  return readCommand(text) === undefined && ownCommand(text) === undefined && !isExit(text);
}
