/** QueryEngine: one session over many user turns, and the only long-lived mutable object. Built by `createEngine` in `compose.ts`. */
import type { ContextUsage } from "../protocol/context-usage.ts";
import type { ContentBlock, Message } from "../protocol/message.ts";
import type { Effort } from "../protocol/model.ts";
import type { PermissionMode } from "../protocol/permission.ts";
import type { SDKMessage } from "../protocol/sdk.ts";
import type { SlashCommand } from "../protocol/sdk-commands.ts";
import type { CancelCause } from "../protocol/stop.ts";
import { stepsFromGenerator, type Steps } from "../lib/steps.ts";
import type { Cancel } from "../loop/cancel.ts";
import type { RewindFilesOptions, RewindFilesResult } from "./files/rewind-types.ts";
import { countOpenWork, whenWorkReports } from "./late-work.ts";
import { answerDuringTurn, commandSteps, runsDuringTurn } from "./commands/run-command.ts";
import { allCommands } from "./commands/table.ts";
import { checkObject, checkOptionalTexts, checkSubmit, checkTexts, signalIn } from "./options/check-arguments.ts";
import type { CompactAnswer } from "./context/compaction.ts";
import { sessionCost, type SessionCost } from "./desk/cost.ts";
import type { SessionDesk } from "./desk/desk.ts";
import type { SessionBackground } from "./side-work.ts";
import type { SideAnswer } from "./forks/side-question.ts";
import type { SubmitOptions } from "./intake/intake.ts";
import { checkEffort } from "./options/check-model.ts";
import type { Joined } from "./joined.ts";
import { copyAsSuccessor, type BranchOptions, type EndReason, type Successor } from "./kept-choices.ts";
import { sessionErrors } from "./session-errors.ts";
import { readPrompt } from "./intake/prompt.ts";
import { TurnSlot } from "./turn/turn-slot.ts";
import type { Session } from "./session.ts";
import { requestSnip } from "./context/apply-snip.ts";
import type { SnipAnswer, SnipRequest } from "./context/snips.ts";
import { withAttribution, userTurn } from "./turn/user-turn.ts";

export class QueryEngine {
  #session: Session;
  readonly #turns = new TurnSlot();
  #leaving: Promise<void> | null = null;
  #disposing: Promise<void> | null = null;

  /** @internal */
  constructor(session: Session) {
    this.#session = session;
  }

  /**
   * Runs one user turn. Yields messages and finally exactly one `result`, or none if the process was told to terminate.
   * Leaving the generator early cancels the turn and records what it did.
   */
  submitMessage(prompt: string | ContentBlock[], options: SubmitOptions = {}): AsyncGenerator<SDKMessage, void> {
    checkSubmit(options);
    return this.#run((cancel) => withAttribution(this.#openTurn(readPrompt(prompt), options, cancel), options));
  }

  /**
   * Shortens the conversation: a summary, made with `instructions` if given, replaces its older part. Yields status messages and
   * the `compact_boundary`; returns whether there was anything to do. Throws while a turn runs; `interrupt()` ends the turn.
   */
  compact(instructions?: string): AsyncGenerator<SDKMessage, CompactAnswer> {
    checkOptionalTexts({ instructions });
    return this.#run((cancel) => stepsFromGenerator(this.#session.compact(instructions, cancel)));
  }

  /**
   * Removes a span of history from the conversation and from every resume; the callback `snipReplay` does it. Between turns the
   * span is gone when this returns. While a turn runs the snip waits for the next border, and a message `snip_boundary` or a notice
   * `snip_refused` then reports it. Throws `SnipError` if the span is not whole (`not_whole` names a span that is), includes the
   * pinned head or the prompt being answered, or cannot be recorded.
   */
  snip(span: SnipRequest): SnipAnswer {
    this.#throwIfUnavailable();
    checkObject("span", span);
    checkTexts({ fromUuid: span.fromUuid, toUuid: span.toUuid });
    return requestSnip(this.#session.historyParts(), span, this.#turns.isRunning);
  }

  /**
   * Asks the running turn to end. The turn settles, records and (except for `terminate`) yields its result. `interrupt` means that the
   * user has already submitted the next prompt. The first cause counts. Returns true if a turn was running.
   */
  interrupt(cause: CancelCause = "user"): boolean {
    checkTexts({ cause });
    this.#turns.cancel?.cancel(cause);
    if (cause !== "interrupt") {
      this.#session.sideWork.end(cause);
      this.#joined.agents.interruptTeammates(cause);
    }
    return this.#turns.isRunning;
  }

  /** Work beside the turns of the present session: read it anew after `clear()`, `resume()` and `branch()`, which replace this object. */
  get background(): SessionBackground {
    return this.#session.sideWork;
  }

  /** Adds to the conversation without a turn. Throws while a turn runs, and if the prompt cannot be recorded. */
  append(prompt: string | ContentBlock[], options: SubmitOptions = {}): void {
    this.#throwIfUnavailable();
    checkSubmit(options);
    if (this.#turns.isRunning) throw sessionErrors.running();
    const failure = this.#session.record(readPrompt(prompt), options, false);
    if (failure !== null) throw sessionErrors.notRecorded(failure);
  }

  /** Answers from the conversation without becoming part of it, also while a turn runs. A failure is returned as an answer. */
  async sideQuestion(question: string, options: { signal?: AbortSignal } = {}): Promise<SideAnswer> {
    this.#throwIfUnavailable();
    checkTexts({ question });
    return await this.#session.sideWork.ask(question, signalIn(options));
  }

  /** The messages of a prompt that need not wait for the running turn (`/btw`), ending with a `result`; undefined if it needs a turn. */
  submitBeside(prompt: string | ContentBlock[]): AsyncGenerator<SDKMessage, void> | undefined {
    const typed = this.#turns.isRunning ? this.#joined.commandOf(readPrompt(prompt)) : undefined;
    if (typed === undefined || !runsDuringTurn(typed) || (this.#leaving ?? this.#disposing) !== null) return undefined;
    return answerDuringTurn(typed, { session: () => this.#session, clear: () => this.#restart() });
  }

  /** Queues input while a turn runs: it joins at the next turn border, else `takeQueued` returns it. Throws once the session is closed. */
  enqueue(prompt: string | ContentBlock[], uuid = ""): void {
    if (this.#disposing !== null) throw sessionErrors.closed();
    checkTexts({ uuid });
    this.#joined.queue.add({ uuid: uuid === "" ? this.#joined.around.ids.uuid() : uuid, prompt: readPrompt(prompt) });
  }

  /** Returns input that no turn consumed, for the next user turn; undefined if nothing waits. */
  takeQueued(): { uuid: string; prompt: ContentBlock[] } | undefined {
    return this.#joined.queue.takeOne();
  }

  getSessionId(): string {
    return this.#joined.store.sessionId;
  }

  getMessages(): readonly Message[] {
    return this.#joined.conversation.messages;
  }

  /** Undefined if nothing is persisted. */
  getTranscriptPath(): string | undefined {
    return this.#joined.store.transcript?.path;
  }

  getModel(): string {
    return this.#joined.selected.current;
  }

  /** Takes effect with the next request, also during a turn. Runs no hooks: `desk.switchModel` does. */
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
    if (effort !== undefined) checkEffort(effort);
    this.#session.choices.setEffort(effort);
  }

  /** The commands that a prompt can begin with, after a slash. */
  supportedCommands(): SlashCommand[] {
    return allCommands(this.#joined);
  }

  /** What can be asked of the present session outside its turns. Like `background`, it is replaced together with the session. */
  get desk(): SessionDesk {
    return this.#session.desk;
  }

  /** How the tokens of the conversation are distributed in the next request. */
  getContextUsage(): ContextUsage {
    return this.#session.desk.contextUsage();
  }

  /** Counts background agents that work or whose end the model has not been told, unread team messages, and hook reports that wait. */
  get openAgents(): number {
    return countOpenWork(this.#joined);
  }

  /** Resolves once background work has something to report, or none is left. Reports go to the model with the next prompt. */
  whenAgentsEnd = (): Promise<void> => whenWorkReports(this.#joined);

  /** Background hooks that may still have something to report; `whenAgentsEnd` resolves when one reports. */
  get openHooks(): number {
    return this.#joined.waking.running;
  }

  mcpServerStatus(): ReturnType<SessionDesk["mcpServers"]> {
    return this.#session.desk.mcpServers();
  }

  getCost(): SessionCost {
    return sessionCost(this.#joined.ledger);
  }

  /** Restores files that tools changed to their state before that prompt; the conversation stays. Not while a turn runs. */
  async rewindFiles(userMessageUuid: string, options: RewindFilesOptions = {}): Promise<RewindFilesResult> {
    this.#throwIfUnavailable();
    checkTexts({ userMessageUuid });
    checkObject("options", options);
    if (this.#turns.isRunning) return { canRewind: false, error: "A turn is running: await or interrupt() it first." };
    return await this.#session.rewindFiles(userMessageUuid, options);
  }

  /** Ends this session and starts an empty one under a new id, with the same options. Queued input moves to the new session. */
  async clear(): Promise<void> {
    await this.#replaceSession();
  }

  /**
   * Ends this session and continues with another, named as in the option `resume`: by id, the beginning of an id, or title. Choices and
   * permissions made here stay behind. Throws `UsageError` if none or several match or a process holds it; this session then continues.
   */
  async resume(session: string): Promise<void> {
    checkTexts({ session });
    await this.#replaceSession({ resume: session });
  }

  /** Ends this session and continues with a copy under a new id, whole or up to a message; choices stay. Throws if nothing is kept. */
  async branch(title?: string, options: BranchOptions = {}): Promise<void> {
    await this.#replaceSession(copyAsSuccessor(this.#joined, title, options));
  }

  async #replaceSession(successor?: Successor): Promise<void> {
    this.#throwIfUnavailable();
    this.#leaving = this.#turns
      .end(this.#joined.around.clock)
      .then(() => this.#restart(successor))
      .finally(() => void (this.#leaving = null));
    await this.#leaving;
  }

  async #restart(successor?: Successor): Promise<void> {
    const [old, next] = [this.#session, await this.#session.restart(successor)];
    if (this.#disposing !== null) return await next.close(true, "other");
    old.joined.queue.moveTo(next.joined.queue);
    this.#session = next;
    await old.close(true, successor === undefined ? "clear" : "resume");
  }

  /** Ends what runs and releases everything. Safe to call twice, and while handling a message of the turn. `reason`: for SessionEnd. */
  dispose(reason: Exclude<EndReason, "clear" | "resume"> = "other"): Promise<void> {
    this.#disposing ??= this.#turns.end(this.#joined.around.clock).then(async () => {
      const closing = this.#session.close(this.#turns.wasCancelled, reason);
      // A session that is being left, and the one that would follow, are closed there.
      await Promise.allSettled([closing, this.#leaving]).then(() => closing);
    });
    return this.#disposing;
  }

  /** For the last moment of the process: kills the session's commands and hooks without waiting. `sparesHooks`: `dispose` will follow. */
  killNow(sparesHooks = false): void {
    this.#session.killNow(sparesHooks);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }

  #openTurn(prompt: ContentBlock[], options: SubmitOptions, cancel: Cancel): Steps<SDKMessage, void> {
    const isPlain = options.isMeta === true || options.isVerbatim === true;
    const typed = isPlain ? undefined : this.#joined.commandOf(prompt);
    if (typed === undefined) return userTurn(this.#session, prompt, options, cancel);
    const place = { session: () => this.#session, clear: () => this.#restart(), cancel };
    return commandSteps(typed, place, () => userTurn(this.#session, prompt, options, cancel));
  }

  #throwIfUnavailable(): void {
    if (this.#disposing !== null) throw sessionErrors.closed();
    if (this.#leaving !== null) throw sessionErrors.clearing();
    if (this.#session.isRewinding) throw sessionErrors.rewinding();
  }

  /** Runs one turn at a time: a running turn has the conversation to itself. */
  #run<R>(open: (cancel: Cancel) => Steps<SDKMessage, R>): AsyncGenerator<SDKMessage, R> {
    return this.#turns.run({
      begin: (cancel) => {
        this.#throwIfUnavailable();
        if (this.#turns.isRunning) throw sessionErrors.alreadyRunning();
        this.#joined.forks.dropSuggestion();
        // Opened before the turn counts as running: a prompt of an unknown form throws here.
        return open(cancel);
      },
      abortSignal: () => this.#joined.options.abortController?.signal,
      onAborted: () => this.interrupt(),
      onAnswering: () => this.#session.housekeeping.start(),
    });
  }

  get #joined(): Joined {
    return this.#session.joined;
  }
}
