/** One session over its rooms: what happens at the borders of its turns, and what its turns and commands need from it. */
import type { ContentBlock, Message } from "../protocol/message.ts";
import type { SDKMessage } from "../protocol/sdk.ts";
import type { Failure, Terminal } from "../protocol/stop.ts";
import type { News } from "../lib/news-steps.ts";
import { repairOrphans } from "../transcript/index.ts";
import type { Cancel } from "../loop/cancel.ts";
import { RunMemory } from "../loop/run-memory.ts";
import type { RewindFilesOptions, RewindFilesResult } from "./files/rewind-types.ts";
import { endCheckpointTurn, rewindSessionFiles, rewoundFilesReminder } from "./files/checkpoint-parts.ts";
import type { Choices } from "./choices.ts";
import { closeSession } from "./closing.ts";
import { fitPromptMedia } from "./context/media-parts.ts";
import { compactByHand, type CompactAnswer } from "./context/compaction.ts";
import type { SessionDesk } from "./desk/desk.ts";
import { SideWork } from "./side-work.ts";
import { mayRunHooks, type AgentRun, type Joined } from "./joined.ts";
import { TurnChoice } from "./knowledge/turn-choice.ts";
import { startsSkillOrServerPrompt, expandPrompt } from "./knowledge/typed-prompt.ts";
import { createHousekeeping, type Housekeeping } from "./housekeeping.ts";
import { JudgedPrompt, judgingEvents } from "./intake/judged-prompt.ts";
import { recordPrompt, type Intake, type SubmitOptions } from "./intake/intake.ts";
import { StartHooks, openTurn } from "./intake/open-turn.ts";
import { createIntake } from "./create-intake.ts";
import {
  collectKeptChoices,
  checkNotSameSession,
  type EndReason,
  type KeptChoices,
  type Successor,
} from "./kept-choices.ts";
import { loopConfigOf } from "./loop/loop-config.ts";
import type { McpDesk } from "./mcp/desk.ts";
import { findDeferredCall, type OrphanedCall } from "./permissions/orphan.ts";
import { attachmentRecord } from "../protocol/new-record.ts";
import { UnwrittenResults } from "./store/unwritten-results.ts";
import { promptProblem } from "./intake/prompt.ts";
import { UnaffordablePrompts } from "./intake/unaffordable-prompts.ts";
import { createMessageConverter, toShownMessages } from "./events/shown-messages.ts";
import { applyWaitingSnips, type HistoryParts } from "./context/apply-snip.ts";

/** Makes the session that takes this one's place. */
export type Restart = (kept: KeptChoices, mcp: McpDesk | undefined, successor?: Successor) => Promise<Session>;

export type OpenAgentSession = (agentRun: AgentRun) => Promise<Session>;

export class Session {
  readonly joined: Joined;
  /** The user's choices. */
  readonly choices: Choices;
  readonly desk: SessionDesk;
  /** Side questions, and work that nobody waits for. */
  readonly sideWork: SideWork;
  /** Started once the model begins to answer: there is time then for work that nobody waits for. */
  readonly housekeeping: Housekeeping;
  readonly runMemory = new RunMemory();
  readonly unwritten: UnwrittenResults;
  readonly #restart: Restart;
  readonly #intake: Intake;
  readonly #reportedRemarks = new Set<string>();
  readonly #prompt = new JudgedPrompt();
  readonly #unaffordable = new UnaffordablePrompts();
  #isTyped = false;
  readonly #choice: TurnChoice;
  #orphan: OrphanedCall | null;
  readonly #startHooks: StartHooks;
  #isInTurn = false;

  constructor(joined: Joined, choices: Choices, desk: SessionDesk, restart: Restart) {
    const { around, ledger, models, orphan, agentRun, selected, source } = joined;
    this.joined = joined;
    this.unwritten = new UnwrittenResults(joined.conversation);
    this.choices = choices;
    this.desk = desk;
    this.#restart = restart;
    this.#startHooks = new StartHooks(source);
    this.#orphan = orphan;
    this.#choice = new TurnChoice(selected, models.resolveModel);
    choices.onModel = (what) => this.#choice.noteUserChoice(what);
    this.housekeeping = createHousekeeping(joined);
    if (agentRun === undefined) ledger.onUnrecorded = () => this.#recordCost();
    const own = { loopConfig: () => loopConfigOf(joined), recordCost: () => this.#isInTurn || this.#recordCost() };
    this.sideWork = new SideWork({ ...joined, env: around.env, naming: choices, ...own });
    this.#intake = createIntake(joined, choices, desk);
  }

  /** Messages of running hooks, for the reader of the turn; undefined if there are no hooks. */
  get hookFeed(): News<SDKMessage> | undefined {
    return mayRunHooks(this.joined) ? this.joined.hookFeed : undefined;
  }

  /** Records the prompt before anything that can fail. Returns the transcript's failure, if any. `isTurn`: a user turn answers it. */
  record(prompt: ContentBlock[], options: SubmitOptions, isTurn: boolean): Failure | null {
    this.#reportUnmetWishes();
    this.joined.mailbox?.markAnnounced();
    const wrong = promptProblem(prompt) ?? this.choices.record() ?? this.#answerOpenCalls();
    if (wrong !== null) return wrong;
    const isJudged = isTurn && this.joined.agentRun === undefined;
    const recorded = recordPrompt(this.#intake, prompt, options, isJudged);
    if (!recorded.ok) return recorded.failure;
    this.#isTyped = ![options.isMeta, options.isVerbatim, this.joined.options.verbatimPrompts].includes(true);
    this.#isInTurn = isTurn;
    const begins = this.#isTyped && startsSkillOrServerPrompt(prompt, this.joined.skills, this.joined.mcp.desk);
    this.#prompt.begin(recorded.uuid, isJudged ? judgingEvents(begins) : []);
    this.joined.checkpoints.beginTurn(recorded.uuid);
    return null;
  }

  /** Reports each unmet wish once: the next model may meet it, and a later one not. */
  #reportUnmetWishes(): void {
    const { models, selected, around } = this.joined;
    for (const remark of models.unmetWishes(selected.current, selected.effort)) {
      if (this.#reportedRemarks.has(remark)) continue;
      this.#reportedRemarks.add(remark);
      around.notice(remark);
    }
  }

  /** Answers tool calls whose results could not be recorded at the end of their turn, for example because the disk was full. */
  #answerOpenCalls(): Failure | null {
    const { conversation, around } = this.joined;
    const unwritten = this.unwritten.record();
    if (unwritten !== null) return unwritten;
    const exceptToolUseId = this.#orphan?.block.id;
    for (const answer of repairOrphans(conversation.messages, around.ids, around.clock, {
      exceptToolUseId,
    })) {
      const written = conversation.append(answer);
      if (!written.ok) return written.failure;
    }
    return null;
  }

  /** News since the last turn, then SessionStart and UserPromptSubmit hooks; a Terminal if one blocked the prompt. */
  async *submitHooks(prompt: ContentBlock[], cancel: Cancel): AsyncGenerator<SDKMessage, Terminal | null> {
    const { agentRun, around, occasions, skills, selected, goals, changedFiles, newsForPrompt } = this.joined;
    const isAgent = agentRun !== undefined;
    if (!isAgent) await around.live?.applyAtPrompt(cancel.signal);
    // What begins a session is reported before its first prompt.
    const startHooks = this.#startHooks;
    const { uuid } = this.#prompt;
    if (!startHooks.isDue && !isAgent) occasions.promptId = uuid;
    const servers = this.joined.mcp.desk;
    const turnOptions = {
      intake: this.#intake,
      skills,
      servers,
      judged: this.#prompt,
      cancel,
      choice: this.#choice,
      goals,
      fitMedia: (content: ContentBlock[]) => fitPromptMedia(this.joined.ports, content, cancel),
    };
    const onBegun = () => void (occasions.promptId = uuid);
    const expand = () => expandPrompt(prompt, this.#isTyped, turnOptions);
    const [model, news] = [selected.current, newsForPrompt()];
    const opening = { ...turnOptions, news, changedFiles, startHooks, model, isAgent, prompt, onBegun, expand };
    const ended = yield* toShownMessages(openTurn(this.#intake, opening), createMessageConverter(this.joined));
    if (ended !== null || !cancel.signal.aborted) this.#prompt.settle();
    return ended;
  }

  /** True if the process ends while hooks are judging the prompt: a resume then asks them again, as after a kill. */
  keepsUnjudged({ cause }: Cancel): boolean {
    return cause === "terminate" && this.joined.conversation.unjudged.has(this.#prompt.uuid);
  }

  /** At the end of a turn, removes a prompt that was cut off before hooks judged it. Returns messages for clients. */
  removeUnjudgedPrompt(cancel: Cancel): SDKMessage[] {
    return this.keepsUnjudged(cancel) ? [] : this.#toShownMessages(this.#prompt.removeUnjudged(this.#intake));
  }

  /**
   * Before the model is asked, removes prompts that the budget did not cover, if this one fits without them. Returns messages
   * for clients.
   */
  removeUnaffordablePrompts(): SDKMessage[] {
    const { ledger, selected, ports, tools } = this.joined;
    const { remainingUsd } = ledger;
    const model = selected.current;
    const now = { ...this.#intake, context: ports.context, model, info: ports.model.info(model), remainingUsd };
    const removedMessages = this.#unaffordable.removeRefused(now, this.#prompt.recordUuids);
    // A removed prompt may have shown files.
    if (removedMessages.length > 0) tools.shared.readState.clear();
    return this.#toShownMessages(removedMessages);
  }

  /** Called when the budget has ended the turn. */
  noteUnaffordablePrompt(): void {
    const { conversation, ledger } = this.joined;
    this.#unaffordable.recordRefusal(this.#prompt.recordUuids, conversation, ledger.unaffordableCall);
  }

  #toShownMessages(records: readonly Message[]): SDKMessage[] {
    const shown = createMessageConverter(this.joined);
    return records.flatMap((record) => shown(record) ?? []);
  }

  /** Takes the call that waits for its permission, now answered, or that a hook deferred; null from then on. */
  takeOrphan(): OrphanedCall | null {
    const orphan = this.#orphan ?? findDeferredCall(this.joined.conversation.messages);
    this.#orphan = null;
    return orphan;
  }

  /**
   * Records the ledger, todo list and read-file state at the end of a user turn. If they cannot be written, a resume only has
   * to read files again: costs are also in the records of the responses.
   */
  recordFacts(): void {
    this.#isInTurn = false;
    endCheckpointTurn(this.joined);
    this.#choice.endTurn();
    const { facts, ledger, tools } = this.joined;
    facts.put("ledger", ledger.snapshot());
    facts.put("todos", tools.shared.todos.get());
    facts.putReadFiles(tools.shared.readState);
  }

  #recordCost(): void {
    const { facts, ledger } = this.joined;
    if (this.choices.hasBegun) facts.put("ledger", ledger.snapshot());
  }

  /** What is needed to change the conversation between two turns. */
  historyParts(): HistoryParts {
    const { store, selected } = this.joined;
    const { sessionId } = store;
    const config = () => loopConfigOf(this.joined);
    return { ...this.joined, sessionId, config, model: selected.current };
  }

  /** Compacts the conversation at the user's request. */
  async *compact(instructions: string | undefined, cancel: Cancel): AsyncGenerator<SDKMessage, CompactAnswer> {
    await this.joined.openingTexts.ready();
    try {
      this.unwritten.record();
      return yield* compactByHand(this.historyParts(), instructions, cancel, this.hookFeed);
    } finally {
      // Otherwise the file of a session in which nothing was said would become the newest.
      if (this.choices.hasBegun) this.recordFacts();
    }
  }

  get isRewinding(): boolean {
    return this.joined.checkpoints.isRewinding;
  }

  /** Restores files to their state before that prompt; problems are in the result. */
  async rewindFiles(messageUuid: string, options: RewindFilesOptions): Promise<RewindFilesResult> {
    const result = await rewindSessionFiles(this.joined, messageUuid, options);
    const changed = options.dryRun === true ? [] : (result.filesChanged ?? []);
    if (changed.length > 0) this.#announceRewind(changed);
    return result;
  }

  /** The conversation still holds the files' old contents, so the next turn has to be told. */
  #announceRewind(paths: readonly string[]): void {
    const { conversation, around } = this.joined;
    conversation.append(attachmentRecord(rewoundFilesReminder(paths), around));
    this.recordFacts();
  }

  /** Another session with the same options; an empty one under a new id if none is named. */
  async restart(successor?: Successor): Promise<Session> {
    checkNotSameSession(this.joined.store, this.choices.title, successor);
    this.unwritten.record();
    const next = await this.#restart(collectKeptChoices(this.joined), this.joined.mcp.desk, successor);
    await next.sideWork.ready();
    return next;
  }

  /** Kills every command and every hook at once, synchronously. */
  killNow(sparesHooks: boolean): void {
    const { tools, hooks, agents, agentRun, openingTexts } = this.joined;
    openingTexts.stop();
    tools.shared.background.killNow();
    if (!sparesHooks) hooks.killNow();
    // `agents.sessions` lists agents at every depth, so only the session itself goes through it.
    if (agentRun === undefined) for (const below of agents.sessions) below.killNow(sparesHooks);
    if (agentRun === undefined || agentRun.place !== undefined) tools.shared.sandbox?.dispose();
    this.joined.mcp.desk?.killNow();
  }

  /** Releases everything: background work, hooks, lock, file. Bounded in time. `hurry`: does not wait for background work. */
  async close(hurry: boolean, reason: EndReason): Promise<void> {
    if (this.joined.isClosed === true) return;
    this.joined.isClosed = true;
    applyWaitingSnips(this.historyParts());
    this.unwritten.record();
    const isLast = reason !== "clear" && reason !== "resume";
    const closeServers = (): Promise<void> => this.joined.mcp.close(isLast);
    const ended = { closeServers, housekeeping: this.housekeeping, sideWork: this.sideWork, isLast, hurry };
    await closeSession(this.joined, { ...ended, reason: this.#startHooks.hasRun ? reason : undefined });
  }
}
