/** Runs a line that begins with `!` as the user's own shell command. The model gets the command and its output with the next prompt. */
import { errorText } from "../../lib/error-text.ts";
import { withoutReminders } from "../../protocol/system-reminder.ts";
import { sanitize } from "../../lib/sanitize.ts";
import type { Engine } from "../engine-port.ts";

/** Returns the command, which may be empty, or undefined for other lines. */
export function shellCommandIn(line: string): string | undefined {
  return line.startsWith("!") ? line.slice(1).trim() : undefined;
}

interface ShellCommandCallbacks {
  show: (text: string, isError: boolean) => void;
  /** Called with what the running command has printed since the last call. */
  onOutput: (text: string) => void;
}

export class ShellCommands {
  readonly #callbacks: ShellCommandCallbacks;
  #running: AbortController | undefined;

  constructor(callbacks: ShellCommandCallbacks) {
    this.#callbacks = callbacks;
  }

  /** True while a command runs. No step of the model follows it. */
  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  interrupt(): void {
    this.#running?.abort("user");
  }

  async run(engine: Engine, command: string): Promise<void> {
    const { show, onOutput } = this.#callbacks;
    if (command === "") return show("A ! alone runs nothing: write a shell command after it.", true);
    const running = new AbortController();
    this.#running = running;
    try {
      const { text, isError } = await engine.desk.runCommand(command, running.signal, onOutput);
      show(sanitize(text).replace(/\n+$/u, ""), isError);
      await engine.background.ready?.();
      engine.append(shellCommandMessage(command, text, isError), { isMeta: true });
    } catch (error) {
      show(sanitize(errorText(error)), true);
    } finally {
      this.#running = undefined;
    }
  }
}

/** Matches tags that printed output could use to end its own block. */
const outputTag = String.raw`(?=\s*/?\s*bash-(?:input|stdout|stderr))`;
const outputTags = new RegExp(`<${outputTag}`, "giu");
const escapedTags = new RegExp(`&lt;${outputTag}`, "giu");

function shellCommandMessage(command: string, text: string, isError: boolean): string {
  const name = isError ? "bash-stderr" : "bash-stdout";
  const output = withoutReminders(text).replaceAll(outputTags, "&lt;");
  return `The user ran a command of their own:\n<bash-input>${command}</bash-input>\n<${name}>${output}</${name}>`;
}

const shellCommandPattern =
  /^The user ran a command of their own:\n<bash-input>([^]*?)<\/bash-input>\n<bash-(stdout|stderr)>([^]*)<\/bash-\2>$/u;

/** Parses the text that `shellCommandMessage` has made. */
export function parseShellCommandMessage(
  text: string,
): { command: string; output: string; isError: boolean } | undefined {
  const [, command, name, output] = shellCommandPattern.exec(text) ?? [];
  if (command === undefined || output === undefined) return undefined;
  return { command, output: output.replaceAll(escapedTags, "<"), isError: name === "stderr" };
}
