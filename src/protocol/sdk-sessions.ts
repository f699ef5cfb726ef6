/** Sessions as the functions of the library tell of them. */

export interface SDKSessionInfo {
  sessionId: string;
  /** What a list shows: the title, else the beginning of the first prompt. */
  summary: string;
  /** ms since the epoch. */
  lastModified: number;
  /** Bytes of the transcript. */
  fileSize?: number;
  customTitle?: string;
  firstPrompt?: string;
  gitBranch?: string;
  cwd?: string;
  tag?: string;
  /** ms since the epoch. */
  createdAt?: number;
  archived?: boolean;
}

/** One message as it was recorded. Each block of an answer is one of its own; they share `message.id`. */
export interface SessionMessage {
  type: "user" | "assistant" | "system";
  /** What `upToMessageId` and `resumeSessionAt` take. */
  uuid: string;
  session_id: string;
  /** As the Messages API has it; of `system` an object with a `subtype`. */
  message: unknown;
  parent_tool_use_id: string | null;
  parent_agent_id: string | null;
  /** ISO 8601. */
  timestamp: string;
}
