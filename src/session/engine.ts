/** QueryEngine: one session over many user turns, and the only long-lived mutable object. Built by `createEngine` in `compose.ts`. */
import type { ContextUsage } from "../protocol/context-usage.ts";
import type { ContentBlock, Message } from "../protocol/message.ts";
import type { Effort } from "../protocol/model.ts";
import type { PermissionMode } from "../protocol/permission.ts";
import type { SDKMessage } from "../protocol/sdk.ts";
import type { SlashCommand } from "../protocol/sdk-commands.ts";
import type { CancelCause } from "../protocol/stop.ts";
import { passedOn, type Steps } from "../lib/steps.ts";
import type { Cancel } from "../loop/cancel.ts";
import type { RewindFilesOptions, RewindFilesResult } from "./files/rewinding.ts";
import { openWork, whenWorkReports } from "./agents/late-work.ts";
import { answerBeside, commandSteps, runsBeside } from "./commands/run-command.ts";
import { allCommands } from "./commands/table.ts";
import { checkObject, checkOptionalTexts, checkSubmit, checkTexts, signalIn } from "./options/check-arguments.ts";
import type { CompactAnswer } from "./context/compaction.ts";
import { sessionCost, type SessionCost } from "./desk/cost.ts";
import type { SessionDesk } from "./desk/desk.ts";
import type { SessionBackground } from "./forks/beside.ts";
import type { SideAnswer } from "./forks/side-question.ts";
import type { SubmitOptions } from "./intake/intake.ts";
import { checkModelOptions } from "./model/model-wishes.ts";
import type { Joined } from "./joined.ts";
import { copyOf, type BranchOptions, type EndReason, type Successor } from "./kept.ts";
import { notNow } from "./not-now.ts";
import { readPrompt } from "./intake/prompt.ts";
import { TurnSlot } from "./turn/turn-slot.ts";
import type { Session } from "./session.ts";
import { requestSnip } from "./context/snip-now.ts";
import type { SnipAnswer, SnipRequest } from "./context/snips.ts";
import { attributed, userTurn } from "./turn/user-turn.ts";

export class QueryEngine {
  #session: Session;
  readonly #turns = new TurnSlot();
  #isLeaving = false;
  #disposing: Promise<void> | null = null;

  /** @internal */
  constructor(session: Session) {
    this.#session = session;
  }

  /**
   * Runs one user turn. Yields messages and, last, exactly one `result`; none where the process was told to terminate.
   * Leaving the generator early cancels the turn and records what it did.
   */
  submitMessage(prompt: string | ContentBlock[], options: SubmitOptions = {}): AsyncGenerator<SDKMessage, void> {
    checkSubmit(options);
    return this.#run((cancel) => attributed(this.#turn(readPrompt(prompt), options, cancel), options));
  }

  /**
   * Shortens the conversation: a summary, made with `instructions` where given, stands for its older part. Yields status messages
   * and the `compact_boundary`; returns whether there was something to do. Throws while a turn runs; `interrupt()` ends it.
   */
  compact(instructions?: string): AsyncGenerator<SDKMessage, CompactAnswer> {
    checkOptionalTexts({ instructions });
    return this.#run((cancel) => passedOn(this.#session.compact(instructions, cancel)));
  }

  /**
   * Takes a span of history out of the conversation, and out of every resume: the callback `snipReplay` does it. Between turns it
   * is done when this returns; while a turn runs it waits for the next border, and a message `snip_boundary`, or a notice
   * `snip_refused`, tells of it then. Throws `SnipError` where the span is not whole (`not_whole` names one that is), holds the
   * pinned head or what is being answered, or cannot be recorded.
   */
  snip(span: SnipRequest): SnipAnswer {
    this.#refuseWhereClosed();
    checkObject("span", span);
    checkTexts({ fromUuid: span.fromUuid, toUuid: span.toUuid });
    return requestSnip(this.#session.historyParts(), span, this.#turns.isRunning);
  }

  /**
   * Asks the running turn to end; it settles, records and (but for `terminate`) yields its result. `interrupt` says that the
   * user has already submitted what comes next. The first cause counts. True where a turn was running.
   */
  interrupt(cause: CancelCause = "user"): boolean {
    checkTexts({ cause });
    this.#turns.cancel?.cancel(cause);
    if (cause !== "interrupt") {
      this.#session.beside.end(cause);
      this.#joined.agents.interruptTeammates(cause);
    }
    return this.#turns.isRunning;
  }

  /** What goes on beside the turns. Another one after `clear()`. */
  get background(): SessionBackground {
    return this.#session.beside;
  }

  /** Adds to the conversation without a turn. Throws while one runs, and where it cannot be recorded. */
  append(prompt: string | ContentBlock[], options: SubmitOptions = {}): void {
    this.#refuseWhereClosed();
    checkSubmit(options);
    if (this.#turns.isRunning) throw notNow.running();
    const failure = this.#session.record(readPrompt(prompt), options, false);
    if (failure !== null) throw notNow.notRecorded(failure);
  }

  /** Answers from what the conversation holds and becomes no part of it; also while a turn runs. A failure is an answer. */
  async sideQuestion(question: string, options: { signal?: AbortSignal } = {}): Promise<SideAnswer> {
    this.#refuseWhereClosed();
    checkTexts({ question });
    return await this.#session.beside.ask(question, signalIn(options));
  }

  /** Messages of a prompt that need not wait for the turn that runs (`/btw`), a `result` last; undefined: it is to be a turn. */
  submitBeside(prompt: string | ContentBlock[]): AsyncGenerator<SDKMessage, void> | undefined {
    const given = this.#turns.isRunning ? this.#joined.commandOf(readPrompt(prompt)) : undefined;
    if (given === undefined || !runsBeside(given) || this.#isLeaving || this.#disposing !== null) return undefined;
    return answerBeside(given, { session: () => this.#session, clear: () => this.#restart() });
  }

  /** Input that arrives while a turn runs: it joins at the next turn border, else `takeQueued` hands it out. Throws once it is closed. */
  enqueue(prompt: string | ContentBlock[], uuid = ""): void {
    if (this.#disposing !== null) throw notNow.closed();
    checkTexts({ uuid });
    this.#joined.queue.add({ uuid: uuid === "" ? this.#joined.around.ids.uuid() : uuid, prompt: readPrompt(prompt) });
  }

  /** What no turn consumed, for the next user turn; undefined where nothing waits. */
  takeQueued(): { uuid: string; prompt: ContentBlock[] } | undefined {
    return this.#joined.queue.takeOne();
  }

  getSessionId(): string {
    return this.#joined.store.sessionId;
  }

  getMessages(): readonly Message[] {
    return this.#joined.conversation.messages;
  }

  /** Undefined where nothing is persisted. */
  getTranscriptPath(): string | undefined {
    return this.#joined.store.transcript?.path;
  }

  getModel(): string {
    return this.#joined.selected.current;
  }

  /** From the next user turn on. Asks no hooks: `desk.switchModel` does. */
  setModel(name: string): void {
    checkTexts({ model: name });
    this.#session.choices.setModel(name);
  }

  getPermissionMode(): PermissionMode {
    return this.#session.choices.permissionMode;
  }

  setPermissionMode(mode: PermissionMode): void {
    checkTexts({ mode });
    this.#session.choices.setPermissionMode(mode);
  }

  setEffort(effort: Effort | undefined): void {
    checkOptionalTexts({ effort });
    checkModelOptions({ effort });
    this.#session.choices.setEffort(effort);
  }

  /** What can be given as a prompt that begins with a slash. */
  supportedCommands(): SlashCommand[] {
    return allCommands(this.#joined);
  }

  /** What can be asked of this session beside its turns. Another one after `clear()`. */
  get desk(): SessionDesk {
    return this.#session.desk;
  }

  /** Where the tokens of the conversation are, as the next request would send it. */
  getContextUsage(): ContextUsage {
    return this.#session.desk.contextUsage();
  }

  /** Agents in the background that work, or whose end was not told to the model, with what hooks have to tell. */
  get openAgents(): number {
    return openWork(this.#joined);
  }

  /** Resolves once none works there any more; what they said is told with the next prompt. */
  whenAgentsEnd = (): Promise<void> => whenWorkReports(this.#joined);

  /** Hooks in the background that may yet have something to tell; `whenAgentsEnd` resolves where one has. */
  get openHooks(): number {
    return this.#joined.waking.running;
  }

  mcpServerStatus(): ReturnType<SessionDesk["mcpServers"]> {
    return this.#session.desk.mcpServers();
  }

  getCost(): SessionCost {
    return sessionCost(this.#joined.ledger);
  }

  /** Puts files that tools changed back to what they were before that prompt; the conversation stays. Not while a turn runs. */
  async rewindFiles(userMessageUuid: string, options: RewindFilesOptions = {}): Promise<RewindFilesResult> {
    this.#refuseWhereClosed();
    checkTexts({ userMessageUuid });
    checkObject("options", options);
    if (this.#turns.isRunning) return { canRewind: false, error: "A turn is running: await or interrupt() it first." };
    return await this.#session.rewindFiles(userMessageUuid, options);
  }

  /** Ends this session and starts an empty one under a new id, with the same options. What was queued waits there. */
  async clear(): Promise<void> {
    await this.#leaveFor();
  }

  /**
   * Ends this session and goes on with another one: by id, the beginning of one, or title, as the option `resume` does. What was chosen
   * and allowed here stays behind. Throws `UsageError`, and this session goes on: none, several, or one that a process holds.
   */
  async resume(session: string): Promise<void> {
    checkTexts({ session });
    await this.#leaveFor({ resume: session });
  }

  /** Ends this session and goes on with a copy under a new id, whole or up to a message; what was chosen stays. Throws where there is none. */
  async branch(title?: string, options: BranchOptions = {}): Promise<void> {
    await this.#leaveFor(copyOf(this.#joined, title, options));
  }

  async #leaveFor(successor?: Successor): Promise<void> {
    this.#refuseWhereClosed();
    this.#isLeaving = true;
    try {
      await this.#turns.end(this.#joined.around.clock);
      await this.#restart(successor);
    } finally {
      this.#isLeaving = false;
    }
  }

  async #restart(successor?: Successor): Promise<void> {
    const [old, next] = [this.#session, await this.#session.restart(successor)];
    if (this.#disposing !== null) return await next.close(true, "other");
    old.joined.queue.moveTo(next.joined.queue);
    this.#session = next;
    await old.close(true, successor === undefined ? "clear" : "resume");
  }

  /** Ends what runs, settles it, and lets go of everything. Safe to call twice, and while a message of the turn is in hand. `reason`: for SessionEnd hooks. */
  dispose(reason: Exclude<EndReason, "clear" | "resume"> = "other"): Promise<void> {
    this.#disposing ??= this.#turns
      .end(this.#joined.around.clock)
      .then(() => this.#session.close(this.#turns.wasCancelled, reason));
    return this.#disposing;
  }

  /** For the last moment of the process: kills every command and hook the session started, without waiting; `sparesHooks`: `dispose` is to come. */
  killNow(sparesHooks = false): void {
    this.#session.killNow(sparesHooks);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }

  #turn(prompt: ContentBlock[], options: SubmitOptions, cancel: Cancel): Steps<SDKMessage, void> {
    const isPlain = options.isMeta === true || options.isVerbatim === true;
    const given = isPlain ? undefined : this.#joined.commandOf(prompt);
    if (given === undefined) return userTurn(this.#session, prompt, options, cancel);
    const place = { session: () => this.#session, clear: () => this.#restart(), cancel };
    return commandSteps(given, place, () => userTurn(this.#session, prompt, options, cancel));
  }

  #refuseWhereClosed(): void {
    if (this.#disposing !== null) throw notNow.closed();
    if (this.#isLeaving) throw notNow.clearing();
    if (this.#session.isRewinding) throw notNow.rewinding();
  }

  /** One at a time: what runs has the conversation to itself. */
  #run<R>(open: (cancel: Cancel) => Steps<SDKMessage, R>): AsyncGenerator<SDKMessage, R> {
    return this.#turns.run({
      begin: (cancel) => {
        this.#refuseWhereClosed();
        if (this.#turns.isRunning) throw notNow.alreadyRunning();
        this.#joined.forks.dropSuggestion();
        // Before it counts as running: a prompt of no known form throws here.
        return open(cancel);
      },
      abortedBy: () => this.#joined.options.abortController?.signal,
      aborted: () => this.interrupt(),
      answering: () => this.#session.housekeeping.start(),
    });
  }

  get #joined(): Joined {
    return this.#session.joined;
  }
}
