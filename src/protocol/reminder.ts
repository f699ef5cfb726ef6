/** Reminders: text the loop adds to the conversation for the model, with the facts that clients need. */
import type { PermissionMode } from "./permission.ts";

export interface Reminder {
  kind: "reminder";
  name: string;
  text: string;
  /** The background task whose end the reminder reports. */
  task?: EndedTask;
  /** A message from another agent, or news about one. */
  mail?: MailFacts;
  /** The new permission mode, if it changes. */
  permissionMode?: PermissionMode;
}

/** A message between agents of one session. */
export interface MailFacts {
  /** Unique in the session: a second record with the same id is a duplicate. */
  id: string;
  kind: "message" | "idle" | "ended";
  /** The name of the agent it comes from, or is about. */
  from: string;
  /** If it is from or about a teammate. */
  agentId?: string;
}

/** A background task that has ended. */
export interface EndedTask {
  taskId: string;
  /** The call that started the task. */
  toolUseId?: string;
  status: "completed" | "failed" | "stopped";
  /** Null if the task was stopped, or the code is unknown. */
  exitCode: number | null;
  /** Absolute. */
  outputFile: string | null;
  summary: string;
  /** If the task was an agent. */
  usage?: { total_tokens: number; tool_uses: number; duration_ms: number };
}
