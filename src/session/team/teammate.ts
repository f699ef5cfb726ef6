/**
 * One teammate from its start to its end: turns like any agent's and, between them, rests from which a message wakes it. Each of its
 * turns gets a share of the tree's responses, like a new agent.
 */
import { errorText } from "../../lib/error-text.ts";
import { Doorbell } from "../../lib/doorbell.ts";
import { middleCut } from "../../lib/text-cut.ts";
import { createCancel, type Cancel } from "../../loop/cancel.ts";
import type { SDKMessage, SDKResultMessage } from "../../protocol/sdk.ts";
import type { CancelCause } from "../../protocol/stop.ts";
import type { AgentCall } from "../agents/agent-tool.ts";
import { forwardMessage } from "../agent-runs/forward-message.ts";
import { AgentReport } from "../agent-runs/report.ts";
import { loadOpeningBlocks } from "../agent-runs/run-agent.ts";
import type { AgentRun, Joined } from "../joined.ts";
import type { OpenAgentSession, Session } from "../session.ts";
import type { Reservation, TeammateDesk } from "../agents/tree.ts";
import { needsWorktree } from "../agent-runs/needs-worktree.ts";
import type { OwnedPlace } from "../agent-runs/place.ts";
import type { KeptTree } from "../worktrees/tree.ts";
import { runTurn } from "../turn/user-turn.ts";
import type { Mail } from "./mail.ts";
import { leadName } from "./names.ts";
import type { Post } from "./post.ts";

export interface TeammateStart {
  name: string;
  call: AgentCall;
  agentRun: AgentRun;
  reservation: Reservation;
  /** Null: it starts with the messages that wait for it. */
  prompt: string | null;
  open: OpenAgentSession;
  post: Post;
  /** Returns one line per task that it has started and not completed. */
  tasks: () => string[];
  /** Called when the teammate is over. */
  onEnd: () => void;
}

const wakePrompt = "Your team has sent you messages, which follow. Go on.";
const maxReportChars = 20_000;
/** The end of the text is kept, because it says where the work tree is. */
const omissionMark = "\n\n[… too long to be told: the middle is left out …]\n\n";

/** The outcome of one of its turns, for others. */
interface TurnOutcome {
  words: string;
  /** Null: the turn was complete. */
  why: string | null;
  /** Somebody interrupted it, and need not be told. */
  wasInterrupted?: boolean;
  isStopped: boolean;
}

export class Teammate implements TeammateDesk {
  readonly name: string;
  readonly id: string;
  readonly report: AgentReport;
  /** Ends the teammate for good. */
  readonly life: Cancel = createCancel();
  /** Resolves once it has released everything. */
  readonly ended: Promise<void>;
  readonly #start: TeammateStart;
  readonly #root: Joined;
  readonly #wakeBell = new Doorbell();
  #turn: Cancel | undefined;
  #isIdle = false;
  #hasMail = false;
  #hasBeenIdle = false;
  #stopReason: string | null = null;
  #idleWaiters: (() => void)[] = [];

  constructor(start: TeammateStart, root: Joined) {
    const { name, agentRun, call } = start;
    this.name = name;
    this.id = agentRun.id;
    this.#start = start;
    this.#root = root;
    this.report = new AgentReport(agentRun, call, root.around);
    this.ended = this.#run();
  }

  isIdle(): boolean {
    return this.#isIdle;
  }

  whenIdle(): Promise<void> {
    if (this.#isIdle) return Promise.resolve();
    return new Promise((resolve) => void this.#idleWaiters.push(resolve));
  }

  interrupt(cause: CancelCause): void {
    this.#turn?.cancel(cause);
  }

  /** A hook ends the teammate together with the running turn. */
  stopAfterTurn(reason: string): void {
    this.#stopReason ??= reason;
  }

  get isStopping(): boolean {
    return this.#stopReason !== null || this.life.cause !== null;
  }

  /** Whether the call that started it still waits for an answer: that answer then carries the news. */
  get #isAwaited(): boolean {
    return !this.#start.call.isBackground && !this.#hasBeenIdle;
  }

  /** Never throws: failures are reported to the lead. */
  async #run(): Promise<void> {
    const { open, agentRun, post, name } = this.#start;
    const stopListening = post.onMail(name, () => {
      this.#hasMail = true;
      this.#wakeBell.ring();
    });
    const leave = this.life.onCancel((cause) => {
      this.#turn?.cancel(cause);
      this.#wakeBell.ring();
    });
    let reservation: Reservation | null = this.#start.reservation;
    let session: Session | undefined;
    let last: TurnOutcome = { words: "", why: null, isStopped: false };
    let place: OwnedPlace | undefined;
    try {
      place = await this.#enterWorktree();
      session = await open(place === undefined ? agentRun : { ...agentRun, place });
      this.#root.agents.sessions.add(session);
      post.dropDelivered(name, session.joined.conversation.messages);
      for (let prompt = this.#start.prompt ?? this.#unrecordedPrompt(session); reservation !== null; prompt = null) {
        last = await this.#runTurn(session, prompt, reservation);
        if (last.isStopped || this.isStopping) break;
        reservation = await this.#waitForMail(last);
      }
    } catch (error) {
      last = {
        words: "",
        why: `it failed: ${errorText(error)}`,
        isStopped: false,
      };
    } finally {
      reservation?.release(0);
      stopListening();
      leave();
      await session?.close(true, "other");
      if (session !== undefined) this.#root.agents.sessions.delete(session);
      this.#reportEnd(last, await place?.leave());
      this.#releaseIdleWaiters();
    }
  }

  /** Returns its initial prompt if the process died before that was recorded. */
  #unrecordedPrompt({ joined }: Session): string | null {
    const { prompt } = this.#start.call;
    const hasMessages = joined.conversation.messages.some(
      (message) => message.type !== "user" || message.isMeta !== true,
    );
    return hasMessages || prompt === "" ? null : prompt;
  }

  /** Enters a work tree of its own, if it asks for one. */
  async #enterWorktree(): Promise<OwnedPlace | undefined> {
    const { call, agentRun } = this.#start;
    if (!needsWorktree(agentRun, call.isolation)) return undefined;
    const { enterPlace } = await import("../agent-runs/place.ts");
    return await enterPlace(this.#root, agentRun, this.life.signal);
  }

  async #runTurn(session: Session, prompt: string | null, reservation: Reservation): Promise<TurnOutcome> {
    const { post, name, call } = this.#start;
    const cancel = createCancel();
    this.#turn = cancel;
    if (this.life.cause !== null) cancel.cancel(this.life.cause);
    post.setWorking(name, true);
    session.joined.limits.maxTurns = reservation.turns;
    const { agentRun } = session.joined;
    // What a skill forbids now also holds for work that a message asks for now.
    if (agentRun !== undefined) agentRun.ruleVersion = agentRun.parent.permissions.ruleVersion();
    const opening = prompt === null ? [] : await loadOpeningBlocks(this.#start.agentRun, session, cancel.signal);
    const content = [...opening, { type: "text" as const, text: prompt ?? wakePrompt }];
    const log = new TurnWords();
    try {
      for await (const message of runTurn(session, content, prompt === null ? { isMeta: true } : {}, cancel)) {
        log.take(message);
        const forwardOptions = { show: call.show, isShown: this.#isAwaited, notice: this.#root.around.notice };
        for (const shown of this.report.take(message)) forwardMessage(shown, forwardOptions);
        this.#root.facts.put("ledger", this.#root.ledger.snapshot());
      }
    } finally {
      this.#turn = undefined;
      reservation.release(log.turns);
    }
    return { ...log.end(), wasInterrupted: cancel.cause !== null };
  }

  /** Waits until a message arrives and there is room for the teammate in the tree; returns null once it is to end. */
  async #waitForMail(end: TurnOutcome): Promise<Reservation | null> {
    const { post, name, agentRun } = this.#start;
    const { agents } = this.#root;
    // After an interrupted turn, pending mail waits for the next message: somebody wanted it to stop, or it could not go on.
    this.#hasMail = end.why === null && post.pending(name).length > 0;
    if (!this.#hasMail) this.#becomeIdle(end);
    while (this.life.cause === null) {
      const reserved = this.#hasMail ? agents.reserve(agentRun.definition.maxTurns, { isNew: false }) : undefined;
      if (reserved?.ok === true) {
        this.#isIdle = false;
        return reserved.reservation;
      }
      const isBusy = reserved?.isBusy === true;
      if (reserved !== undefined && !isBusy) {
        this.#hasMail = false;
        this.#becomeIdle({ words: "", why: `it cannot go on: ${reserved.message}`, isStopped: false });
      }
      const stopWaiting = isBusy ? agents.onRelease(() => this.#wakeBell.ring()) : () => {};
      await this.#wakeBell.nextRing();
      stopWaiting();
    }
    return null;
  }

  #becomeIdle(end: TurnOutcome): void {
    const { post, name } = this.#start;
    if (!this.#isAwaited) this.#mailLead("idle", end);
    this.#isIdle = true;
    post.setWorking(name, false);
    this.#releaseIdleWaiters();
  }

  /** Releases those who wait until it is idle. */
  #releaseIdleWaiters(): void {
    this.#hasBeenIdle = true;
    for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }

  #mailLead(kind: "idle" | "ended", { words, why, wasInterrupted }: TurnOutcome, status?: Mail["status"]): void {
    const { post, name } = this.#start;
    const about = why === null ? {} : { summary: why };
    const left = this.#start.tasks();
    const lastWords = words.trim() === "" ? "(it said nothing)" : middleCut(words, maxReportChars, omissionMark);
    const text = left.length === 0 ? lastWords : `${lastWords}\n[Its tasks: ${left.join("; ")}]`;
    const letter = { kind, from: name, to: leadName, agentId: this.id, text, ...about };
    try {
      post.send([{ ...letter, ...(status === undefined ? {} : { status }) }], wasInterrupted);
    } catch (error) {
      this.#root.around.notice(errorText(error));
    }
  }

  /** A closed session has nobody to tell; it reports this when it is resumed. */
  #reportEnd(last: TurnOutcome, keptTree: KeptTree | undefined): void {
    this.#isIdle = true;
    this.#start.onEnd();
    if (this.life.cause === "shutdown" || this.life.cause === "terminate") return;
    this.#start.post.setWorking(this.name, false);
    const why = this.life.cause !== null ? "it was stopped" : (this.#stopReason ?? last.why);
    const status = last.why !== null && !last.isStopped && this.life.cause === null ? "failed" : "stopped";
    const words = keptTree === undefined ? last.words : `${last.words}\n${keptTree.text}`;
    this.#mailLead("ended", { ...last, words, why }, status);
  }
}

/** The last words of a turn, and how it ended. */
class TurnWords {
  #words = "";
  #end: SDKResultMessage | undefined;

  get turns(): number {
    return this.#end?.num_turns ?? 0;
  }

  take(message: SDKMessage): void {
    if (message.type === "result") this.#end = message;
    // The text that replaces a failed answer is pawl's own.
    if (message.type !== "assistant" || message.parent_tool_use_id !== null || message.error !== undefined) return;
    for (const block of message.message.content)
      if (block.type === "text" && typeof block["text"] === "string") this.#words = block["text"];
  }

  end(): TurnOutcome {
    const end = this.#end;
    if (end === undefined) return { words: this.#words, why: "it was cut off", isStopped: false };
    const isStopped = end.terminal_reason === "stop_hook_prevented";
    if (end.subtype === "success" && !end.is_error) return { words: end.result, why: null, isStopped };
    const why = end.subtype === "success" ? end.result : end.errors.join(" ");
    return { words: this.#words, why: why === "" ? end.subtype : why, isStopped };
  }
}
