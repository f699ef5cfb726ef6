/**
 * Asks a terminal for its background without waiting for the answer. Behind the question comes one that every terminal answers (DA1):
 * once that answer is here, no other is to come, and the terminal can be given to the shell or to a program, which would take an answer
 * for keys.
 */
import type { Environment } from "../../lib/environment.ts";
import type { Style } from "../show/style.ts";
import { backgroundIn } from "./background-colour.ts";
import type { ConversationOptions } from "./conversation-options.ts";
import type { KeyboardOptions, TerminalAnswers } from "./keyboard-options.ts";

/** The question ends with BEL: rxvt-unicode forgets half of a longer end in its answer. */
const question = "\x1b]11;?\x07\x1b[c";
/** In milliseconds: a terminal that has not answered by then will not. */
const patienceMs = 2_000;
/**
 * In milliseconds, from when somebody wants the terminal. On terminals that never answer it is a delay that a person can feel, and who
 * presses a key at the sight of the prompt does so behind the answer: only keys typed before that, or an end without a key, wait at all.
 */
const lastChanceMs = 300;

type BackgroundQueryOptions = Pick<ConversationOptions, "input" | "output" | "env" | "after">;

/** `style` gets the answer. Nothing is asked if it does not depend on it, or if the terminal is not known to be able to answer. */
export function backgroundQuery({ input, output, env, after }: BackgroundQueryOptions, style: Style): BackgroundQuery {
  const mayAsk = input.isTTY === true && output.isTTY === true && mayAskBackground(env);
  return new BackgroundQuery(after, (text) => void output.write(text), mayAsk ? style.onBackground : undefined);
}

export class BackgroundQuery implements TerminalAnswers {
  readonly #after: KeyboardOptions["after"];
  readonly #write: (text: string) => void;
  readonly #onBackground: Style["onBackground"];
  readonly #waiting = new Set<() => void>();
  #stopWaiting: (() => void) | undefined;

  /** `onBackground` may be called at any time after the question. Without it nothing is asked. */
  constructor(after: KeyboardOptions["after"], write: (text: string) => void, onBackground: Style["onBackground"]) {
    [this.#after, this.#write, this.#onBackground] = [after, write, onBackground];
  }

  /** True while an answer may come. */
  get isDue(): boolean {
    return this.#stopWaiting !== undefined;
  }

  ask(): void {
    if (this.#onBackground === undefined) return;
    this.#stopWaiting = this.#after(patienceMs, () => this.giveUp());
    this.#write(question);
  }

  /** Takes a terminal's answer, to whatever question. */
  take(answer: string): void {
    if (answer.startsWith("\x1b[")) return this.giveUp();
    const background = backgroundIn(answer);
    if (background !== undefined) this.#onBackground?.(background);
  }

  /** No answer is to come any more. */
  giveUp(): void {
    this.#stopWaiting?.();
    this.#stopWaiting = undefined;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const then of waiting) then();
  }

  /** Settles once no answer is to come. */
  over(): Promise<void> {
    return new Promise((resolve) => this.whenOver(resolve));
  }

  /** Calls `then` once no answer is to come: at once, or after 0.3 seconds at the latest. A `then` that waits already is called once. */
  whenOver(then: () => void): void {
    if (!this.isDue) return then();
    if (this.#waiting.size === 0) this.#hurry();
    this.#waiting.add(then);
  }

  #hurry(): void {
    const [stopFirst, stopSecond] = [this.#stopWaiting, this.#after(lastChanceMs, () => this.giveUp())];
    this.#stopWaiting = () => (stopFirst?.(), stopSecond());
  }
}

/** Terminals that print the question, or do not answer it: consoles, old terminals, and GNU Screen, which answers in the wrong order. */
const silentTerms = /^(?:$|dumb|linux|vt\d|ansi|cons25|cygwin|eterm|emacs|sun|screen)/u;

/** Returns whether the terminal, as far as its environment tells, answers or ignores the question. */
function mayAskBackground(env: Environment): boolean {
  const { TERM: term = "", TMUX: tmux = "", STY: screen = "", INSIDE_EMACS: emacs = "" } = env;
  // tmux answers it, and calls itself `screen` to old programs.
  const isTmux = tmux !== "" && term.startsWith("screen");
  return screen === "" && emacs === "" && (isTmux || !silentTerms.test(term));
}
