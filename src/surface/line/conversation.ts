/** The terminal conversation: a prompt, the streamed answer, a prompt again. While a line is being typed, the answer is held back. */
import { sanitize } from "../../lib/sanitize.ts";
import type { OnElicitation } from "../../protocol/mcp.ts";
import type { MentionNews } from "../../protocol/mention.ts";
import type { AskPermission } from "../../protocol/permission.ts";
import type { Engine } from "../engine-port.ts";
import { stopExitCode, exitCodes } from "../headless/exit-code.ts";
import { farewellLines } from "../show/farewell.ts";
import { interruptedTurnPrompt } from "../interrupted-turn.ts";
import { agentsEndedPrompt } from "../../session/query/late-agents.ts";
import { styleFor, type Style } from "../show/style.ts";
import { wrapHanging } from "../show/wrap-hanging.ts";
import { SideCommands } from "./side-commands.ts";
import { QuestionQueue } from "./question-queue.ts";
import { IdlePrompt } from "./idle-prompt.ts";
import { Interrupts } from "./interrupts.ts";
import type { ConversationOptions } from "./conversation-options.ts";
import { Completions } from "./completions.ts";
import { isExit } from "./commands.ts";
import { Keyboard } from "./keyboard.ts";
import type { KeyboardHandlers } from "./keyboard-options.ts";
import { backgroundQuery, type BackgroundQuery } from "./background-query.ts";
import { BackgroundNews, backgroundNewsSignal } from "./background-news.ts";
import { greetingLines } from "./greeting.ts";
import { SessionSwitcher } from "./session-switcher.ts";
import { ExternalPrograms } from "./external-programs.ts";
import { shellCommandIn } from "./shell-command.ts";
import { promptsInMessages } from "./last-exchange.ts";
import { PromptLine } from "./prompt-line.ts";
import { Questions } from "./questions.ts";
import { Screen } from "./screen.ts";
import { terminalKind, terminalModes } from "./terminal-modes.ts";
import { Turns } from "./turns.ts";
import { TypedAhead, type TypedAheadOptions } from "./typed-ahead.ts";
import { View } from "./view.ts";

export class Conversation {
  readonly #options: ConversationOptions;
  readonly #screen: Screen;
  readonly #style: Style;
  readonly #view: View;
  readonly #keyboard: Keyboard;
  readonly #questionQueue: QuestionQueue;
  readonly #sessionSwitcher: SessionSwitcher;
  /** The engine's callbacks for asking a person. */
  readonly ask: AskPermission;
  readonly elicit: OnElicitation;
  #engine: Engine | undefined;
  readonly #idlePrompt = new IdlePrompt(() => this.#onClosed());
  /** The person has left. */
  #isClosed = false;
  #isTerminalRestored = false;
  readonly #typedAhead: TypedAhead;
  readonly #sideCommands: SideCommands;
  readonly #backgroundNews: BackgroundNews;
  readonly #completions: Completions;
  readonly #externalPrograms: ExternalPrograms;
  readonly #promptLine: PromptLine;
  readonly #turns: Turns;
  readonly #interrupts: Interrupts;
  readonly answers: BackgroundQuery;

  constructor(options: ConversationOptions) {
    const { input, output: terminal, env, cwd, job, now, after, earlier, vim, worktree } = (this.#options = options);
    this.#style = styleFor(terminal.isTTY === true, env, options.screenReader !== undefined, options.theme);
    this.#screen = new Screen({ write: (text) => this.#keyboard.write(text) }, !this.#style.isSpoken);
    const showLaidOut = (line: string): void => this.#screen.line(line);
    const send = (prompt: string): void =>
      this.#turns.isRunning ? this.#handleTypedAhead(prompt) : this.#typedAhead.putFirst(prompt);
    const callbacks = {
      show: (line: string) => this.#view.line(line),
      send,
      onChange: () => this.#view.status.update(),
    };
    this.#sideCommands = new SideCommands(this.#style, callbacks);
    const notice = (text: string): void => this.notice(text);
    const withAttachments: TypedAheadOptions["withAttachments"] = (text) =>
      this.#externalPrograms.pictures.withPictures(text);
    const { prompt: mark } = this.#style.marks;
    const linesAhead = { gap: () => this.#screen.gap(), line: showLaidOut, notice };
    this.#typedAhead = new TypedAhead({ mark, ...linesAhead, withAttachments });
    this.#backgroundNews = new BackgroundNews({
      wake: () => this.#promptLine.deliverNews(),
      after,
      notice,
      // A running turn reports it itself.
      showEnd: (message) => void (this.#turns.isRunning || this.#view.showEnd(message)),
    });
    const onChange = (): void => this.#keyboard.refresh();
    const offer: Keyboard["offer"] = (menu) => this.#keyboard.offer(menu);
    this.#completions = new Completions({ style: this.#style, offer, onChange, notice, after });
    const kind = terminalKind(env);
    const isBusy = (): boolean => this.#keyboard.isShown || this.#questionQueue.isOpen || this.#keyboard.isLent;
    const isFree = (): boolean => !this.#screen.isLineOpen && !isBusy();
    const endRow = (): void => void (isBusy() || this.#screen.endOpenLine());
    const isUnderPrompt = () => this.#turns.isRunning && !this.#questionQueue.isOpen;
    const row = { isFree, endRow, isUnderPrompt, waiting: () => this.#typedAhead.waiting, hasVim: vim !== undefined };
    const [screen, style] = [this.#screen, this.#style];
    this.#externalPrograms = new ExternalPrograms({ ...options, screen, style, kind, onChange, notice });
    const { output } = this.#externalPrograms;
    const place = { cwd, home: env["HOME"], worktree };
    this.#view = new View({ screen, style, ...place, ...row, output, kind, now, after, onChange, notice });
    terminal.on("error", () => this.#onClosed());
    const { status, agents, approved, output: shown, underPrompt: below } = this.#view;
    const [modes, answers] = [terminalModes(env), (this.answers = backgroundQuery(options, style))];
    const keys = { kind, style, modes, now, after, job, earlier, vim: status.vimSettings(vim), below, answers };
    const keyboard = (this.#keyboard = new Keyboard({ input, output: shown, ...keys }, this.#handlers()));
    const answered = (): void => this.#promptLine.onAnswered();
    this.#questionQueue = new QuestionQueue({ screen, keyboard, now, after, answered });
    this.#turns = this.#createTurns();
    this.#interrupts = this.#createInterrupts();
    this.#promptLine = this.#createPromptLine();
    const remember: Keyboard["remember"] = (prompts, again) => this.#keyboard.remember(prompts, again);
    const switchCallbacks = { ...callbacks, showLaidOut, remember };
    this.#sessionSwitcher = new SessionSwitcher(options, style, this.#questionQueue, switchCallbacks);
    const hasInterrupted = () => this.#turns.isRunning && this.#turns.wasInterrupted;
    const person = { isGone: () => this.#isClosed, hasInterrupted, agents, approved };
    ({ ask: this.ask, elicit: this.elicit } = new Questions(this.#questionQueue, this.#style, output, person));
  }

  #handlers(): KeyboardHandlers {
    return {
      line: (text) => this.#onLine(text),
      interrupt: () => this.#interrupts.onControlC(),
      escape: () => this.#interrupts.onEscape(),
      complete: (draft) => this.#completions.completeNow(this.#engine, draft),
      suggest: (draft, isTyped) => this.#completions.suggest(this.#engine, draft, isTyped),
      pasted: (text, editor) => this.#completions.mentionPictures(text, editor),
      picture: (editor) => this.#externalPrograms.pictures.insertFromClipboard(editor),
      takeBack: (draft) => this.#typedAhead.takeBack(this.#engine, draft),
      cycleMode: () => (this.#questionQueue.shiftTab() ? undefined : this.#cycleMode()),
      closed: () => this.#onClosed(),
      pressed: () => (this.#idlePrompt.onBusy(), this.#questionQueue.onKey()),
      maySend: () => this.#questionQueue.maySend(),
      typing: () => this.#promptLine.onTyping(),
      emptied: () => this.#promptLine.onEmptied(),
      continued: () => this.#screen.rowEnded(),
      edit: () => this.#externalPrograms.editPrompt(this.#keyboard),
      transcript: () => this.#externalPrograms.showTranscript(this.#keyboard, this.#engine),
      beforeLend: () => this.#externalPrograms.beforeLend(),
      afterLend: () => (this.#externalPrograms.afterLend(), this.#questionQueue.onKey(), this.#promptLine.onReturned()),
    };
  }

  #createPromptLine(): PromptLine {
    return new PromptLine({
      keyboard: this.#keyboard,
      screen: this.#screen,
      questionQueue: this.#questionQueue,
      style: this.#style,
      isRunning: () => this.#turns.isRunning,
      engine: () => this.#engine,
      onShown: (engine) => this.#idlePrompt.onIdle(engine, this.#options.after),
      onEmpty: (engine) => this.#backgroundNews.watch(engine),
      onWiped: () => this.#view.progressRow.showAgain(),
    });
  }

  #createTurns(): Turns {
    return new Turns({
      screen: this.#screen,
      style: this.#style,
      view: this.#view,
      keyboard: this.#keyboard,
      questionQueue: this.#questionQueue,
      typedAhead: this.#typedAhead,
      idlePrompt: this.#idlePrompt,
      backgroundNews: this.#backgroundNews,
      job: this.#options.job,
      isClosed: () => this.#isClosed,
      isTerminalRestored: () => this.#isTerminalRestored,
    });
  }

  #createInterrupts(): Interrupts {
    const leaveNow = (): void => (this.close(), this.#options.leaveNow("interrupted"));
    return new Interrupts({
      screen: this.#screen,
      view: this.#view,
      keyboard: this.#keyboard,
      questionQueue: this.#questionQueue,
      turns: this.#turns,
      backgroundNews: this.#backgroundNews,
      engine: () => this.#engine,
      leave: () => this.#onClosed(),
      leaveNow: () => this.answers.whenOver(leaveNow),
    });
  }

  notice(text: string): void {
    this.#view.line(this.#style.yellow(this.#style.marks.yellow + sanitize(text)));
  }

  /** Shows what happened to a file that a prompt mentions. */
  showMention(news: MentionNews): void {
    this.#view.showMention(news);
  }

  /** Returns the exit code once the person has left. */
  async run(engine: Engine, firstPrompt?: string): Promise<number> {
    this.#engine = engine;
    const unsubscribe = this.#options.stop.onStop((cause) => {
      engine.interrupt(cause === "terminated" ? "terminate" : "user");
      this.#onClosed();
    });
    try {
      this.#keyboard.remember(promptsInMessages(engine.getMessages()));
      this.#view.attachEngine(engine);
      const { screenReader } = this.#options;
      if (screenReader !== undefined) this.#screen.line(`[Screen Reader Mode: on via ${screenReader}]`);
      for (const line of greetingLines(engine, this.#options, this.#style)) this.#screen.line(line);
      const interruptedTurn = interruptedTurnPrompt(engine, () => Date.now());
      if (firstPrompt !== undefined && firstPrompt.trim() !== "") {
        this.#screen.line(`${this.#style.marks.prompt}${sanitize(firstPrompt)}`);
        await this.#turns.run(engine, firstPrompt);
      } else if (interruptedTurn !== undefined)
        await this.#turns.run(engine, interruptedTurn.content, { isMeta: true });
      await this.#converse(engine);
    } finally {
      unsubscribe();
      this.#idlePrompt.onBusy();
      const closing = [
        this.#sideCommands.close(),
        this.#backgroundNews.close(),
        this.#completions.close(),
        this.#externalPrograms.close(),
        this.#view.status.close(),
        this.answers.over(),
      ];
      await Promise.all(closing);
      this.close();
    }
    const { cause, isLeaving } = this.#options.stop;
    // An immediate exit has already printed the farewell.
    if (!isLeaving) for (const line of farewellLines(engine, false, this.#options)) this.#screen.line(line);
    return cause === undefined ? exitCodes.success : stopExitCode(cause);
  }

  /** Restores the terminal. */
  close(): void {
    if (this.#isTerminalRestored) return;
    [this.#isTerminalRestored, this.#isClosed] = [true, true];
    this.#externalPrograms.stopProgram();
    this.#externalPrograms.afterLend();
    this.#view.status.stop();
    this.#view.end();
    this.#keyboard.close();
    this.#screen.release();
    this.#screen.endOpenLine();
  }

  async #converse(engine: Engine): Promise<void> {
    while (!this.#isClosed) {
      const text = this.#typedAhead.next() ?? (await this.#promptLine.next(engine));
      if (text === undefined || (text !== backgroundNewsSignal && isExit(text))) break;
      if (text === backgroundNewsSignal) await this.#turns.run(engine, agentsEndedPrompt, { isMeta: true });
      else if (text.trim() !== "" && !this.#sideCommands.tryHandle(engine, text, false)) {
        const left = await this.#sessionSwitcher.tryHandle(engine, text);
        if (left !== undefined) await this.#turns.run(engine, left, {}, shellCommandIn(left));
      }
    }
    this.#typedAhead.reportWaiting();
  }

  #onLine(text: string): void {
    if (this.#questionQueue.handleLine(text) || this.#sessionSwitcher.dropLine(text)) return;
    if (this.#promptLine.deliver(text)) return;
    if (text !== "") this.#screen.noteTypedRow();
    if (text.trim() !== "") this.#handleTypedAhead(text);
    this.#screen.release();
    if (this.#questionQueue.isOpen) this.#screen.hold();
    this.#view.progressRow.showAgain();
  }

  #handleTypedAhead(text: string): void {
    if (this.#engine !== undefined && this.#sideCommands.tryHandle(this.#engine, text, this.#turns.isRunning)) return;
    // The note comes above the output that waited during the typing.
    const running = this.#turns.mayTakePrompts ? this.#engine : undefined;
    const note = this.#style.note(this.#typedAhead.queue(text, running));
    this.#screen.lineAtOnce(wrapHanging(note, this.#view.columns));
  }

  #cycleMode(): void {
    const line = this.#sideCommands.cycleMode(this.#engine, this.#promptLine.isReady);
    this.#promptLine.showMode();
    if (line !== undefined) this.#screen.lineAtOnce(wrapHanging(line, this.#view.columns));
    this.#view.progressRow.showAgain();
  }

  #onClosed(): void {
    // Later output must not appear on the prompt's row.
    this.#keyboard.leaveRow();
    this.#isClosed = true;
    this.#turns.stopShellCommand();
    this.#engine?.interrupt("user");
    this.#questionQueue.withdraw();
    this.#externalPrograms.stopProgram();
    this.#promptLine.deliver(undefined);
  }
}
