/** What the model is told between the words of others, and what is kept beside it for clients. */
import type { PermissionMode } from "./permission.ts";

export interface Reminder {
  kind: "reminder";
  name: string;
  text: string;
  /** The work in the background whose end it tells. */
  task?: EndedTask;
  /** What an agent wrote to this one, or is told of it. */
  mail?: MailFacts;
  /** The mode from here on, where it is another. */
  permissionMode?: PermissionMode;
}

/** A letter between agents of one session. */
export interface MailFacts {
  /** Unique in the session: of two records with it, one is too many. */
  id: string;
  kind: "message" | "idle" | "ended";
  /** The name of whom it is from, or about. */
  from: string;
  /** Of a teammate. */
  agentId?: string;
}

/** Work in the background that is over. */
export interface EndedTask {
  taskId: string;
  /** The call that began it. */
  toolUseId?: string;
  status: "completed" | "failed" | "stopped";
  /** Null where it was stopped, or nobody could tell. */
  exitCode: number | null;
  /** Absolute. */
  outputFile: string | null;
  summary: string;
  /** Of an agent. */
  usage?: { total_tokens: number; tool_uses: number; duration_ms: number };
}
