/** What can be told of a session from its file, without reading all of it. */
import type { Snapshot } from "./record.ts";

export interface SessionSummary extends SessionFile, Marks {
  createdAt?: string;
  cwd?: string;
  source?: string;
  gitBranch?: string;
  /** The beginning of what the user first asked. */
  firstPrompt?: string;
}

export interface SessionFile {
  sessionId: string;
  path: string;
  sizeBytes: number;
  modifiedAt: number;
}

export type Marks = Pick<Snapshot, "title" | "tag" | "archived">;
