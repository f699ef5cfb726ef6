/** The source and destination of a session's conversation: the request, and the store that is opened. */
import type { ClockPort, IdPort } from "../../loop/ports.ts";
import type { Message, SnipReplay, ToolUseBlock } from "../../protocol/message.ts";
import type { Tool } from "../../protocol/tool.ts";
import type { FoundSession } from "../../transcript/find-session.ts";
import type { TranscriptFileSystem } from "../../transcript/file-system.ts";
import type { ProcessTable } from "../../transcript/process-table.ts";
import type { RestoredFacts } from "../../transcript/read.ts";
import type { Snapshot } from "../../transcript/record.ts";
import type { Transcript } from "../../transcript/transcript.ts";
import type { TranscriptMirror } from "../options/transcript-mirror.ts";

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
  /** Needed to fork a session that is persisted; loaded only then. */
  copySession?: CopySession;
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
  /** `replay` executes snips that are read; undefined if nothing can. `unappliedText` reports `count` snips that were not executed. */
  snips: { readonly replay: SnipReplay | undefined; unappliedText(count: number): string | undefined };
  /** What a compaction boundary carries, so that a resume need not read anything before it. */
  snapshot: () => Partial<Snapshot>;
}

export interface SessionCopy {
  copy: FoundSession;
  /** What the copy lacks, for people. */
  notice: string | undefined;
}

export type CopySession = (options: StoreOptions, session: FoundSession, sessionId: string) => SessionCopy;

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
  /** Empty for a new session. */
  restored: Partial<RestoredFacts> & Pick<Snapshot, "summedUp" | "loadedTools">;
  notices: string[];
}

/** Whether a person talked in the session. Sessions of older versions do not say, and count as a person's. */
export function isPersonSession({ source }: { source?: string }): boolean {
  return source === undefined || source === "cli";
}
