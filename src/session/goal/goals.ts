/** What the user wants reached: while it is set, no turn ends before a model has judged that the condition holds, or cannot. */
import { isRecord } from "../../lib/is-record.ts";
import { oneLine } from "../../lib/sanitize.ts";
import type { Message } from "../../protocol/message.ts";
import type { AppendResult } from "../../protocol/record.ts";
import type { Failure } from "../../protocol/stop.ts";
import type { GoalNews, TurnEnd } from "../../protocol/turn-end.ts";
import { structuredToolName } from "../tools/structured-name.ts";
import type { ReattachItem } from "../context/reattach.ts";

/** Ends in a row without a call that came to something. */
const mostIdle = 8;
/** Characters. */
const longestCondition = 4_000;
const endings = new Set(["clear", "stop", "off", "reset", "none", "cancel"]);

/** What follows `/goal` names a condition; else it is asked after, or taken away. */
export function isCondition(argument: string): boolean {
  return argument !== "" && !endings.has(argument.toLowerCase());
}

/** In a sentence; undefined where it is not. */
export function tooLong({ length }: string): string | undefined {
  return length > longestCondition
    ? `A goal has at most ${longestCondition} characters; this one has ${length}.`
    : undefined;
}

export interface ActiveGoal {
  condition: string;
  /** ISO 8601. */
  setAt: string;
  /** How often it was judged. */
  iterations: number;
  /** What the session had used by then. */
  tokensAtStart: number;
  /** Why it was not met, when it was last judged. */
  lastReason?: string;
}

/** Of the goal that was reached last. */
export interface ReachedGoal {
  condition: string;
  iterations: number;
  durationMs: number;
  tokens: number;
}

/** What a transcript says of it. */
export interface RecordedGoal {
  condition: string | null;
}

export interface GoalParts {
  clock: { timestamp(): string; elapsed(): number };
  /** Tokens that the session has used. */
  spentTokens: () => number;
  record: (goal: RecordedGoal) => AppendResult;
  /** Why none may be set; undefined where one may. A sentence. */
  refusal: () => string | undefined;
  /** Agents work in the background, whose end begins another turn: what is missing may be theirs. */
  isAwaited: () => boolean;
  /** What a model says of it; throws where there is no answer, and says why. */
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
  /** Ends in a row behind which nothing was done. */
  #idle = 0;
  /** The last message that was judged. */
  #seen: string | undefined;

  /** `recorded`: of a session that goes on; what was counted for it begins anew. */
  constructor(parts: GoalParts, recorded: unknown) {
    this.#parts = parts;
    const condition = conditionIn(recorded);
    if (condition !== undefined) this.#begin(condition);
  }

  /** Undefined while none may hold. */
  get active(): ActiveGoal | undefined {
    return this.refusal() === undefined ? this.#active : undefined;
  }

  /** Why none may be set. */
  refusal(): string | undefined {
    return this.#parts.refusal();
  }

  get reached(): ReachedGoal | undefined {
    return this.#reached;
  }

  /** Takes the place of one that is set; stays away where it could not be recorded, since no resume would go on with it. */
  set(condition: string): Failure | null {
    const recorded = this.#parts.record({ condition });
    if (!recorded.ok) return recorded.failure;
    this.#begin(condition);
    return null;
  }

  /** Answers the one that was set. With a `failure` the transcript says still that one is: asked again, it is written again. */
  clear(): { goal: ActiveGoal | undefined; failure: Failure | null } {
    const goal = this.#active;
    this.#active = undefined;
    const recorded = this.#parts.record({ condition: null });
    return { goal, failure: recorded.ok ? null : recorded.failure };
  }

  /** For how long the active one has been, ms, and what has been used for it. */
  spent(): { durationMs: number; tokens: number } {
    const { clock, spentTokens } = this.#parts;
    return {
      durationMs: clock.elapsed() - this.#startedMs,
      tokens: spentTokens() - (this.#active?.tokensAtStart ?? 0),
    };
  }

  /** After a compaction. */
  reattached(): ReattachItem[] {
    const { active } = this;
    if (active === undefined) return [];
    return [{ label: "the goal", name: "goal", text: `The goal the user has set holds still:\n${active.condition}` }];
  }

  /** At the end of a turn. Null: there is none, or it was taken away meanwhile. Throws where it could not be judged. */
  async judge(end: TurnEnd, signal: AbortSignal): Promise<GoalNews | null> {
    const goal = this.active;
    if (goal === undefined || this.#parts.isAwaited()) return null;
    const { ok, reason, impossible } = await this.#parts.ask(goal, end, signal);
    if (this.#active !== goal || signal.aborted) return null;
    goal.iterations += 1;
    const shown = oneLine(goal.condition, 200);
    const why = oneLine(reason, 500);
    if (ok) {
      this.#reached = { condition: goal.condition, iterations: goal.iterations, ...this.spent() };
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
    return { level: "info", name: "goal_unmet", text, feedback: feedbackOf(goal, reason) };
  }

  /** It has stopped too often without a call that came to something. */
  #isIdle(messages: readonly Message[]): boolean {
    const last = messages.findLastIndex(({ uuid }) => uuid === this.#seen);
    this.#seen = messages.at(-1)?.uuid;
    this.#idle = hasWork(messages.slice(last + 1)) ? 0 : this.#idle + 1;
    if (this.#idle < mostIdle) return false;
    this.#idle = 0;
    return true;
  }

  #begin(condition: string): void {
    const { clock, spentTokens } = this.#parts;
    this.#startedMs = clock.elapsed();
    this.#idle = 0;
    this.#active = { condition, setAt: clock.timestamp(), iterations: 0, tokensAtStart: spentTokens() };
  }
}

function conditionIn(recorded: unknown): string | undefined {
  const condition = isRecord(recorded) ? recorded["condition"] : undefined;
  const isFit = typeof condition === "string" && condition !== "" && condition.length <= longestCondition;
  return isFit ? condition : undefined;
}

/** A call has come to something that does not only end the turn. */
function hasWork(messages: readonly Message[]): boolean {
  const blocks = messages.flatMap((each) => (each.type === "user" || each.type === "assistant" ? each.content : []));
  const answers = new Set<string>();
  for (const block of blocks) if (block.type === "tool_use" && block.name === structuredToolName) answers.add(block.id);
  return blocks.some(
    (block) => block.type === "tool_result" && block.is_error !== true && !answers.has(block.tool_use_id),
  );
}

function idleText(why: string): string {
  const times = `The model has ended its turn ${mostIdle} times in a row without doing anything for the goal`;
  return `${times}, and is let go. It stays set: send a message to go on, or /goal clear. Last judged: ${why}`;
}

/** For the model. */
function feedbackOf({ condition }: ActiveGoal, reason: string): string {
  return `The goal the user has set is not met yet: ${reason}\nGo on working until it is. The goal:\n${condition}`;
}
