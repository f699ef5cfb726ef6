/** Sessions, as the library's functions return them. */

export interface SDKSessionInfo {
  sessionId: string;
  /** The text to show in a list: the title, or else the beginning of the first prompt. */
  summary: string;
  /** When the last message was recorded, ms since the epoch; the time of the file if that is unknown. */
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

/** One message as it was recorded. Each block of an answer is a message of its own; blocks of one answer share `message.id`. */
export interface SessionMessage {
  type: "user" | "assistant" | "system";
  /** The id that `upToMessageId` and `resumeSessionAt` take. */
  uuid: string;
  session_id: string;
  /** As in the Messages API; for `system`, an object with a `subtype`. */
  message: unknown;
  parent_tool_use_id: string | null;
  parent_agent_id: string | null;
  /** ISO 8601. */
  timestamp: string;
}
