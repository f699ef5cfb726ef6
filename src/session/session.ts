/** One joined session: what the engine asks of it between user turns. */
import type { ContentBlock } from "../protocol/message.ts";
import type { Effort } from "../protocol/model.ts";
import type { SDKMessage } from "../protocol/sdk.ts";
import type { Failure, Terminal } from "../protocol/stop.ts";
import type { News } from "../lib/news-steps.ts";
import { repairOrphans } from "../transcript/index.ts";
import type { Cancel } from "../loop/cancel.ts";
import { RunMemory } from "../loop/run-memory.ts";
import type { ClockPort, IdPort, LoopConfig, LoopLimits, LoopPorts } from "../loop/ports.ts";
import type { AgentCrew } from "./agents/tree.ts";
import type { RewindFilesOptions, RewindFilesResult } from "./files/rewinding.ts";
import { endOfWork, rewindBeside } from "./files/checkpoint-parts.ts";
import { Choices } from "./model/choices.ts";
import type { CommandReader } from "./commands/read-command.ts";
import { closeSession } from "./closing.ts";
import { compactByHand, type CompactAnswer } from "./context/compaction.ts";
import type { Conversation } from "./conversation.ts";
import { toSDKMessage } from "./convert.ts";
import type { SessionDesk } from "./desk/desk.ts";
import type { Facts } from "./facts.ts";
import { Beside } from "./forks/beside.ts";
import type { TurnForks } from "./forks/turn-forks.ts";
import type { Job } from "./job/job.ts";
import { mayRunHooks, type Joined } from "./joined.ts";
import type { SkillDesk } from "./knowledge/skill-desk.ts";
import { TurnChoice } from "./knowledge/turn-choice.ts";
import { beginsMore, expandPrompt } from "./knowledge/typed.ts";
import { housekeepingOf, type Housekeeping } from "./housekeeping.ts";
import { JudgedPrompt, hooksAbout } from "./judged-prompt.ts";
import { recordPrompt, type Intake, type SubmitOptions } from "./intake.ts";
import { Beginning, openTurn } from "./open-turn.ts";
import { intakeOf } from "./intake-parts.ts";
import { succeededBy } from "./kept.ts";
import type { Ledger } from "./ledger.ts";
import { OpenDesk } from "./desk/open-desk.ts";
import { loopConfigOf } from "./loop-config.ts";
import type { McpDesk } from "./mcp/desk.ts";
import { deferredCall, type OrphanedCall } from "./permissions/orphan.ts";
import type { EndReason, SessionParts, Successor } from "./parts.ts";
import { promptProblem } from "./prompt.ts";
import { rewoundFiles } from "./files/rewound-files.ts";
import type { InputQueue } from "./queue.ts";
import { shownMessages } from "./shown-messages.ts";
import type { TurnEndDisposers } from "./hooks/turn-end-disposers.ts";
import { settleSnips, type HistoryParts } from "./context/snip-now.ts";

export class Session implements SessionParts {
  readonly sessionId: string;
  readonly transcriptPath?: string;
  readonly cwd: string;
  readonly home: string;
  readonly version: string;
  readonly skills: SkillDesk;
  readonly clock: ClockPort;
  readonly ids: IdPort;
  readonly ports: LoopPorts;
  readonly limits: Partial<LoopLimits>;
  readonly maxBudgetUsd?: number;
  readonly agentId?: string;
  readonly crew: AgentCrew;
  readonly abortSignal?: AbortSignal;
  readonly displaysLines: boolean;
  readonly queue: InputQueue;
  readonly conversation: Conversation;
  readonly runMemory = new RunMemory();
  readonly memory: SessionParts["memory"];
  readonly ledger: Ledger;
  readonly model: { current: string; effort?: Effort };
  readonly commandOf: CommandReader;
  readonly desk: SessionDesk;
  readonly structured: SessionParts["structured"];
  readonly beside: Beside;
  readonly forks: TurnForks;
  readonly job?: Job | undefined;
  readonly held: TurnEndDisposers;
  readonly housekeeping: Housekeeping;
  readonly #joined: Joined;
  readonly #facts: Facts;
  readonly choices: Choices;
  readonly #intake: Intake;
  readonly #told = new Set<string>();
  readonly #prompt = new JudgedPrompt();
  #isTyped = false;
  readonly #choice: TurnChoice;
  #orphan: OrphanedCall | null;
  readonly #beginning: Beginning;
  #isInTurn = false;

  constructor(joined: Joined) {
    const { store, around, conversation, forks, ports } = joined;
    this.#joined = this.crew = joined;
    this.structured = joined.structured;
    this.#beginning = new Beginning(joined.source);
    this.#orphan = joined.orphan;
    this.sessionId = store.sessionId;
    this.transcriptPath = store.transcript?.path;
    this.cwd = around.cwd;
    this.home = around.home;
    this.version = around.version;
    this.skills = joined.skills;
    this.memory = joined.memory;
    this.clock = around.clock;
    this.ids = around.ids;
    this.ports = ports;
    this.limits = joined.limits;
    this.maxBudgetUsd = joined.options.maxBudgetUsd;
    this.agentId = joined.options.subagent?.agentId;
    this.abortSignal = joined.options.abortController?.signal;
    this.displaysLines = joined.options.displayByLines === true;
    this.queue = joined.queue;
    this.conversation = conversation;
    this.ledger = joined.ledger;
    this.model = joined.selected;
    this.#choice = new TurnChoice(joined.selected, joined.models.resolveModel);
    this.commandOf = joined.commandOf;
    this.#facts = joined.facts;
    this.choices = new Choices(joined, this.#facts);
    this.desk = new OpenDesk(joined, this.choices);
    this.housekeeping = housekeepingOf(joined);
    this.job = joined.job;
    this.held = joined.held;
    this.forks = forks;
    if (joined.seat === undefined) this.ledger.onUnrecorded = () => this.#putCost();
    const own = { loopConfig: () => this.loopConfig(), recordCost: () => this.#isInTurn || this.#putCost() };
    this.beside = new Beside({ ...joined, env: around.env, ...own });
    this.#intake = intakeOf(joined, this.choices, this.desk);
  }

  get hookFeed(): News<SDKMessage> | undefined {
    return mayRunHooks(this.#joined) ? this.#joined.hookFeed : undefined;
  }

  get mcp(): McpDesk | undefined {
    return this.#joined.mcp.desk;
  }

  get toolNames(): readonly string[] {
    return this.#joined.view.names;
  }

  loopConfig(): LoopConfig {
    return loopConfigOf(this.#joined);
  }

  record(prompt: ContentBlock[], options: SubmitOptions, isTurn: boolean): Failure | null {
    this.#tellNotMet();
    this.#joined.letters?.announce();
    const wrong = promptProblem(prompt) ?? this.choices.record() ?? this.#answerOpenCalls();
    if (wrong !== null) return wrong;
    const isJudged = isTurn && this.#joined.seat === undefined;
    const recorded = recordPrompt(this.#intake, prompt, options, isJudged);
    if (!recorded.ok) return recorded.failure;
    this.#isTyped = ![options.isMeta, options.isVerbatim, this.#joined.options.verbatimPrompts].includes(true);
    this.#isInTurn = isTurn;
    const begins = this.#isTyped && beginsMore(prompt, this.skills, this.mcp);
    this.#prompt.begin(recorded.uuid, isJudged ? hooksAbout(begins) : []);
    this.#joined.checkpoints.beginTurn(recorded.uuid);
    return null;
  }

  /** Each once: another model may meet a wish, and the next one not. */
  #tellNotMet(): void {
    const { models, around } = this.#joined;
    for (const remark of models.notMet(this.model.current, this.model.effort)) {
      if (this.#told.has(remark)) continue;
      this.#told.add(remark);
      around.notice(remark);
    }
  }

  /** Calls whose results could not be recorded when their turn ended: the disk was full, or worse. */
  #answerOpenCalls(): Failure | null {
    const leave = this.#orphan?.block.id;
    for (const answer of repairOrphans(this.conversation.messages, this.ids, this.clock, { leave })) {
      const written = this.conversation.append(answer);
      if (!written.ok) return written.failure;
    }
    return null;
  }

  async *submitHooks(prompt: ContentBlock[], cancel: Cancel): AsyncGenerator<SDKMessage, Terminal | null> {
    const isAgent = this.#joined.seat !== undefined;
    if (!isAgent) await this.#joined.around.live?.atPrompt(cancel.signal);
    // What begins a session is told before its first prompt.
    const [{ occasions }, beginning] = [this.#joined, this.#beginning];
    const { uuid } = this.#prompt;
    if (!beginning.isDue && !isAgent) occasions.promptId = uuid;
    const [{ skills, mcp: servers }, intake, judged] = [this, this.#intake, this.#prompt];
    const given = { intake, skills, servers, judged, cancel, choice: this.#choice };
    const onBegun = () => void (occasions.promptId = uuid);
    const expand = () => expandPrompt(prompt, this.#isTyped, given);
    const [model, news, { changedFiles }] = [this.model.current, this.#joined.newsSince(), this.#joined];
    const opening = { ...given, news, changedFiles, beginning, model, isAgent, prompt, onBegun, expand };
    const ended = yield* shownMessages(openTurn(this.#intake, opening), this);
    if (ended !== null || !cancel.signal.aborted) this.#prompt.settle();
    return ended;
  }

  takeOutUnjudged(): SDKMessage[] {
    const context = { sessionId: this.sessionId, uuid: () => this.ids.uuid() };
    const taken = this.#prompt.takeOut(this.#intake);
    return taken.flatMap((record) => toSDKMessage(record, context) ?? []);
  }

  takeOrphan(): OrphanedCall | null {
    const orphan = this.#orphan ?? deferredCall(this.conversation.messages);
    this.#orphan = null;
    return orphan;
  }

  /** What cannot be written here costs a resume no more than a file read again: costs are in the responses' own records too. */
  recordFacts(): void {
    this.#isInTurn = false;
    endOfWork(this.#joined);
    this.#choice.endTurn();
    const { todos, readState } = this.#joined.tools.shared;
    this.#facts.put("ledger", this.ledger.snapshot());
    this.#facts.put("todos", todos.get());
    this.#facts.put("read_file_state", readState.snapshot());
  }

  #putCost(): void {
    if (this.choices.hasBegun) this.#facts.put("ledger", this.ledger.snapshot());
  }

  historyParts(): HistoryParts {
    const { sessionId, conversation, ports, limits, model } = this;
    return { ...this.#joined, sessionId, conversation, ports, limits, config: this.loopConfig(), model: model.current };
  }

  async *compact(instructions: string | undefined, cancel: Cancel): AsyncGenerator<SDKMessage, CompactAnswer> {
    try {
      return yield* compactByHand(this.historyParts(), instructions, cancel, this.hookFeed);
    } finally {
      // A file of a session in which nothing was said would be the newest there is.
      if (this.choices.hasBegun) this.recordFacts();
    }
  }

  get isRewinding(): boolean {
    return this.#joined.checkpoints.isRewinding;
  }

  async rewindFiles(messageUuid: string, options: RewindFilesOptions): Promise<RewindFilesResult> {
    const result = await rewindBeside(this.#joined, messageUuid, options);
    const changed = options.dryRun === true ? [] : (result.filesChanged ?? []);
    if (changed.length > 0) this.#tellOfRewind(changed);
    return result;
  }

  /** The conversation still says what was in those files: the next turn is to know better. */
  #tellOfRewind(paths: readonly string[]): void {
    const own = { uuid: this.ids.uuid(), timestamp: this.clock.timestamp() };
    this.conversation.append({ type: "attachment", ...own, attachment: rewoundFiles(paths) });
    this.recordFacts();
  }

  debug(line: string): void {
    this.#joined.options.debug?.(line);
  }

  restart(successor?: Successor): Promise<SessionParts> {
    return succeededBy(this.#joined, this.choices.title, successor);
  }

  killNow(): void {
    const { tools, agents, seat } = this.#joined;
    tools.shared.background.killNow();
    // They are in one list, whoever began them: each of them would go through it again.
    if (seat === undefined) for (const below of agents.sessions) below.killNow();
    if (seat === undefined || seat.place !== undefined) tools.shared.sandbox?.dispose();
    this.mcp?.killNow();
  }

  async close(hurry: boolean, reason: EndReason): Promise<void> {
    if (this.#joined.isClosed === true) return;
    this.#joined.isClosed = true;
    settleSnips(this.historyParts());
    const isLast = reason !== "clear" && reason !== "resume";
    const servers = this.#joined.mcp.close(isLast);
    const ended = { servers, housekeeping: this.housekeeping, beside: this.beside, isLast, hurry };
    await closeSession(this.#joined, { ...ended, reason: this.#beginning.isTold ? reason : undefined });
  }
}
