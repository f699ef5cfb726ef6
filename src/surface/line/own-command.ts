/** A prompt that begins with `!` is a command of the person's own: its output is shown, and the model is told of both with the next prompt. */
import { errorText } from "../../lib/error-text.ts";
import { sanitize } from "../../lib/sanitize.ts";
import type { ContentBlock } from "../../protocol/message.ts";
import type { Engine } from "../engine-port.ts";

/** Undefined for a prompt that is none, or that says nothing more. */
export function ownCommand(prompt: string | readonly ContentBlock[]): string | undefined {
  if (typeof prompt !== "string" || !prompt.startsWith("!")) return undefined;
  const command = prompt.slice(1).trim();
  return command === "" ? undefined : command;
}

export class OwnCommands {
  readonly #show: (text: string, isError: boolean) => void;
  #running: AbortController | undefined;

  constructor(show: (text: string, isError: boolean) => void) {
    this.#show = show;
  }

  interrupt(): void {
    this.#running?.abort("user");
  }

  /** Whether the prompt was one. */
  async runs(engine: Engine, prompt: string | readonly ContentBlock[]): Promise<boolean> {
    const command = ownCommand(prompt);
    if (command === undefined) return false;
    const running = new AbortController();
    this.#running = running;
    try {
      const { text, isError } = await engine.desk.runCommand(command, running.signal);
      this.#show(sanitize(text).replace(/\n+$/u, ""), isError);
      engine.append(told(command, text, isError), { isMeta: true });
    } catch (error) {
      this.#show(sanitize(errorText(error)), true);
    } finally {
      this.#running = undefined;
    }
    return true;
  }
}

function told(command: string, text: string, isError: boolean): string {
  const tag = isError ? "bash-stderr" : "bash-stdout";
  return `The user ran a command of their own:\n<bash-input>${command}</bash-input>\n<${tag}>${text}</${tag}>`;
}
