/** The source and destination of a session's conversation: the request, and the store that is opened. */
import type { ClockPort, IdPort } from "../../loop/ports.ts";
import type { PermissionMode } from "../../protocol/permission.ts";
import type { Message, ToolUseBlock } from "../../protocol/message.ts";
import type { Tool } from "../../protocol/tool.ts";
import type { TranscriptFileSystem } from "../../transcript/file-system.ts";
import type { ProcessTable } from "../../transcript/process-table.ts";
import type { Snapshot } from "../../transcript/record.ts";
import type { Transcript } from "../../transcript/transcript.ts";
import type { PaidAnswer } from "../../transcript/unbooked-answers.ts";
import type { Snips } from "../context/snips.ts";
import type { TranscriptMirror } from "../mirror/mirror.ts";

export interface StoreOptions {
  /** `$PAWL_HOME`, or another folder in which the host keeps sessions. */
  pawlHome: string;
  cwd: string;
  version: string;
  gitBranch?: string;
  /** Other work trees of the repository. */
  worktrees: () => readonly string[];
  /** Who runs the session: a person in a conversation (`cli`), `pawl -p` (`print`), or a program through the library (`sdk`). */
  source: "cli" | "print" | "sdk";
  persist: boolean;
  resume?: string;
  continue: boolean;
  /** Uuid of the message after which to continue. */
  resumeAt?: string;
  /** Uuid of the prompt of the only turn that `resumeAt` may drop. */
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
  /** Id of a call whose permission was answered after the process died. */
  orphanedToolUseId?: string;
  replayOf: (toolName: string) => Tool["replay"] | undefined;
  snips: Snips;
  /** What a compaction boundary carries, so that a resume need not read anything before it. */
  snapshot: () => Partial<Snapshot>;
}

export interface Store {
  sessionId: string;
  /** Null: nothing is persisted. */
  transcript: Transcript | null;
  /** The folder for long results; null: none that is kept. */
  spillDirectory: string | null;
  /** Folders that may hold long results of a resumed session; those of a copied session are in the original's own folder. */
  spilledBefore: readonly string[];
  messages: Message[];
  /** The transcript of which this one is a copy. */
  forkedFrom?: string;
  /** The call of `orphanedToolUseId`, if it has not run. */
  orphan?: ToolUseBlock;
  restored: {
    title?: string;
    tag?: string | null;
    model?: string;
    permissionMode?: PermissionMode;
    /** The agent type of the main thread. */
    agent?: string;
    ledger?: unknown;
    /** Paid answers that the ledger does not include yet. */
    unbooked?: PaidAnswer[];
    todos?: unknown;
    goal?: unknown;
    readFileState?: unknown;
    systemPrompt?: unknown;
    stagedCollapses?: unknown[];
    windows?: unknown;
    /** Ids of answered prompts that a summary replaces. */
    summedUp?: readonly string[];
    /** Names of tools that were loaded before a summary, in order. */
    loadedTools?: readonly string[];
    /** Uuids of prompts about which hooks still had to be asked when the process died. */
    promptsAwaitingHooks?: readonly string[];
    /** Whether the process ended during the last turn; undefined if unknown. */
    isCutOff?: boolean | undefined;
  };
  notices: string[];
}

/** Whether a person talked in the session. Sessions of older versions do not say, and count as a person's. */
export function isPersonSession({ source }: { source?: string }): boolean {
  return source === undefined || source === "cli";
}
