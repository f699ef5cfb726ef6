/** A session that a program drives over pipes: messages, requests and answers in both directions. It outlasts the end of its input. */
import { errorText } from "../../lib/error-text.ts";
import type { Readable } from "node:stream";
import type { DrivenEngine } from "../engine-port.ts";
import type { SDKMessage } from "../../protocol/sdk.ts";
import { startTimer, type StartTimer } from "../deadline.ts";
import { messageLine, type MessageLine } from "../message-line.ts";
import { causeCode, exitCodes } from "../headless/exit-code.ts";
import { RunReport, teller, type ReportOptions } from "../headless/report.ts";
import { backgroundMilliseconds, drainMilliseconds, type Terminal } from "../headless/run.ts";
import { OutputWriter } from "../headless/writer.ts";
import { IdleExit } from "../idle-exit.ts";
import { promptOfInterrupted } from "../interrupted-turn.ts";
import { LateAgents } from "../../session/query/late-agents.ts";
import type { StopCause, StopDesk } from "../stop.ts";
import { Asides } from "./asides.ts";
import { ClientRequests } from "./client-requests.ts";
import { controlDesk } from "./control-desk.ts";
import { RequestDesk } from "./desk.ts";
import { Flow } from "./flow.ts";
import { located, notUsed, type Frame, type Prompt } from "./frame.ts";
import { clientMirror } from "./client-mirror.ts";
import { informational, WaitNotices } from "./informational.ts";
import { ClientInput } from "./input.ts";
import { KeepAlive } from "./keep-alive.ts";
import { Levels } from "./levels.ts";
import { Opening, type OpeningOptions } from "./opening.ts";
import { PromptQueue } from "./prompts.ts";
import { startFailure } from "../start-failure.ts";
import { TaskNews } from "../task-news.ts";
import { SessionState } from "./session-state.ts";
import { Turns } from "./turns.ts";

export interface StdioRun extends Omit<OpeningOptions, "requests" | "tell" | "write" | "failed" | "mirror"> {
  stdin: Readable;
  stdout: Terminal;
  stderr: Terminal;
  replaysUserMessages: boolean;
  /** Returns the client's name for a transcript. Undefined if the client does not want transcript entries. */
  mirrors?: ((path: string) => string) | undefined;
  env: Readonly<Record<string, string | undefined>>;
  worktree?: ReportOptions["worktree"];
  stop: StopDesk;
  start?: StartTimer;
  newId: () => string;
}

/** Returns the exit code, once all output is written or given up on. Does not dispose the engine. Throws what `open` throws. */
export async function runStdio(run: StdioRun): Promise<number> {
  return await new StdioSession(run).run();
}

class StdioSession {
  readonly #run: StdioRun;
  readonly #tell: (text: string) => void;
  readonly #writer: OutputWriter;
  readonly #line: MessageLine;
  readonly #report: RunReport;
  readonly #requests: ClientRequests;
  readonly #desk: RequestDesk;
  readonly #prompts = new PromptQueue(() => this.#flow.balance());
  readonly #turns: Turns;
  readonly #input: ClientInput;
  readonly #flow: Flow;
  readonly #opening: Opening;
  readonly #keepAlive: KeepAlive;
  readonly #idle: IdleExit;
  readonly #state: SessionState;
  readonly #levels: Levels;
  readonly #agents: LateAgents;
  readonly #waitNotices = new WaitNotices();
  readonly #taskNews = new TaskNews({ isQuiet: () => !this.#turns.isUnderWay, show: (news) => void this.#show(news) });
  /** Not noted in the report: the exit code depends on the turns only. */
  readonly #asides: Asides;
  #wasAsked = false;

  constructor(run: StdioRun) {
    const { stdin, stdout, stderr, stop, debug, newId, replaysUserMessages: replays } = run;
    this.#run = run;
    this.#line = messageLine(run.env);
    this.#tell = teller(stderr);
    this.#writer = new OutputWriter(stdout, () => stop.stop("output_closed"));
    // The run continues if the reader of stderr is gone.
    stderr.on("error", () => undefined);
    this.#report = new RunReport({ tell: this.#tell, stop, debug, worktree: run.worktree });
    const write = (message: object): void => this.#write(message);
    this.#requests = new ClientRequests(write, newId, () => this.#state.look());
    const [writer, prompts, requests] = [this.#writer, this.#prompts, this.#requests];
    const isAsking = (): boolean => requests.asksPerson;
    this.#state = new SessionState({ newId, isAsking, write });
    this.#levels = new Levels({ newId, engine: () => this.#opening.engine, write });
    this.#asides = new Asides({ show: (message) => this.#writer.push(this.#line(message)), replays, newId });
    this.#turns = new Turns({ show: (message) => this.#show(this.#state.noted(message)), replays, newId });
    this.#agents = new LateAgents(run.start);
    const mirror = clientMirror(run.mirrors, (line) => this.#writer.write(line));
    this.#idle = new IdleExit(() => {
      this.#input.close();
      this.#inputOver();
    }, run.start);
    const open: StdioRun["open"] = async (wanted) => this.#goesOn(await run.open(wanted));
    const failed = (): void => prompts.fail();
    this.#opening = new Opening({ ...run, open, mirror, requests, tell: this.#tell, write, failed });
    const [opening, turns, agents] = [this.#opening, this.#turns, this.#agents];
    this.#desk = new RequestDesk({
      write,
      desk: controlDesk({ run, opening, turns, prompts, agents, requests, inform: (text) => this.#inform(text) }),
      opened: () => opening.open(),
      initialize: async (fields) => this.#levels.begun(await opening.initialize(fields)),
      tell: this.#tell,
    });
    this.#keepAlive = new KeepAlive({
      start: run.start ?? startTimer,
      // A reader that is behind needs no sign of life.
      isBusy: () => this.#isBusy && this.#writer.backlog === 0,
      write: () => this.#writer.write(this.#line({ type: "keep_alive" })),
    });
    this.#input = new ClientInput(stdin, {
      frame: (frame, about) => this.#take(frame, about),
      over: () => this.#inputOver(),
      notice: this.#tell,
    });
    this.#flow = new Flow({ writer, prompts, requests, input: this.#input });
  }

  async run(): Promise<number> {
    const { stop, start = startTimer } = this.#run;
    const leave = stop.attend((cause) => this.#stop(cause));
    this.#keepAlive.begin();
    try {
      for await (const prompt of this.#prompts) {
        if (stop.cause !== undefined) break;
        await this.#answer(prompt);
      }
      await Promise.all([this.#desk.settled(), this.#asides.settled()]);
      // Open the session even if no prompt came, so that invalid options are reported.
      if (stop.cause === undefined) await (await this.#opening.open()).background.settle(backgroundMilliseconds);
      if (stop.cause === undefined) await this.#taskNews.settle(start);
    } catch (error) {
      await this.#failToStart(error);
      throw error;
    } finally {
      leave();
      this.#idle.busy();
      this.#taskNews.end();
      // Close the input before ending the keep-alive, because the end of the input starts its probe.
      this.#input.close();
      this.#keepAlive.end();
    }
    if (stop.isLeaving) return causeCode(stop.cause ?? "interrupted");
    const isDrained = await this.#writer.finish(drainMilliseconds, start);
    const { isIdle } = this.#report;
    const engine = this.#opening.isInitialized ? undefined : this.#opening.engine;
    const code = this.#report.close({ engine, writer: this.#writer, isDrained });
    if (!isIdle || this.#opening.isInitialized || this.#wasAsked) return isIdle ? exitCodes.success : code;
    this.#tell("no user message came on standard input");
    return exitCodes.usage;
  }

  get #isBusy(): boolean {
    return this.#turns.isUnderWay || this.#desk.isBusy || this.#prompts.isExpecting;
  }

  async #answer(prompt: Prompt): Promise<void> {
    const isAppended = prompt.isAppended === true && prompt.problem === undefined;
    if (!isAppended) {
      this.#idle.works();
      this.#turns.begin();
      this.#agents.isHeld = false;
    }
    await this.#desk.free();
    const engine = await this.#opening.open();
    if (this.#run.stop.cause !== undefined) return;
    if (isAppended) return await this.#append(engine, prompt);
    if (prompt.problem !== undefined) this.#report.spoil();
    this.#state.works(engine);
    const left = await this.#turns.run(engine, prompt);
    this.#taskNews.attend(engine, this.#agents);
    this.#prompts.turnEnded(left);
    // A failed turn may not have reported the agents' end, and would fail again. The client's next prompt reports it.
    if (prompt.isMeta === true && this.#report.hasFailed) return this.#rest(engine);
    if (this.#prompts.isExpecting) this.#agents.restart();
    else if (engine.openAgents > 0 && !this.#agents.isHeld)
      this.#prompts.expect(this.#agents.prompt(engine), () => this.#restWithout(engine));
    this.#rest(engine);
  }

  /** Called if the ends of background agents are to start no turn. */
  #restWithout(engine: DrivenEngine): void {
    if (!this.#turns.isUnderWay) this.#agents.hold();
    this.#rest(engine);
  }

  #rest(engine: DrivenEngine): void {
    if (this.#turns.isUnderWay || this.#prompts.isExpecting) return;
    this.#idle.idle(engine);
    if (this.#prompts.isEmpty) this.#state.rests();
  }

  /** Continues a resumed session that was cut off within a turn, unless a turn is under way. */
  #goesOn(engine: DrivenEngine): DrivenEngine {
    const prompt = this.#turns.isUnderWay ? undefined : promptOfInterrupted(engine, () => Date.now());
    if (prompt !== undefined) this.#prompts.pushFront(prompt);
    return engine;
  }

  async #append(engine: DrivenEngine, prompt: Prompt): Promise<void> {
    try {
      await this.#turns.append(engine, prompt);
    } catch (error) {
      this.#reject(errorText(error));
    }
    this.#rest(engine);
  }

  #take(frame: Frame, { size, line }: { size: number; line: number }): void {
    switch (frame.kind) {
      case "prompt":
        return this.#takePrompt(located(frame.prompt, line), size);
      case "request":
        return this.#desk.take(frame.requestId, frame.subtype, frame.fields);
      case "badRequest":
        return this.#desk.refuse(frame.requestId, notUsed(frame.reason, line));
      case "reply":
        if (!this.#requests.answer(frame.requestId, frame.reply))
          this.#run.debug?.(`an answer to ${frame.requestId.slice(0, 80)} came too late or twice`);
        return this.#flow.balance();
      case "cancel":
        return this.#desk.cancel(frame.requestId);
      case "nothing":
        return;
      case "unknown":
        return this.#tell(`line ${line} of standard input was ignored: its type "${frame.type}" is unknown`);
      case "bad":
        return this.#reject(notUsed(frame.reason, line));
      default:
        return frame satisfies never;
    }
  }

  #takePrompt(prompt: Prompt, size: number): void {
    this.#wasAsked = true;
    this.#idle.busy();
    this.#opening.engine?.background.dropSuggestion();
    if (this.#asides.takes(prompt, this.#opening.engine) || this.#turns.takes(prompt)) return;
    const { isTooMuch } = this.#flow;
    const problem = "too many messages are waiting: wait for their results first";
    this.#prompts.push(isTooMuch ? { content: "", problem } : prompt, isTooMuch ? 0 : size);
    this.#flow.balance();
  }

  /** Writes a result that says why the session did not start, for a client that waits for a first result. */
  async #failToStart(error: unknown): Promise<void> {
    const { newId, start = startTimer } = this.#run;
    if (this.#opening.engine === undefined) this.#write(startFailure(error, newId()));
    await this.#writer.finish(drainMilliseconds, start);
  }

  #show(message: SDKMessage): Promise<void> | undefined {
    if (this.#turns.isUnderWay && this.#taskNews.wasTold(message)) return undefined;
    if (this.#waitNotices.isSpared(message, this.#requests.isAwaited)) return undefined;
    this.#keepAlive.wrote();
    if (message.type !== "stream_event") this.#report.note(message);
    const written = this.#writer.push(this.#line(message));
    this.#levels.noted(message);
    return written;
  }

  /** Writes a line between the engine's messages. */
  #write(message: object): void {
    this.#keepAlive.wrote();
    this.#writer.write(this.#line(message));
    this.#flow.balance();
  }

  #reject(reason: string): void {
    this.#report.reject(reason);
    this.#inform(reason);
  }

  #inform(content: string): void {
    this.#write(informational(content, { uuid: this.#run.newId(), sessionId: this.#opening.engine?.getSessionId() }));
  }

  #stop(cause: StopCause): void {
    this.#prompts.clear();
    this.#taskNews.hurry();
    this.#agents.hurry();
    this.#input.close();
    this.#writer.stopWaiting();
    this.#opening.engine?.interrupt(cause === "terminated" ? "terminate" : "user");
  }

  #inputOver(): void {
    if (this.#opening.isInitialized) this.#keepAlive.probe();
    this.#requests.close();
    this.#prompts.end();
  }
}
