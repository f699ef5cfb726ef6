/** Where a session's conversation comes from and goes to: what is asked for, and what is opened. */
import type { ClockPort, IdPort } from "../../loop/ports.ts";
import type { PermissionMode } from "../../protocol/permission.ts";
import type { Message, ToolUseBlock } from "../../protocol/message.ts";
import type { Tool } from "../../protocol/tool.ts";
import type { TranscriptFileSystem } from "../../transcript/file-system.ts";
import type { ProcessTable } from "../../transcript/process-table.ts";
import type { Snapshot } from "../../transcript/record.ts";
import type { Transcript } from "../../transcript/transcript.ts";
import type { PaidAnswer } from "../../transcript/unbooked.ts";
import type { Snips } from "../context/snips.ts";
import type { TranscriptMirror } from "../mirror/mirror.ts";

export interface StoreOptions {
  /** `$PAWL_HOME`, or where else the host keeps sessions. */
  pawlHome: string;
  cwd: string;
  version: string;
  gitBranch?: string;
  /** Other work trees of the repository. */
  worktrees: () => readonly string[];
  /** How the session is held: by a person in a conversation, by `pawl -p`, by a program through the library. */
  source: "cli" | "print" | "sdk";
  persist: boolean;
  resume?: string;
  continue: boolean;
  /** Uuid of the message to go on after. */
  resumeAt?: string;
  /** Uuid of the prompt of the only turn that may go with `resumeAt`. */
  dropsTurn?: string;
  fork: boolean;
  sessionId?: string;
  durability: "process" | "power";
  clock: ClockPort;
  ids: IdPort;
  files: TranscriptFileSystem;
  processes: ProcessTable;
  notice: (text: string) => void;
  mirror: TranscriptMirror | undefined;
  /** Id of a call whose permission was answered since the process died. */
  orphanedToolUseId?: string;
  replayOf: (toolName: string) => Tool["replay"] | undefined;
  snips: Snips;
  /** What a compaction boundary carries, so that a resume need not look behind it. */
  snapshot: () => Partial<Snapshot>;
}

export interface Store {
  sessionId: string;
  /** Null: nothing is persisted. */
  transcript: Transcript | null;
  /** Where long results are kept; null: nowhere for good. */
  spillDirectory: string | null;
  /** Where those of a session that goes on may lie; what it is a copy of has them in its own folder. */
  spilledBefore: readonly string[];
  messages: Message[];
  /** The transcript that this one is a copy of. */
  forkedFrom?: string;
  /** The call of `orphanedToolUseId`, where it has not run. */
  orphan?: ToolUseBlock;
  restored: {
    title?: string;
    tag?: string | null;
    model?: string;
    permissionMode?: PermissionMode;
    /** The kind of agent that it was led by. */
    agent?: string;
    ledger?: unknown;
    /** What the ledger does not have yet. */
    unbooked?: PaidAnswer[];
    todos?: unknown;
    goal?: unknown;
    readFileState?: unknown;
    systemPrompt?: unknown;
    stagedCollapses?: unknown[];
    windows?: unknown;
    /** Ids of answered prompts that a summary stands for. */
    summedUp?: readonly string[];
    /** Names of tools that were loaded before a summary, in order. */
    loadedTools?: readonly string[];
    /** Uuids of prompts that hooks were to be asked about when the process died. */
    unasked?: readonly string[];
    /** Whether the process ended in the last turn; undefined where that is not known. */
    isCutOff?: boolean | undefined;
  };
  notices: string[];
}

/** Somebody talked in it. Those of older versions do not say who did. */
export function isOfPerson({ source }: { source?: string }): boolean {
  return source === undefined || source === "cli";
}
