/** What a session's file tells without being read completely. */
import type { Snapshot } from "./record.ts";

export interface SessionSummary extends SessionFile, Marks {
  createdAt?: string;
  cwd?: string;
  source?: string;
  gitBranch?: string;
  /** The beginning of the user's first prompt. */
  firstPrompt?: string;
}

export interface SessionFile {
  sessionId: string;
  path: string;
  sizeBytes: number;
  modifiedAt: number;
}

export type Marks = Pick<Snapshot, "title" | "tag" | "archived">;
