// What the world has seen of one run: problems found so far, and the facts that checks compare with one another.
import type { HookEvent } from "../../src/protocol/hook.ts";
import type { RequestRecord } from "../../src/testing/index.ts";
import type { Owner } from "./scheduler.ts";

export interface Problem {
  /** The law or invariant, as the specification names it. */
  law: string;
  text: string;
}

/** One call of a tool, over all processes. */
export interface CallSeen {
  id: string;
  tool: string;
  isSafe: boolean;
  session: string;
  process: Owner;
  /** Its place in the run. */
  key: string;
  starts: number;
  isRunning: boolean;
  /** It came back by itself, was not told to end, and its result is what the model should read. */
  answered: string | null;
  wasToldToEnd: boolean;
  /** Its reader was shown what it came to. */
  isShown: boolean;
  /** ms of the run. */
  at: number;
}

export interface HookSeen {
  event: HookEvent;
  session: string;
  process: Owner;
  turn: number;
  /** What the world answered; null where it never came, or came too late. */
  answer: Record<string, unknown> | null;
  kind: string;
  /** It was told to end. */
  wasEnded: boolean;
  /** ms of the run. */
  at: number;
  settledAt: number | null;
  toolUseId: string | undefined;
  input: Record<string, unknown>;
}

export interface RequestSeen {
  record: RequestRecord | null;
  signal: AbortSignal | undefined;
  session: string;
  process: Owner;
  turn: number;
  at: number;
  body: string;
  model: string;
  maxTokens: number;
  /** What the answer cost has come through, whatever came of its end. */
  isPriced: boolean;
  /** The network failed it: it never reached the server. `isKnown`: that has answered this session before. */
  lost: { code: string; isKnown: boolean } | null;
  isSummary: boolean;
  /** A question beside the work: it goes on from the conversation, and is no part of it. */
  isAside: boolean;
  /** A summary is asked for, by whomever. */
  wantsSummary: boolean;
  /** Of an agent: the path of its transcript, empty where that is not told. Null: of the session itself. */
  agent: string | null;
  /** The session's own, beside its turns. */
  isBackground: boolean;
  /** Lines of the transcript when it left. */
  lines: number;
}

export class Book {
  readonly problems: Problem[] = [];
  readonly calls = new Map<string, CallSeen>();
  /** Ids of agents that have asked the model. */
  readonly agents = new Set<string>();
  /** Calls that hooks have put off, until their results are shown. */
  readonly deferredCalls = new Set<string>();
  /** Calls of agents that ran when their session was copied: a copy of them does not know what they came to. */
  readonly openWhenCopied = new Set<string>();
  /** What sessions had cost when they were copied, USD. */
  readonly inherited = new Map<string, number>();
  /** Calls that an agent was answered with, and the path of its transcript. */
  readonly agentByCall = new Map<string, string>();
  readonly hooks: HookSeen[] = [];
  readonly requests: RequestSeen[] = [];
  /** Signals that were handed to the outside, by what for. */
  readonly signals: { signal: AbortSignal; process: Owner; what: string }[] = [];
  /** Calls the model meant, by their number: what a cut call does not have. */
  callCount = 0;

  addProblem(law: string, text: string): void {
    if (this.problems.length < 20) this.problems.push({ law, text });
  }
}
