// What the checks of a seat see of it.
import type { SDKMessage } from "../../src/protocol/sdk.ts";
import type { CancelCause } from "../../src/protocol/stop.ts";
import type { ToolContext, ToolInput, ToolResult } from "../../src/protocol/tool.ts";
import type { RequestSeen } from "./book.ts";
import type { Transcript } from "./transcripts.ts";
import type { Process, World } from "./world.ts";

/** A user turn as it goes. */
export interface TurnSeen {
  number: number;
  promptUuid: string;
  prompt: string;
  messages: SDKMessage[];
  /** Where the message was taken: ms of the run. */
  at: number[];
  cancel: { cause: CancelCause | "left"; at: number; step: number; lines: number } | null;
  /** Time its reader kept it waiting, ms. */
  heldMs: number;
  /** Tools that were begun in it. */
  calls: string[];
  /** A person's answers, by the call. */
  refused: Set<string>;
  /** Those a person gave in words that count as a refusal. */
  refusals: { id: string; isChecked: boolean }[];
  /** Questions to a person: ms of the run. */
  questions: { asked: number; settledAt: number | null }[];
  hasLeft: boolean;
  /** By a person's answer. */
  wasStopped: boolean;
  isTerminated: boolean;
  /** The session was closed while it ran, whatever had ended it before. */
  isClosed: boolean;
  isOver: boolean;
  /** Faults of the disk that had struck before it. */
  faultsBefore: number;
  /** Lines of the transcript before it. */
  firstLine: number;
}

/** A question beside the work. */
export interface SideQuestion {
  last: RequestSeen | undefined;
  lines: number;
  isBegun: boolean;
}

/** A model that was chosen in a session. */
export interface ModelChoiceSeen {
  session: string;
  model: string;
  isDuringTurn: boolean;
  /** The steps of the loop that made requests since. */
  steps: Set<string>;
}

export interface Watcher {
  readonly world: World;
  readonly tag: string;
  readonly process: Process;
  readonly sessionId: string;
  /** Lines of the transcript when it was opened. */
  readonly linesBefore: number;
  /** What books tell sessions apart by. */
  readonly session: string;
  readonly transcript: Transcript;
  readonly requests: readonly RequestSeen[];
  /** Questions beside the work that are not answered yet. */
  readonly sideQuestions: ReadonlyMap<string, SideQuestion>;
  readonly turn: TurnSeen | null;
  /** The last choice of a model; null before the first. */
  readonly choice: ModelChoiceSeen | null;
  /** Of the request that leaves next: the effect's place in the run. */
  readonly key: string;
  readonly maySpawn: boolean;
  /** How to run a session below this one; the answer is what it said. */
  readonly spawn: (signal: AbortSignal) => Promise<string>;
  addProblem(law: string, text: string): void;
  toolStarts(tool: string, isSafe: boolean, input: ToolInput, context: ToolContext): void;
  /** Null: it threw. */
  toolEnds(context: ToolContext, result: ToolResult | null): void;
}
