/** What `createEngine` joins for one session; the engine holds one of these and swaps it where another takes its place. */
import type { ContentBlock } from "../protocol/message.ts";
import type { Effort } from "../protocol/model.ts";
import type { PermissionMode } from "../protocol/permission.ts";
import type { SDKMessage } from "../protocol/sdk.ts";
import type { Failure, Terminal } from "../protocol/stop.ts";
import type { JsonObject } from "../lib/json.ts";
import type { News } from "../lib/news-steps.ts";
import type { Cancel } from "../loop/cancel.ts";
import type { RunMemory } from "../loop/run-memory.ts";
import type { ClockPort, IdPort, LoopConfig, LoopLimits, LoopPorts } from "../loop/ports.ts";
import type { AgentCrew } from "./agents/tree.ts";
import type { RewindFilesOptions, RewindFilesResult } from "./files/rewinding.ts";
import type { CommandReader } from "./commands/read-command.ts";
import type { Housekeeping } from "./housekeeping.ts";
import type { CompactAnswer } from "./context/compaction.ts";
import type { Beside } from "./forks/beside.ts";
import type { TurnForks } from "./forks/turn-forks.ts";
import type { Conversation } from "./conversation.ts";
import type { SessionDesk } from "./desk/desk.ts";
import type { Job } from "./job/job.ts";
import type { Ledger } from "./ledger.ts";
import type { McpDesk } from "./mcp/desk.ts";
import type { OrphanedCall } from "./permissions/orphan.ts";
import type { DescribedRule } from "../permissions/rule.ts";
import type { SessionMemory } from "./session-memory.ts";
import type { SkillDesk } from "./knowledge/skill-desk.ts";
import type { InputQueue } from "./queue.ts";
import type { TurnEndDisposers } from "./hooks/turn-end-disposers.ts";
import type { StructuredOutput } from "./tools/structured-output.ts";
import type { HistoryParts } from "./context/snip-now.ts";

/** What a user has chosen since the session began, and keeps. */
export interface Kept {
  model: string;
  effort?: Effort;
  permissionMode: PermissionMode;
  /** The kind of agent that the main thread is. */
  agent?: string | undefined;
  /** Folders it works in besides the current one. Absolute. */
  addDirs?: string[] | undefined;
  /** Of answers to questions: what is allowed "always", and what is not. */
  grantedRules: DescribedRule[];
  /** What the host has laid over `--settings`. */
  applied?: Readonly<JsonObject> | undefined;
}

/** The session that takes a session's place, where that is not an empty one. */
export interface Successor {
  /** Id, the beginning of one, or title. */
  resume: string;
  /** A copy of it, in which the user's own choices stay. */
  forkSession?: true;
  /** The uuid of the last message that is copied; absent: all are. */
  resumeSessionAt?: string;
  title?: string | undefined;
}

/** What SessionEnd hooks are told: of `clear` and `resume`, another session takes its place. */
export type EndReason = "clear" | "resume" | "prompt_input_exit" | "other";

export type Restart = (kept: Kept, mcp: McpDesk | undefined, successor?: Successor) => Promise<SessionParts>;

export interface SessionParts {
  readonly sessionId: string;
  readonly transcriptPath?: string;
  readonly cwd: string;
  readonly home: string;
  readonly version: string;
  readonly toolNames: readonly string[];
  /** Absent where no MCP server is configured. */
  readonly mcp: McpDesk | undefined;
  readonly skills: SkillDesk;
  readonly clock: ClockPort;
  readonly ids: IdPort;
  readonly ports: LoopPorts;
  readonly limits: Partial<LoopLimits>;
  readonly maxBudgetUsd?: number;
  /** Of a session that works for another one. */
  readonly agentId?: string;
  /** The host's: ends the turn that runs, and those after it. */
  readonly abortSignal?: AbortSignal;
  /** The model's words are shown as they stream. */
  readonly displaysLines: boolean;
  readonly queue: InputQueue;
  /** Of hooks that run, for the reader of the turn; absent where there are none. */
  readonly hookFeed: News<SDKMessage> | undefined;
  readonly conversation: Conversation;
  readonly ledger: Ledger;
  /** What the next user turn asks. */
  readonly model: { current: string; effort?: Effort };
  readonly runMemory: RunMemory;
  loopConfig(): LoopConfig;
  /** To be awaited before the first prompt is recorded. */
  readonly memory: Pick<SessionMemory, "ready">;
  /** Records the prompt, before anything that can fail; a failure is the transcript's. `isTurn`: a user turn answers it. */
  record(prompt: ContentBlock[], options: { uuid?: string; isMeta?: boolean }, isTurn: boolean): Failure | null;
  /** News since the last turn, then SessionStart and UserPromptSubmit hooks; a Terminal where one blocked the prompt. */
  submitHooks(prompt: ContentBlock[], cancel: Cancel): AsyncGenerator<SDKMessage, Terminal | null>;
  /** At the end of a turn: a prompt that hooks have not judged, as it was cut off. Answers what clients are to be told. */
  takeOutUnjudged(): SDKMessage[];
  /** The call that waits for its permission, which was answered, or that a hook has put off; null from then on. */
  takeOrphan(): OrphanedCall | null;
  /** Started when the model has begun to answer: there is time for what nobody waits for. */
  readonly housekeeping: Pick<Housekeeping, "start">;
  /** Ledger, todo list and read-file state, at the end of a user turn. */
  recordFacts(): void;
  /** Makes the conversation shorter, because the user asks for it. */
  compact(instructions: string | undefined, cancel: Cancel): AsyncGenerator<SDKMessage, CompactAnswer>;
  /** What it takes to change the conversation between two turns. */
  historyParts(): HistoryParts;
  /** What a prompt asks of the session itself, in place of the model. */
  readonly commandOf: CommandReader;
  readonly desk: SessionDesk;
  /** What tools hold for the turn. */
  readonly held: TurnEndDisposers;
  /** The form that an answer has to have; absent where any will do. */
  readonly structured?: Pick<StructuredOutput, "begin" | "outcome"> | undefined;
  /** Where the session is a job in the background. */
  readonly job?: Job | undefined;
  /** Side questions, and work that nobody waits for. */
  readonly beside: Beside;
  /** What the end of a turn has begun. */
  readonly forks: TurnForks;
  readonly isRewinding: boolean;
  /** Files back to what they were before that prompt; what went wrong is in the result. */
  rewindFiles(messageUuid: string, options: RewindFilesOptions): Promise<RewindFilesResult>;
  /** What a person has chosen. `resolveModel`: the id that a name stands for; throws where it can be none. */
  readonly choices: {
    readonly model: { readonly current: string };
    resolveModel(name: string): string;
    setModel(name: string): void;
    readonly permissionMode: PermissionMode;
    setPermissionMode(mode: PermissionMode): void;
    readonly title: string | undefined;
    setTitle(title: string): void;
    readonly tag: string | null;
    setTag(tag: string | null): void;
    setEffort(effort: Effort | undefined): void;
  };
  readonly crew: AgentCrew;
  debug(line: string): void;
  /** Another session with the same options; an empty one under a new id where none is named. */
  restart(successor?: Successor): Promise<SessionParts>;
  /** Kills every command at once, synchronously. */
  killNow(): void;
  /** Lets go of everything: background work, hooks, lock, file. Bounded. `hurry`: background work is not waited for. */
  close(hurry: boolean, reason: EndReason): Promise<void>;
}
