/** The terminal conversation: a prompt, the streamed answer, a prompt again. While a line is being typed, the answer is held back. */
import { sanitize } from "../../lib/sanitize.ts";
import type { ContentBlock } from "../../protocol/message.ts";
import type { OnElicitation } from "../../protocol/mcp.ts";
import type { MentionNews } from "../../protocol/mention.ts";
import type { AskPermission } from "../../protocol/permission.ts";
import type { SubmitOptions } from "../../session/intake/intake.ts";
import type { Engine } from "../engine-port.ts";
import { causeCode, exitCodes } from "../headless/exit-code.ts";
import { farewell } from "../show/farewell.ts";
import { promptOfInterrupted } from "../interrupted-turn.ts";
import { agentsEnded } from "../../session/query/late-agents.ts";
import { styleFor, type Style } from "../show/style.ts";
import { Asides } from "./asides.ts";
import { Asking } from "./asking.ts";
import { AtPrompt } from "./at-prompt.ts";
import type { ConversationOptions } from "./conversation-options.ts";
import { Completions } from "./completions.ts";
import { isExit } from "./commands.ts";
import { Keyboard } from "./keyboard.ts";
import type { KeyboardHandlers } from "./keyboard-options.ts";
import { LateNews, news } from "./late-news.ts";
import { greeting } from "./greeting.ts";
import { OtherSession } from "./other-session.ts";
import { Outside } from "./outside.ts";
import { ownCommand, OwnCommands } from "./own-command.ts";
import { pastPrompts } from "./past.ts";
import { PromptLine } from "./prompt-line.ts";
import { Questions } from "./questions.ts";
import { Screen } from "./screen.ts";
import { terminalKind, terminalModes } from "./terminal-modes.ts";
import { TypedAhead } from "./typed-ahead.ts";
import { View } from "./view.ts";

export class Conversation {
  readonly #options: ConversationOptions;
  readonly #screen: Screen;
  readonly #style: Style;
  readonly #view: View;
  readonly #keyboard: Keyboard;
  readonly #asking: Asking;
  readonly #other: OtherSession;
  /** The engine's callbacks for asking a person. */
  readonly ask: AskPermission;
  readonly elicit: OnElicitation;
  readonly #own = new OwnCommands((text, isError) => this.#screen.line(isError ? this.#style.red(text) : text));
  #engine: Engine | undefined;
  #isRunning = false;
  #wasInterrupted = false;
  readonly #idle = new AtPrompt(() => this.#onClosed());
  /** The person has left. */
  #isClosed = false;
  #isGone = false;
  readonly #later: TypedAhead;
  readonly #asides: Asides;
  readonly #late: LateNews;
  readonly #completions: Completions;
  readonly #outside: Outside;
  readonly #line: PromptLine;

  constructor(options: ConversationOptions) {
    const { input, output: terminal, env, cwd, job, now, after, earlier, vim } = (this.#options = options);
    this.#style = styleFor(terminal.isTTY === true, env, options.screenReader !== undefined);
    this.#screen = new Screen({ write: (text) => this.#keyboard.write(text) }, !this.#style.isSpoken);
    const asItIs = (line: string): void => this.#screen.line(line);
    const send = (prompt: string): void => (this.#isRunning ? this.#keep(prompt) : this.#later.goOnWith(prompt));
    const said = { show: (line: string) => this.#view.line(line), send, changed: () => this.#view.status.update() };
    this.#asides = new Asides(this.#style, said);
    const notice = (text: string): void => this.notice(text);
    const written = (text: string): string | ContentBlock[] => this.#outside.pictures.withPictures(text);
    const { prompt: mark } = this.#style.marks;
    this.#later = new TypedAhead({ mark, line: (text) => this.#screen.line(text), notice, written });
    this.#late = new LateNews(() => this.#line.news(), after, notice);
    const changed = (): void => void (this.#keyboard.isShown && this.#keyboard.prompt());
    this.#completions = new Completions({
      style: this.#style,
      offer: (menu) => this.#keyboard.offer(menu),
      changed,
      notice,
      after,
    });
    const kind = terminalKind(env);
    const isBusy = (): boolean => this.#keyboard.isShown || this.#asking.isOn || this.#keyboard.isLent;
    const isFree = (): boolean => !this.#screen.isLineOpen && !isBusy();
    const endRow = (): void => void (isBusy() || this.#screen.fresh());
    const [screen, style, { worktree, stop }] = [this.#screen, this.#style, options];
    this.#outside = new Outside({ output: terminal, screen, style, kind, env, cwd, after, stop, changed, notice });
    const { output } = this.#outside;
    this.#view = new View({ screen, style, cwd, output, kind, isFree, endRow, now, after, worktree, changed, notice });
    terminal.on("error", () => this.#onClosed());
    const { status, agents, approved, output: shown } = this.#view;
    const modes = terminalModes(env);
    this.#keyboard = new Keyboard(
      { input, output: shown, kind, style, modes, now, after, job, earlier, ...status.under(vim) },
      this.#handlers(),
    );
    const keyboard = this.#keyboard;
    this.#asking = new Asking({ screen, keyboard, now, after, answered: () => this.#line.answered() });
    this.#line = this.#promptLine();
    const remember: Keyboard["remember"] = (prompts, again) => this.#keyboard.remember(prompts, again);
    this.#other = new OtherSession(options, style, this.#asking, { ...said, asItIs, remember });
    const hasInterrupted = () => this.#isRunning && this.#wasInterrupted;
    const person = { isGone: () => this.#isClosed, hasInterrupted, agents, approved };
    ({ ask: this.ask, elicit: this.elicit } = new Questions(this.#asking, this.#style, output, person));
  }

  #handlers(): KeyboardHandlers {
    return {
      line: (text) => this.#onLine(text),
      interrupt: () => this.#onInterrupt(),
      escape: () => this.#onEscape(),
      complete: (draft) => this.#completions.look(this.#engine, draft),
      suggest: (draft, isTyped) => this.#completions.suggest(this.#engine, draft, isTyped),
      pasted: (text, editor) => this.#completions.dropped(text, editor),
      picture: (editor) => this.#outside.pictures.take(editor),
      cycle: () => (this.#asking.shiftTab() ? undefined : this.#cycleMode()),
      closed: () => this.#onClosed(),
      pressed: () => (this.#idle.busy(), this.#asking.pressed()),
      maySend: () => this.#asking.maySend(),
      typing: () => this.#line.typing(),
      emptied: () => this.#line.emptied(),
      continued: () => this.#screen.rowEnded(),
      edit: () => this.#outside.edit(this.#keyboard),
      transcript: () => this.#outside.transcript(this.#keyboard, this.#engine),
      lends: () => this.#outside.lends(),
      returned: () => (this.#outside.returned(), this.#asking.pressed(), this.#line.returned()),
    };
  }

  #promptLine(): PromptLine {
    const [screen, style, keyboard, asking] = [this.#screen, this.#style, this.#keyboard, this.#asking];
    const [isRunning, engine] = [(): boolean => this.#isRunning, (): Engine | undefined => this.#engine];
    const waits = (spoken: Engine): void => this.#idle.idle(spoken, this.#options.after);
    const isEmpty = (spoken: Engine): void => this.#late.watch(spoken);
    return new PromptLine({ keyboard, screen, asking, style, isRunning, engine, waits, isEmpty });
  }

  notice(text: string): void {
    this.#view.line(this.#style.yellow(this.#style.marks.yellow + sanitize(text)));
  }

  /** Shows what happened to a file that a prompt mentions. */
  mentioned(news: MentionNews): void {
    this.#view.mentioned(news);
  }

  /** Returns the exit code once the person has left. */
  async run(engine: Engine, first?: string): Promise<number> {
    this.#engine = engine;
    const leave = this.#options.stop.attend((cause) => {
      engine.interrupt(cause === "terminated" ? "terminate" : "user");
      this.#onClosed();
    });
    try {
      this.#keyboard.remember(pastPrompts(engine.getMessages()));
      this.#view.meet(engine);
      const { screenReader } = this.#options;
      if (screenReader !== undefined) this.#screen.line(`[Screen Reader Mode: on via ${screenReader}]`);
      for (const line of greeting(engine, this.#options, this.#style)) this.#screen.line(line);
      const cutOff = promptOfInterrupted(engine, () => Date.now());
      if (first !== undefined && first.trim() !== "") {
        this.#screen.line(`${this.#style.marks.prompt}${sanitize(first)}`);
        await this.#turns(engine, first);
      } else if (cutOff !== undefined) await this.#turns(engine, cutOff.content, { isMeta: true });
      await this.#converse(engine);
    } finally {
      leave();
      this.#idle.busy();
      const closing = [
        this.#asides.close(),
        this.#late.close(),
        this.#completions.close(),
        this.#outside.close(),
        this.#view.status.close(),
      ];
      await Promise.all(closing);
      this.close();
    }
    const { cause, isLeaving } = this.#options.stop;
    // An immediate exit has already printed the farewell.
    if (!isLeaving) for (const line of farewell(engine, false, this.#options)) this.#screen.line(line);
    return cause === undefined ? exitCodes.success : causeCode(cause);
  }

  /** Restores the terminal. */
  close(): void {
    if (this.#isGone) return;
    [this.#isGone, this.#isClosed] = [true, true];
    this.#outside.leave();
    this.#outside.returned();
    this.#view.status.stop();
    this.#view.end();
    this.#keyboard.close();
    this.#screen.release();
    this.#screen.fresh();
  }

  async #converse(engine: Engine): Promise<void> {
    while (!this.#isClosed) {
      const text = this.#later.next() ?? (await this.#line.next(engine));
      if (text === undefined || (text !== news && isExit(text))) return;
      if (text === news) await this.#turns(engine, agentsEnded, { isMeta: true });
      else if (text.trim() !== "" && !this.#asides.takes(engine, text, false)) {
        const left = await this.#other.takes(engine, text);
        if (left !== undefined) await this.#turns(engine, left, {}, ownCommand(left));
      }
    }
    this.#later.giveUp();
  }

  /** Runs the prompt's turn, and one for each input that no step of it took. `own` is a `!` command typed here. */
  async #turns(engine: Engine, text: string, options: SubmitOptions = {}, own?: string): Promise<void> {
    await this.#turn(engine, text, options, own);
    const take = () => this.#later.left(engine, this.#wasInterrupted || this.#isClosed);
    for (let left = take(); left !== undefined; left = take())
      await this.#turn(engine, left.prompt, { uuid: left.uuid });
  }

  async #turn(engine: Engine, prompt: string | ContentBlock[], options: SubmitOptions, own?: string): Promise<void> {
    [this.#isRunning, this.#wasInterrupted] = [true, false];
    this.#idle.works();
    this.#view.begin(own);
    try {
      if (own !== undefined) return await this.#own.run(engine, own);
      for await (const message of this.#later.submit(engine, prompt, options)) {
        this.#late.heard(engine, message);
        await this.#options.job?.back;
        if (this.#isGone) continue;
        if (message.type === "result") this.#later.tellUnsent(engine, this.#wasInterrupted || this.#isClosed);
        this.#view.show(message);
      }
    } finally {
      this.#view.end();
      this.#isRunning = false;
      // Half-typed text stays on the line and becomes the beginning of the next prompt.
      if (!this.#asking.isOn) {
        if (this.#screen.isHeld) this.#keyboard.wipe();
        this.#screen.release();
      }
      this.#screen.fresh();
    }
  }

  #onLine(text: string): void {
    if (this.#asking.line(text) || this.#other.drops(text)) return;
    if (this.#line.deliver(text)) return;
    if (text.trim() !== "") this.#keep(text);
    this.#screen.release();
    if (this.#asking.isOn) this.#screen.hold();
  }

  #keep(text: string): void {
    if (this.#engine !== undefined && this.#asides.takes(this.#engine, text, this.#isRunning)) return;
    // Text typed after the interrupt is meant for the next turn. The note comes above the output that waited during the typing.
    const isRunning = this.#isRunning && !this.#wasInterrupted && !this.#own.isRunning;
    this.#screen.now(this.#style.dim(this.#later.keep(text, isRunning ? this.#engine : undefined)));
  }

  #onInterrupt(): void {
    if (this.#isRunning) {
      if (!this.#wasInterrupted) return this.#interrupt();
      if (this.#screen.isHeld) this.#keyboard.wipe();
      this.close();
      this.#options.leaveNow("interrupted");
    } else if (!this.#asking.giveUp() && this.#keyboard.takeText() === "")
      return this.#view.isLate() ? this.#late.hold() : this.#onClosed();
  }

  #cycleMode(): void {
    const line = this.#asides.cycleMode(this.#engine, this.#line.isReady);
    this.#line.showMode();
    if (line !== undefined) this.#screen.now(line);
  }

  /** Never exits, however often Esc is pressed. */
  #onEscape(): boolean {
    if (this.#asking.refuse()) return true;
    if (this.#isRunning && !this.#wasInterrupted) this.#interrupt();
    return this.#isRunning;
  }

  #interrupt(): void {
    this.#wasInterrupted = true;
    this.#later.dropPrompts(this.#engine);
    this.#own.interrupt();
    if (!this.#asking.decline()) this.#engine?.interrupt("user");
    this.#view.interrupting(this.#asking.isOn);
  }

  #onClosed(): void {
    // Later output must not appear on the prompt's row.
    this.#keyboard.leaveRow();
    this.#isClosed = true;
    this.#own.interrupt();
    this.#engine?.interrupt("user");
    this.#asking.withdraw();
    this.#outside.leave();
    this.#line.deliver(undefined);
  }
}
