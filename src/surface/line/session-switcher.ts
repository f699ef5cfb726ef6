/** `/resume`, `/branch` and `/rewind … conversation`: another session replaces the current one. */
import { errorText } from "../../lib/error-text.ts";
import type { Environment } from "../../lib/environment.ts";
import { oneLine, sanitize } from "../../lib/sanitize.ts";
import { notifyIfSlow } from "../../lib/notify-if-slow.ts";
import { UsageError } from "../../lib/usage-error.ts";
import type { SlashCommand } from "../../protocol/sdk-commands.ts";
import { readCommand } from "../../session/intake/read-command.ts";
import type { ListedSession } from "../../session/sessions/desk.ts";
import type { Engine } from "../engine-port.ts";
import { readingSessionsText } from "../show/session-list.ts";
import type { Style } from "../show/style.ts";
import type { QuestionQueue } from "./question-queue.ts";
import { lastExchangeLines, promptsInMessages } from "./last-exchange.ts";
import { chooseRewind } from "./rewind-choice.ts";
import { parseRewindArgument, rewindConversation, type ConversationRewind } from "./rewind-conversation.ts";
import { sizeOf, type TerminalSize } from "./screen.ts";

export const sessionCommands: readonly SlashCommand[] = [
  {
    name: "resume",
    aliases: ["continue"],
    argumentHint: "[session]",
    description: "continue another session: by its id, its title, or from a list",
    builtin: true,
  },
  {
    name: "branch",
    aliases: ["fork"],
    argumentHint: "[title]",
    description: "continue in a copy of this session",
    builtin: true,
  },
];

/** Where sessions are looked up. */
export interface SessionContext {
  cwd: string;
  /** The terminal where their last exchange is shown. */
  output: Partial<TerminalSize>;
  env: Environment;
}

interface SwitchCallbacks {
  show(line: string): void;
  /** Shows a line that is laid out already. */
  showLaidOut(line: string): void;
  remember(prompts: readonly string[], again?: string): void;
  /** Another session is the current one from now on. */
  onChange(): void;
}

export class SessionSwitcher {
  readonly #context: SessionContext;
  readonly #style: Style;
  readonly #questionQueue: QuestionQueue;
  readonly #callbacks: SwitchCallbacks;
  #isPicking = false;

  constructor(context: SessionContext, style: Style, questionQueue: QuestionQueue, callbacks: SwitchCallbacks) {
    this.#context = context;
    this.#style = style;
    this.#questionQueue = questionQueue;
    this.#callbacks = callbacks;
  }

  /** Drops a line typed between two questions of a list: it cannot answer a question not seen yet, and is not a prompt. */
  dropLine(text: string): boolean {
    if (this.#isPicking && text.trim() !== "") this.#note("Ignored: this was typed before the question appeared.");
    return this.#isPicking;
  }

  /** Returns the line for the session to handle, or undefined if it was handled here. */
  async tryHandle(engine: Engine, text: string): Promise<string | undefined> {
    const typedCommand = readCommand(text);
    const isRewind = typedCommand?.name === "rewind";
    const rewind = isRewind ? parseRewindArgument(typedCommand.argument) : undefined;
    const isOpen = isRewind && typedCommand.argument.trim() === "";
    const command = sessionCommands.find(({ name, aliases }) =>
      [name, ...(aliases ?? [])].includes(typedCommand?.name ?? ""),
    );
    if (typedCommand === undefined || (command === undefined && rewind === undefined && !isOpen)) return text;
    try {
      if (isOpen) return await this.#chooseRewind(engine);
      if (rewind !== undefined) await this.#rewind(engine, rewind);
      else if (command?.name === "branch") await this.#branch(engine, typedCommand.argument);
      else await this.#resume(engine, typedCommand.argument);
    } catch (error) {
      const choices = error instanceof UsageError ? error.choices : [];
      this.#show(this.#style.red(sanitize(errorText(error))));
      for (const choice of choices) this.#show(`  ${sanitize(choice)}`);
    }
    return undefined;
  }

  readonly #show = (line: string): void => this.#callbacks.show(line);

  #note(text: string): void {
    this.#show(this.#style.note(text));
  }

  async #branch(engine: Engine, title: string): Promise<void> {
    const before = engine.getSessionId();
    await engine.branch(title === "" ? undefined : title);
    const name = oneLine(engine.desk.title ?? "", 80);
    this.#show(`Now in a copy: ${engine.getSessionId()}${name === "" ? "" : ` "${name}"`}.`);
    this.#note(`/resume ${before.slice(0, 8)} returns to the original`);
    this.#callbacks.onChange();
  }

  async #rewind(engine: Engine, rewind: ConversationRewind): Promise<void> {
    const before = engine.getSessionId();
    await rewindConversation(engine, rewind, {
      show: this.#show,
      setDraft: (text) => this.#callbacks.remember([], text),
    });
    this.#note(`/resume ${before.slice(0, 8)} returns to the full conversation`);
    this.#callbacks.onChange();
  }

  /** Asks what to go back to. If only files are to be restored, returns the session's command for it, which also tells the model. */
  async #chooseRewind(engine: Engine): Promise<string | undefined> {
    const chosen = await this.#whilePicking(() => chooseRewind(engine, { show: this.#show, ask: this.#ask }));
    if (chosen === undefined) return undefined;
    const { checkpoint, what } = chosen;
    if (what === "files") return `/rewind ${checkpoint.uuid} confirm`;
    await this.#rewind(engine, { messageRef: checkpoint.uuid, withFiles: what === "both" });
    return undefined;
  }

  /** Asks in place of the prompt. */
  readonly #ask = (prompt: string): Promise<string | undefined> =>
    this.#questionQueue.enqueue(() =>
      this.#questionQueue.ask(
        { lines: [], prompt, read: (text) => text, isExpected: true, isForList: true },
        new AbortController().signal,
      ),
    );

  async #whilePicking<T>(pick: () => Promise<T>): Promise<T> {
    this.#isPicking = true;
    try {
      return await pick();
    } finally {
      this.#isPicking = false;
    }
  }

  async #resume(engine: Engine, sessionName: string): Promise<void> {
    const session = sessionName === "" ? await this.#pickSession(engine.getSessionId()) : sessionName;
    if (session === undefined) return;
    await engine.resume(session);
    const title = oneLine(engine.desk.title ?? "", 80);
    this.#note(`session ${engine.getSessionId()}${title === "" ? "" : ` "${title}"`}`);
    const look = { style: this.#style, columns: sizeOf(this.#context.output).columns };
    for (const line of lastExchangeLines(engine.getMessages(), look)) this.#callbacks.showLaidOut(line);
    this.#callbacks.remember(promptsInMessages(engine.getMessages()));
    this.#callbacks.onChange();
  }

  async #pickSession(current: string): Promise<string | undefined> {
    const { StoredSessionsDesk } = await import("../../session/sessions/desk.ts");
    const { pickFromList } = await import("./session-picker.ts");
    const now = (): number => Date.now();
    const desk = new StoredSessionsDesk({ ...this.#context, env: { ...this.#context.env }, now });
    const isOther = ({ sessionId, archived }: ListedSession): boolean => sessionId !== current && archived !== true;
    const list = async (search?: string): Promise<ListedSession[]> =>
      (await desk.list({ everywhere: false, ...(search === undefined ? {} : { search }) })).filter(isOther);
    const all = await notifyIfSlow(list(), () => this.#note(readingSessionsText));
    if (all.length === 0) throw new UsageError("This folder has no other session.");
    const size = (): TerminalSize => sizeOf(this.#context.output);
    const show = (text: string): void => text.split("\n").forEach(this.#show);
    return await this.#whilePicking(() => pickFromList(all, { list, show, ask: this.#ask, size, now }));
  }
}
