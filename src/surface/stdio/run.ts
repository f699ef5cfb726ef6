/** A session that a program drives over pipes: messages, requests and answers in both directions. It outlasts the end of its input. */
import { errorText } from "../../lib/error-text.ts";
import type { DrivenEngine } from "../engine-port.ts";
import type { SDKMessage } from "../../protocol/sdk.ts";
import { startTimer } from "../deadline.ts";
import { messageFormatter, type MessageFormatter } from "../message-formatter.ts";
import { stopExitCode, exitCodes } from "../headless/exit-code.ts";
import { RunReport, stderrReporter } from "../headless/report.ts";
import { backgroundMilliseconds, drainMilliseconds } from "../headless/run.ts";
import { OutputWriter } from "../headless/writer.ts";
import { IdleExit } from "../idle-exit.ts";
import { interruptedTurnPrompt } from "../interrupted-turn.ts";
import { LateAgents } from "../../session/query/late-agents.ts";
import type { StopCause } from "../stop-desk.ts";
import { SidePrompts } from "./side-prompts.ts";
import { ClientRequests } from "./client-requests.ts";
import { createControlDesk } from "./control-desk.ts";
import { RequestDesk } from "./request-desk.ts";
import type { StdioRun } from "./run-options.ts";
import { Flow } from "./flow.ts";
import { withLineNumber, unusedLineMessage, type Frame, type Prompt } from "./frame.ts";
import { clientMirror } from "./client-mirror.ts";
import { informationalMessage, WaitNoticeFilter } from "./informational.ts";
import { ClientInput } from "./input.ts";
import { KeepAlive } from "./keep-alive.ts";
import { ClientStateSync } from "./client-state-sync.ts";
import { SessionOpener } from "./session-opener.ts";
import { PromptQueue } from "./prompts.ts";
import { startFailure } from "../start-failure.ts";
import { TaskReporter } from "../task-reporter.ts";
import { SessionState } from "./session-state.ts";
import { Turns } from "./turns.ts";

/** Returns the exit code, once all output is written or given up on. Does not dispose the engine. Throws what `open` throws. */
export async function runStdio(run: StdioRun): Promise<number> {
  return await new StdioSession(run).run();
}

class StdioSession {
  readonly #run: StdioRun;
  readonly #notify: (text: string) => void;
  readonly #writer: OutputWriter;
  readonly #formatLine: MessageFormatter;
  readonly #report: RunReport;
  readonly #requests: ClientRequests;
  readonly #desk: RequestDesk;
  readonly #prompts = new PromptQueue(() => this.#flow.balance());
  readonly #turns: Turns;
  readonly #input: ClientInput;
  readonly #flow: Flow;
  readonly #sessionOpener: SessionOpener;
  readonly #keepAlive: KeepAlive;
  readonly #idleExit: IdleExit;
  readonly #state: SessionState;
  readonly #stateSync: ClientStateSync;
  readonly #agents: LateAgents;
  readonly #waitNotices = new WaitNoticeFilter();
  readonly #taskReporter = new TaskReporter({
    isBetweenTurns: () => !this.#turns.isUnderWay,
    show: (news) => void this.#show(news),
  });
  /** Not noted in the report: the exit code depends on the turns only. */
  readonly #sidePrompts: SidePrompts;
  #gotPrompt = false;

  constructor(run: StdioRun) {
    const { stdin, stdout, stderr, stop, debug, newId, replaysUserMessages: replays } = run;
    this.#run = run;
    this.#formatLine = messageFormatter(run.env);
    this.#notify = stderrReporter(stderr);
    this.#writer = new OutputWriter(stdout, () => stop.stop("output_closed"));
    // The run continues if the reader of stderr is gone.
    stderr.on("error", () => undefined);
    this.#report = new RunReport({ notify: this.#notify, stop, debug, worktree: run.worktree });
    const write = (message: object): void => this.#write(message);
    this.#requests = new ClientRequests(write, newId, () => this.#state.update());
    const [writer, prompts, requests] = [this.#writer, this.#prompts, this.#requests];
    const isAsking = (): boolean => requests.isWaitingForPerson;
    this.#state = new SessionState({ newId, isAsking, write });
    this.#stateSync = new ClientStateSync({ newId, engine: () => this.#sessionOpener.engine, write });
    this.#sidePrompts = new SidePrompts({
      show: (message) => this.#writer.push(this.#formatLine(message)),
      replays,
      newId,
    });
    this.#turns = new Turns({ show: (message) => this.#show(this.#state.beforeMessage(message)), replays, newId });
    this.#agents = new LateAgents(run.start, () => prompts.isAtEnd && this.#report.hasReachedLimit);
    const mirror = clientMirror(run.transcriptName, (line) => this.#writer.write(line));
    this.#idleExit = new IdleExit(() => {
      this.#input.close();
      this.#onInputEnd();
    }, run.start);
    const open: StdioRun["open"] = async (clientOptions) => this.#continueInterrupted(await run.open(clientOptions));
    const failed = (): void => prompts.fail();
    this.#sessionOpener = new SessionOpener({ ...run, open, mirror, requests, notify: this.#notify, write, failed });
    const [sessionOpener, turns, agents] = [this.#sessionOpener, this.#turns, this.#agents];
    const inform = (text: string): void => this.#inform(text);
    this.#desk = new RequestDesk({
      write,
      desk: createControlDesk({ run, sessionOpener, turns, prompts, agents, requests, inform }),
      ensureSession: () => sessionOpener.open(),
      initialize: async (fields) => this.#stateSync.recordInitialize(await sessionOpener.initialize(fields)),
      notify: this.#notify,
    });
    this.#keepAlive = new KeepAlive({
      start: run.start ?? startTimer,
      // A reader that is behind needs no sign of life.
      isBusy: () => this.#isBusy && this.#writer.backlog === 0,
      write: () => this.#writer.write(this.#formatLine({ type: "keep_alive" })),
    });
    this.#input = new ClientInput(stdin, {
      frame: (frame, about) => this.#takeFrame(frame, about),
      ended: () => this.#onInputEnd(),
      notice: this.#notify,
    });
    this.#flow = new Flow({ writer, prompts, requests, input: this.#input });
  }

  async run(): Promise<number> {
    const { stop, start = startTimer } = this.#run;
    const unsubscribe = stop.onStop((cause) => this.#stop(cause));
    this.#keepAlive.begin();
    try {
      for await (const prompt of this.#prompts) {
        if (stop.cause !== undefined) break;
        await this.#runPrompt(prompt);
      }
      await Promise.all([this.#desk.settled(), this.#sidePrompts.settled()]);
      // Open the session even if no prompt came, so that invalid options are reported.
      if (stop.cause === undefined) await (await this.#sessionOpener.open()).background.settle(backgroundMilliseconds);
      if (stop.cause === undefined) await this.#taskReporter.settle(start);
    } catch (error) {
      await this.#writeStartFailure(error);
      throw error;
    } finally {
      unsubscribe();
      this.#idleExit.onBusy();
      this.#taskReporter.end();
      // Close the input before ending the keep-alive, because the end of the input starts its probe.
      this.#input.close();
      this.#keepAlive.end();
    }
    if (stop.isLeaving) return stopExitCode(stop.cause ?? "interrupted");
    const isDrained = await this.#writer.finish(drainMilliseconds, start);
    const { hasNothingToReport } = this.#report;
    const engine = this.#sessionOpener.isInitialized ? undefined : this.#sessionOpener.engine;
    const code = this.#report.close({ engine, writer: this.#writer, isDrained });
    if (!hasNothingToReport || this.#sessionOpener.isInitialized || this.#gotPrompt)
      return hasNothingToReport ? exitCodes.success : code;
    this.#notify("no user message came on standard input");
    return exitCodes.usage;
  }

  get #isBusy(): boolean {
    return this.#turns.isUnderWay || this.#desk.isBusy || this.#prompts.isExpecting;
  }

  async #runPrompt(prompt: Prompt): Promise<void> {
    const isAppended = prompt.isAppended === true && prompt.problem === undefined;
    if (!isAppended) {
      this.#idleExit.onTurnStart();
      this.#turns.begin();
      this.#agents.isHeld = false;
    }
    await this.#desk.whenTurnsMayStart();
    const engine = await this.#sessionOpener.open();
    if (this.#run.stop.cause !== undefined) return;
    if (isAppended) return await this.#append(engine, prompt);
    if (prompt.problem !== undefined) this.#report.rejectSilently();
    this.#state.onTurnStart(engine);
    const left = await this.#turns.run(engine, prompt);
    this.#taskReporter.watch(engine, this.#agents);
    this.#prompts.turnEnded(left);
    // A failed turn may not have reported the agents' end, and would fail again. The client's next prompt reports it.
    if (prompt.isMeta === true && this.#report.hasFailed) return this.#becomeIdle(engine);
    if (this.#prompts.isExpecting) this.#agents.restart();
    else if (engine.openAgents > 0 && !this.#agents.isHeld)
      this.#prompts.expect(this.#agents.prompt(engine), () => this.#idleWithoutAgents(engine));
    this.#becomeIdle(engine);
  }

  /** Called if the ends of background agents are to start no turn. */
  #idleWithoutAgents(engine: DrivenEngine): void {
    if (!this.#turns.isUnderWay) this.#agents.hold();
    this.#becomeIdle(engine);
  }

  #becomeIdle(engine: DrivenEngine): void {
    if (this.#turns.isUnderWay || this.#prompts.isExpecting) return;
    this.#idleExit.onIdle(engine);
    if (this.#prompts.isEmpty) this.#state.onIdle();
  }

  /** Continues a resumed session that was cut off within a turn, unless a turn is under way. */
  #continueInterrupted(engine: DrivenEngine): DrivenEngine {
    const prompt = this.#turns.isUnderWay ? undefined : interruptedTurnPrompt(engine, () => Date.now());
    if (prompt !== undefined) this.#prompts.pushFront(prompt);
    return engine;
  }

  async #append(engine: DrivenEngine, prompt: Prompt): Promise<void> {
    try {
      await this.#turns.append(engine, prompt);
    } catch (error) {
      this.#reject(errorText(error));
    }
    this.#becomeIdle(engine);
  }

  #takeFrame(frame: Frame, { size, line }: { size: number; line: number }): void {
    switch (frame.kind) {
      case "prompt":
        return this.#takePrompt(withLineNumber(frame.prompt, line), size);
      case "request":
        return this.#desk.take(frame.requestId, frame.subtype, frame.fields);
      case "badRequest":
        return this.#desk.refuse(frame.requestId, unusedLineMessage(frame.reason, line));
      case "reply":
        if (!this.#requests.answer(frame.requestId, frame.reply))
          this.#run.debug?.(`an answer to ${frame.requestId.slice(0, 80)} came too late or twice`);
        return this.#flow.balance();
      case "cancel":
        return this.#desk.cancel(frame.requestId);
      case "nothing":
        return;
      case "unknown":
        return this.#notify(`line ${line} of standard input was ignored: its type "${frame.type}" is unknown`);
      case "bad":
        return this.#reject(unusedLineMessage(frame.reason, line));
      default:
        return frame satisfies never;
    }
  }

  #takePrompt(prompt: Prompt, size: number): void {
    this.#gotPrompt = true;
    this.#idleExit.onBusy();
    this.#sessionOpener.engine?.background.dropSuggestion();
    if (this.#sidePrompts.tryAnswer(prompt, this.#sessionOpener.engine) || this.#turns.tryJoin(prompt)) return;
    const { mustRefusePrompts } = this.#flow;
    const problem = "too many messages are waiting: wait for their results first";
    this.#prompts.push(mustRefusePrompts ? { content: "", problem } : prompt, mustRefusePrompts ? 0 : size);
    this.#flow.balance();
  }

  /** Writes a result that says why the session did not start, for a client that waits for a first result. */
  async #writeStartFailure(error: unknown): Promise<void> {
    const { newId, start = startTimer } = this.#run;
    if (this.#sessionOpener.engine === undefined) this.#write(startFailure(error, newId()));
    await this.#writer.finish(drainMilliseconds, start);
  }

  #show(message: SDKMessage): Promise<void> | undefined {
    if (this.#turns.isUnderWay && this.#taskReporter.wasReported(message)) return undefined;
    const { blocksTurn, answersOfPeople } = this.#requests;
    if (this.#waitNotices.shouldOmit(message, blocksTurn, answersOfPeople)) return undefined;
    this.#keepAlive.noteWrite();
    if (message.type !== "stream_event") this.#report.onMessage(message);
    const written = this.#writer.push(this.#formatLine(message));
    this.#stateSync.afterMessage(message);
    return written;
  }

  /** Writes a line between the engine's messages. */
  #write(message: object): void {
    this.#keepAlive.noteWrite();
    this.#writer.write(this.#formatLine(message));
    this.#flow.balance();
  }

  #reject(reason: string): void {
    this.#report.rejectLine(reason);
    this.#inform(reason);
  }

  #inform(content: string): void {
    this.#write(
      informationalMessage(content, { uuid: this.#run.newId(), sessionId: this.#sessionOpener.engine?.getSessionId() }),
    );
  }

  #stop(cause: StopCause): void {
    this.#prompts.clear();
    this.#taskReporter.endGracePeriod();
    this.#agents.stopWaiting();
    this.#input.close();
    this.#writer.stopWaiting();
    this.#sessionOpener.engine?.interrupt(cause === "terminated" ? "terminate" : "user");
  }

  #onInputEnd(): void {
    if (this.#sessionOpener.isInitialized) this.#keepAlive.probe();
    this.#requests.close();
    this.#prompts.end();
    this.#agents.reconsider();
  }
}
