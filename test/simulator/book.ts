// The facts of one run: the problems found so far, and the calls, hooks and requests that checks compare with one another.
import type { HookEvent } from "../../src/protocol/hook.ts";
import type { RequestRecord } from "../../src/testing/index.ts";
import type { Owner } from "./scheduler.ts";

export interface Problem {
  /** The law or invariant, as the specification names it. */
  law: string;
  text: string;
}

/** A call of a tool, over all processes. */
export interface CallSeen {
  id: string;
  tool: string;
  isSafe: boolean;
  session: string;
  process: Owner;
  /** The key that names its position in the run. */
  key: string;
  starts: number;
  isRunning: boolean;
  /** The result that the model should read, if the call returned without being told to end. */
  answered: string | null;
  wasToldToEnd: boolean;
  /** Whether the reader was shown its result. */
  isShown: boolean;
  /** ms of the run. */
  at: number;
}

export interface HookSeen {
  event: HookEvent;
  session: string;
  process: Owner;
  turn: number;
  /** The hook's output; null if it never came, or came too late. */
  answer: Record<string, unknown> | null;
  kind: string;
  /** Whether its signal aborted. */
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
  /** Whether the figures of its cost have arrived, whatever happened to the end of the answer. */
  isPriced: boolean;
  /** The network error because of which it never reached the server. `isKnown`: the server has answered this session before. */
  lost: { code: string; isKnown: boolean } | null;
  isSummary: boolean;
  /** Whether it is a side question, which continues the conversation without becoming part of it. */
  isAside: boolean;
  /** Whether the session or an agent asks for a summary. */
  wantsSummary: boolean;
  /** For an agent's request: the path of its transcript, empty if unknown. Null: the session's own request. */
  agent: string | null;
  /** Whether it runs beside the session's turns. */
  isBackground: boolean;
  /** The number of lines in the transcript when it left. */
  lines: number;
}

export class Book {
  readonly problems: Problem[] = [];
  readonly calls = new Map<string, CallSeen>();
  /** Ids of agents that have asked the model. */
  readonly agents = new Set<string>();
  /** Calls that hooks have deferred and whose results are not shown yet. */
  readonly deferredCalls = new Set<string>();
  /** Agents' calls that ran while their session was copied: the copy does not know their results. */
  readonly openWhenCopied = new Set<string>();
  /** The cost of sessions when they were copied, USD. */
  readonly inherited = new Map<string, number>();
  /** The transcript path of the agent that each call was drawn for, by call id. */
  readonly agentByCall = new Map<string, string>();
  readonly hooks: HookSeen[] = [];
  readonly requests: RequestSeen[] = [];
  /** Signals passed to tools, hooks and transports, with their purpose. */
  readonly signals: { signal: AbortSignal; process: Owner; what: string }[] = [];
  /** The number of calls drawn so far. */
  callCount = 0;

  addProblem(law: string, text: string): void {
    if (this.problems.length < 20) this.problems.push({ law, text });
  }
}
