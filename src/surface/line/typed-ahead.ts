/** What is typed before its turn: a prompt joins the answer that comes, a command waits for its end, and what stands behind one waits with it. */
import { oneLine, sanitize } from "../../lib/sanitize.ts";
import { blockText } from "../../protocol/block-text.ts";
import type { ContentBlock } from "../../protocol/message.ts";
import { readCommand, readName } from "../../session/commands/read-command.ts";
import type { Engine } from "../engine-port.ts";
import { isExit } from "./commands.ts";
import { ownCommand } from "./own-command.ts";

interface Waiting {
  text: string;
  /** It stands above what comes of it already. */
  isShown: boolean;
}

const longestShown = 200;

type Running = Pick<Engine, "enqueue" | "supportedCommands">;

export interface TypedAheadLook {
  /** In front of a prompt. */
  mark: string;
  /** A line as it is. */
  line(text: string): void;
  notice(text: string): void;
  /** A prompt as it is sent. */
  written(text: string): string | ContentBlock[];
}

export class TypedAhead {
  readonly #look: TypedAheadLook;
  #waiting: Waiting[] = [];
  /** The turn that runs takes in what is typed. */
  #hasSteps = true;
  /** Prompts that an interrupt has kept from being sent, and that nobody was told of. */
  #unsent = 0;

  constructor(look: TypedAheadLook) {
    this.#look = look;
  }

  /** Begins a turn, at which what is kept from then on is typed. */
  submit(engine: Pick<Engine, "submitMessage">, ...[prompt, options]: Parameters<Engine["submitMessage"]>) {
    // It asks the model for a summary, and takes nothing in.
    this.#hasSteps = !(typeof prompt === "string" && readCommand(prompt)?.name === "compact");
    return engine.submitMessage(typeof prompt === "string" ? this.#look.written(prompt) : prompt, options);
  }

  /** Answers what becomes of it. `running`: the engine whose answer comes. */
  keep(text: string, running: Running | undefined): string {
    // Behind `/clear` or `/model` it is meant for what they make of the session.
    if (running !== undefined && this.#waiting.length === 0 && isPrompt(text, running)) {
      running.enqueue(this.#look.written(text));
      return this.#hasSteps ? "(joins at the next step)" : "(comes next)";
    }
    this.#waiting.push({ text, isShown: false });
    return "(comes next)";
  }

  /** Part of a line that was taken at the prompt: before what was typed behind that. */
  goOnWith(text: string): void {
    this.#waiting.unshift({ text, isShown: true });
  }

  /** Shown again where other things came between, so that what comes of it stands below it. */
  next(): string | undefined {
    const next = this.#waiting.shift();
    if (next?.isShown === false) this.#show(next.text);
    return next?.text;
  }

  /** What no step of an answer took, for a turn of its own. `isOver`: nothing that was typed is to be sent any more. */
  left(engine: Pick<Engine, "takeQueued">, isOver: boolean): ReturnType<Engine["takeQueued"]> {
    this.tellUnsent(engine, isOver);
    const left = engine.takeQueued();
    if (left !== undefined) this.#show(blockText(left.prompt));
    return left;
  }

  tellUnsent(engine: Pick<Engine, "takeQueued">, isOver: boolean): void {
    while (isOver && engine.takeQueued() !== undefined) this.#unsent += 1;
    for (; this.#unsent > 0; this.#unsent -= 1)
      this.#look.notice("Not sent: what you typed meanwhile (the arrow up brings it back).");
  }

  /** Nobody is there for what still waits. */
  giveUp(): void {
    for (const { text } of this.#waiting.splice(0)) this.#look.notice(`Not sent: ${oneLine(text, longestShown)}`);
  }

  #show(text: string): void {
    // A tab as blanks, as at the prompt.
    this.#look.line(`${this.#look.mark}${sanitize(text).replaceAll("\t", "    ")}`);
  }

  /** The answer they were typed at is interrupted. */
  dropPrompts(running: Running | undefined): void {
    const commands = this.#waiting.filter(({ text }) => !isPrompt(text, running));
    this.#unsent += this.#waiting.length - commands.length;
    this.#waiting = commands;
  }
}

function isPrompt(text: string, running: Running | undefined): boolean {
  const isCommand = readCommand(text) !== undefined || isOfUsers(readName(text)?.name.toLowerCase(), running);
  return !isCommand && ownCommand(text) === undefined && !isExit(text);
}

/** A name with a dot is a file's, unless there is such a command: in a folder, also by the last part of its name. */
function isOfUsers(typed: string | undefined, running: Running | undefined): boolean {
  if (typed === undefined) return false;
  return running?.supportedCommands().some(({ name }) => `:${name.toLowerCase()}`.endsWith(`:${typed}`)) ?? true;
}
