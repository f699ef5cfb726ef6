/** A goal that the user has set: no turn ends until a model has judged that the goal is met or cannot be met. */
import { isRecord } from "../../lib/is-record.ts";
import { oneLine } from "../../lib/sanitize.ts";
import type { Message } from "../../protocol/message.ts";
import type { AppendResult } from "../../protocol/record.ts";
import type { Failure } from "../../protocol/stop.ts";
import type { GoalNews, TurnEnd } from "../../protocol/turn-end.ts";
import { structuredToolName } from "../tools/structured-name.ts";
import type { ReattachItem } from "../../context/reattach-item.ts";

/** Turn ends in a row without a successful call. */
const maxIdleEnds = 8;
/** In characters. */
const maxConditionChars = 4_000;
const clearWords = new Set(["clear", "stop", "off", "reset", "none", "cancel"]);

/** Whether the argument of `/goal` sets a condition; otherwise it asks for the goal or clears it. */
export function isCondition(argument: string): boolean {
  return argument !== "" && !clearWords.has(argument.toLowerCase());
}

/** Returns why the condition is too long, as a sentence; undefined if it is not. */
export function tooLongReason({ length }: string): string | undefined {
  return length > maxConditionChars
    ? `A goal has at most ${maxConditionChars} characters; this one has ${length}.`
    : undefined;
}

export interface ActiveGoal {
  condition: string;
  /** ISO 8601. */
  setAt: string;
  /** How often it has been judged. */
  iterations: number;
  /** Tokens that the session had used when the goal was set. */
  tokensAtStart: number;
  /** Why the goal was not met, according to the last judgement. */
  lastReason?: string;
}

/** The goal that was reached last. */
export interface ReachedGoal {
  condition: string;
  iterations: number;
  durationMs: number;
  tokens: number;
}

/** The goal as recorded in a transcript. */
export interface RecordedGoal {
  condition: string | null;
}

export interface GoalParts {
  clock: { timestamp(): string; elapsed(): number };
  /** Tokens that the session has used. */
  spentTokens: () => number;
  record: (goal: RecordedGoal) => AppendResult;
  /** Why no goal may be set, as a sentence; undefined if one may. */
  refusal: () => string | undefined;
  /** True while background agents work, whose end begins another turn: they may still do what is missing. */
  isAwaited: () => boolean;
  /** A model's verdict. Throws an error that says why if there is no answer. */
  ask: (goal: ActiveGoal, end: TurnEnd, signal: AbortSignal) => Promise<Verdict>;
}

export interface Verdict {
  ok: boolean;
  reason: string;
  impossible: boolean;
}

export class Goals {
  readonly #parts: GoalParts;
  #active: ActiveGoal | undefined;
  #startedMs = 0;
  #reached: ReachedGoal | undefined;
  /** Turn ends in a row before which nothing was done. */
  #idleEnds = 0;
  /** Uuid of the last message that was judged. */
  #lastJudgedUuid: string | undefined;

  /** `recorded`: the goal of a resumed session; its counters start at zero. */
  constructor(parts: GoalParts, recorded: unknown) {
    this.#parts = parts;
    const condition = recordedCondition(recorded);
    if (condition !== undefined) this.#begin(condition);
  }

  /** Undefined if no goal may be in force. */
  get active(): ActiveGoal | undefined {
    return this.refusal() === undefined ? this.#active : undefined;
  }

  /** Why no goal may be set. */
  refusal(): string | undefined {
    return this.#parts.refusal();
  }

  get reached(): ReachedGoal | undefined {
    return this.#reached;
  }

  /** Replaces the current goal. If the new goal cannot be recorded, it is not set, since a resume would not have it. */
  set(condition: string): Failure | null {
    const recorded = this.#parts.record({ condition });
    if (!recorded.ok) return recorded.failure;
    this.#begin(condition);
    return null;
  }

  /** Returns the goal that was set. After a `failure` the transcript still has it; calling again records the end again. */
  clear(): { goal: ActiveGoal | undefined; failure: Failure | null } {
    const goal = this.#active;
    this.#active = undefined;
    const recorded = this.#parts.record({ condition: null });
    return { goal, failure: recorded.ok ? null : recorded.failure };
  }

  /** How long the goal has been active, in ms, and the tokens used since. */
  usage(): { durationMs: number; tokens: number } {
    const { clock, spentTokens } = this.#parts;
    return {
      durationMs: clock.elapsed() - this.#startedMs,
      tokens: spentTokens() - (this.#active?.tokensAtStart ?? 0),
    };
  }

  /** What the model is told again after a compaction. */
  reattached(): ReattachItem[] {
    const { active } = this;
    if (active === undefined) return [];
    return [
      { label: "the goal", name: "goal", text: `The goal the user has set is still in force:\n${active.condition}` },
    ];
  }

  /** Judges the goal at the end of a turn. Null if there is none, or if it was cleared meanwhile. Throws if it could not be judged. */
  async judge(end: TurnEnd, signal: AbortSignal): Promise<GoalNews | null> {
    const goal = this.active;
    if (goal === undefined || this.#parts.isAwaited()) return null;
    const { ok, reason, impossible } = await this.#parts.ask(goal, end, signal);
    if (this.#active !== goal || signal.aborted) return null;
    goal.iterations += 1;
    const shown = oneLine(goal.condition, 200);
    const why = oneLine(reason, 500);
    if (ok) {
      this.#reached = { condition: goal.condition, iterations: goal.iterations, ...this.usage() };
      this.clear();
      return {
        level: "info",
        name: "goal_reached",
        text: `The goal is reached: ${shown}${why === "" ? "" : ` (${why})`}`,
      };
    }
    if (impossible) {
      this.clear();
      const text = `The goal cannot be reached and is given up: ${shown} (${why})`;
      return { level: "warning", name: "goal_impossible", text };
    }
    goal.lastReason = reason;
    if (this.#isIdle(end.messages)) return { level: "warning", name: "goal_idle", text: idleText(why) };
    const text = `The goal is not met yet: ${why}`;
    return { level: "info", name: "goal_unmet", text, feedback: feedbackText(goal, reason) };
  }

  /** Whether the model has stopped too often without a successful call. */
  #isIdle(messages: readonly Message[]): boolean {
    const last = messages.findLastIndex(({ uuid }) => uuid === this.#lastJudgedUuid);
    this.#lastJudgedUuid = messages.at(-1)?.uuid;
    this.#idleEnds = hasWork(messages.slice(last + 1)) ? 0 : this.#idleEnds + 1;
    if (this.#idleEnds < maxIdleEnds) return false;
    this.#idleEnds = 0;
    return true;
  }

  #begin(condition: string): void {
    const { clock, spentTokens } = this.#parts;
    this.#startedMs = clock.elapsed();
    this.#idleEnds = 0;
    this.#active = { condition, setAt: clock.timestamp(), iterations: 0, tokensAtStart: spentTokens() };
  }
}

function recordedCondition(recorded: unknown): string | undefined {
  const condition = isRecord(recorded) ? recorded["condition"] : undefined;
  const isFit = typeof condition === "string" && condition !== "" && condition.length <= maxConditionChars;
  return isFit ? condition : undefined;
}

/** Whether a call succeeded that does more than end the turn. */
function hasWork(messages: readonly Message[]): boolean {
  const blocks = messages.flatMap((each) => (each.type === "user" || each.type === "assistant" ? each.content : []));
  const answers = new Set<string>();
  for (const block of blocks) if (block.type === "tool_use" && block.name === structuredToolName) answers.add(block.id);
  return blocks.some(
    (block) => block.type === "tool_result" && block.is_error !== true && !answers.has(block.tool_use_id),
  );
}

function idleText(why: string): string {
  const times = `The model has ended its turn ${maxIdleEnds} times in a row without doing anything for the goal`;
  return `${times}, so it may stop. The goal stays set: send a message to continue, or /goal clear. Last judged: ${why}`;
}

/** For the model. */
function feedbackText({ condition }: ActiveGoal, reason: string): string {
  return `The goal the user has set is not met yet: ${reason}\nGo on working until it is. The goal:\n${condition}`;
}
