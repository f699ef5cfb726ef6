/** Lines typed during a turn: a prompt joins the running turn; a command, and every line after it, waits for the turn's end. */
import { headOf } from "../../lib/text-cut.ts";
import { oneLine, sanitize } from "../../lib/sanitize.ts";
import { blockText } from "../../protocol/block-text.ts";
import type { ContentBlock } from "../../protocol/message.ts";
import type { SDKMessage, WireBlock } from "../../protocol/sdk.ts";
import { readCommand, readAnyCommand } from "../../session/intake/read-command.ts";
import type { Engine } from "../engine-port.ts";
import { isExit } from "./commands.ts";
import { shellCommandIn } from "./shell-command.ts";

interface WaitingLine {
  text: string;
  /** The line is already shown above its answer. */
  isShown: boolean;
}

const maxShownLength = 200;
/** The most lines and characters of a prompt that are shown again, because all of it is shown further up. */
const maxLinesAgain = 3;
const maxLengthAgain = 400;

/** What was taken back, or why not: a `command` is not joined with other text, and a step is `sending` what is still listed. */
export type TakenBack = { what: "line"; text: string } | { what: "command" | "sending" | "nothing" };

/** What comes after the turn: typed prompts are sent only if it is the next turn. */
export type AfterTurn = "nextTurn" | "prompt" | "exit";

type RunningEngine = Pick<Engine, "enqueue" | "supportedCommands">;

export interface TypedAheadOptions {
  /** The mark before a prompt. */
  mark: string;
  /** Writes an empty row unless there is one already. */
  gap(): void;
  /** Writes a line as it is. */
  line(text: string): void;
  notice(text: string): void;
  /** Returns the prompt as it is sent. */
  withAttachments(text: string): string | ContentBlock[];
}

export class TypedAhead {
  readonly #options: TypedAheadOptions;
  #waiting: WaitingLine[] = [];
  /** The prompts that the engine has and that have not joined the turn yet. */
  #joining: string[] = [];
  /** The running turn accepts typed prompts. */
  #hasSteps = true;
  /** Prompts that an interrupt kept from being sent and that were not reported yet. */
  #unsent: string[] = [];

  constructor(options: TypedAheadOptions) {
    this.#options = options;
  }

  /** Starts a turn, which `queue` adds to from then on. */
  submit(engine: Pick<Engine, "submitMessage">, ...[prompt, options]: Parameters<Engine["submitMessage"]>) {
    // `/compact` asks the model for a summary and accepts no prompts.
    this.#hasSteps = !(typeof prompt === "string" && readCommand(prompt)?.name === "compact");
    return engine.submitMessage(typeof prompt === "string" ? this.#options.withAttachments(prompt) : prompt, options);
  }

  /** Returns a note on what happens to the line. `running` is the engine of the running turn. */
  queue(text: string, running: RunningEngine | undefined): string {
    // A prompt after `/clear` or `/model` is meant for the session they change, so it waits, too.
    if (running !== undefined && this.#waiting.length === 0 && isPrompt(text, running)) {
      running.enqueue(this.#options.withAttachments(text));
      this.#joining.push(text);
      return this.#hasSteps ? "(joins at the next step)" : "(comes next)";
    }
    this.#waiting.push({ text, isShown: false });
    return "(comes next)";
  }

  /** What waits for the running turn, in the order in which it is sent. */
  get waiting(): string[] {
    return [...this.#joining, ...this.#waiting.filter(({ isShown }) => !isShown).map(({ text }) => text)];
  }

  /**
   * Removes the newest line that waits, to be put before the draft. A prompt that a step of the turn has taken does not wait any more.
   * Lines of a command and of something else are not joined: the command would take the rest for its own.
   */
  takeBack(
    running: Pick<Engine, "enqueue" | "takeQueued" | "supportedCommands"> | undefined,
    draft: string,
  ): TakenBack {
    const at = this.#waiting.findLastIndex(({ isShown }) => !isShown);
    const newest = this.#waiting[at]?.text ?? this.#joining.at(-1);
    if (newest === undefined) return { what: "nothing" };
    if (draft !== "" && ![newest, draft].every((text) => isPrompt(text, running))) return { what: "command" };
    if (at === -1) return this.#takeFromEngine(running);
    this.#waiting.splice(at, 1);
    return { what: "line", text: newest };
  }

  #takeFromEngine(running: Pick<Engine, "enqueue" | "takeQueued"> | undefined): TakenBack {
    if (running === undefined) return { what: "sending" };
    const queued: NonNullable<ReturnType<Engine["takeQueued"]>>[] = [];
    for (let next = running.takeQueued(); next !== undefined; next = running.takeQueued()) queued.push(next);
    for (const { prompt, uuid } of queued.slice(0, -1)) running.enqueue(prompt, uuid);
    const text = queued.length === 0 ? undefined : this.#joining.pop();
    return text === undefined ? { what: "sending" } : { what: "line", text };
  }

  /** Returns whether a prompt has joined the turn. It is shown where it has joined, because it was typed further up. */
  onMessage(message: SDKMessage): boolean {
    if (message.type === "system" && message.subtype === "informational" && message.tag === "prompt_blocked")
      this.#joining.shift();
    if (message.type !== "user" || message.isReplay !== true || message.parent_tool_use_id !== null) return false;
    if (this.#joining.length === 0) return false;
    const text = joinedText(message.message.content);
    // A prompt with a picture may have become several blocks.
    this.#joining.splice(Math.max(0, this.#joining.indexOf(text)), 1);
    this.#show(text);
    return true;
  }

  /** Adds the rest of a line that was handled at the prompt, before the lines typed after it. */
  putFirst(text: string): void {
    this.#waiting.unshift({ text, isShown: true });
  }

  /** Returns the next line. Shows it again if it is not shown right above, so that its answer appears below it. */
  next(): string | undefined {
    const next = this.#waiting.shift();
    if (next?.isShown === false) this.#show(next.text);
    return next?.text;
  }

  /** Returns a prompt that no step of the turn took, for its own turn. */
  takeLeftover(engine: Pick<Engine, "takeQueued">, then: AfterTurn): ReturnType<Engine["takeQueued"]> {
    this.reportUnsent(engine, then);
    const left = engine.takeQueued();
    if (left === undefined) this.#joining = [];
    else {
      this.#joining.shift();
      this.#show(blockText(left.prompt));
    }
    return left;
  }

  reportUnsent(engine: Pick<Engine, "takeQueued">, then: AfterTurn): void {
    const queued: string[] = [];
    if (then !== "nextTurn")
      for (let left = engine.takeQueued(); left !== undefined; left = engine.takeQueued())
        queued.push(blockText(left.prompt));
    const unsent = [...queued, ...this.#unsent.splice(0)];
    // After the exit no key brings them back.
    if (then === "exit") for (const text of unsent) this.#reportLine(text);
    else if (unsent.length > 0) {
      const [what, it] = unsent.length === 1 ? ["what you", "it"] : [`${unsent.length} prompts`, "them"];
      this.#options.notice(`Not sent: ${what} typed during the answer (the Up key brings ${it} back).`);
    }
  }

  /** The person has left: reports the lines that still wait. */
  reportWaiting(): void {
    for (const { text } of this.#waiting.splice(0)) if (!isExit(text)) this.#reportLine(text);
  }

  #reportLine(text: string): void {
    this.#options.notice(`Not sent: ${oneLine(text, maxShownLength)}`);
  }

  #show(text: string): void {
    this.#options.gap();
    // Tabs are shown as blanks, as at the prompt.
    this.#options.line(`${this.#options.mark}${shortened(sanitize(text).replaceAll("\t", "    "))}`);
  }

  /** Drops the prompts typed during a turn that is interrupted. */
  dropPrompts(running: RunningEngine | undefined): void {
    this.#joining = [];
    const commands = this.#waiting.filter(({ text }) => !isPrompt(text, running));
    this.#unsent.push(...this.#waiting.filter((line) => !commands.includes(line)).map(({ text }) => text));
    this.#waiting = commands;
  }
}

function shortened(text: string): string {
  const lines = text.split("\n");
  // A note in the place of a single line would be no shorter.
  const left = lines.length > maxLinesAgain + 1 ? lines.splice(maxLinesAgain).length : 0;
  const kept = lines.join("\n");
  const beginning = kept.length > maxLengthAgain ? `${headOf(kept, maxLengthAgain).trimEnd()}…` : kept;
  return left === 0 ? beginning : `${beginning}\n(${left} more lines, shown above)`;
}

function joinedText(content: string | readonly WireBlock[]): string {
  if (typeof content === "string") return content;
  return content.map(({ type, text }) => (type === "text" && typeof text === "string" ? text : "")).join("");
}

function isPrompt(text: string, running: RunningEngine | undefined): boolean {
  const isCommand = readCommand(text) !== undefined || isUserCommand(readAnyCommand(text)?.name.toLowerCase(), running);
  return !isCommand && shellCommandIn(text) === undefined && !isExit(text);
}

/** Returns whether `typed` names a user's command. A name with a dot is a file unless such a command exists, by full name or last part. */
function isUserCommand(typed: string | undefined, running: RunningEngine | undefined): boolean {
  if (typed === undefined) return false;
  return running?.supportedCommands().some(({ name }) => `:${name.toLowerCase()}`.endsWith(`:${typed}`)) ?? true;
}
