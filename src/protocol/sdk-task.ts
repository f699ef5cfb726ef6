/** Messages about work beside the session's own: agents it has started, and background commands. */

interface OfTask {
  type: "system";
  uuid: string;
  session_id: string;
  /** The agent's id. */
  task_id: string;
  /** The call that started the agent. */
  tool_use_id: string;
  description: string;
  subagent_type: string;
}

export interface SDKTaskStarted extends OfTask {
  subtype: "task_started";
  /** A `local_agent` ends, which a `task_notification` reports; a teammate stays. Clients wait for the former and not for the latter. */
  task_type: "local_agent" | "in_process_teammate";
  is_backgrounded: boolean;
  /** 1: started by the session itself. */
  spawn_depth: number;
  /** The agent that started this one. */
  parent_task_id?: string;
  prompt: string;
}

/** Sent after each response of the agent that called tools. */
export interface SDKTaskProgress extends OfTask {
  subtype: "task_progress";
  usage: SDKTaskUsage;
  last_tool_name?: string;
}

/** A failed request of an agent that is being retried. */
export interface SDKSubagentRetry {
  agent_id: string;
  attempt: number;
  max_retries: number;
  retry_delay_ms: number;
  /** Null if there was no response. */
  error_status: number | null;
  /** As `error` in `api_retry`. */
  error_category: string;
}

/** What a running command has printed since the last such message, or that the agent of a call is waiting. */
export interface SDKToolProgress {
  type: "tool_progress";
  uuid: string;
  session_id: string;
  tool_use_id: string;
  tool_name: string;
  parent_tool_use_id: string | null;
  elapsed_time_seconds: number;
  text?: string;
  /** If the call started an agent. */
  subagent_type?: string;
  /** Set while the agent waits to retry its model request. */
  subagent_retry?: SDKSubagentRetry;
}

/** A teammate became idle, or works again. */
export interface SDKTaskUpdated {
  type: "system";
  subtype: "task_updated";
  uuid: string;
  session_id: string;
  task_id: string;
  patch: { status: "running" | "paused" };
}

export interface SDKTaskUsage {
  total_tokens: number;
  tool_uses: number;
  duration_ms: number;
}

/** A background command or an agent has ended. */
export interface SDKTaskNotification {
  type: "system";
  subtype: "task_notification";
  uuid: string;
  session_id: string;
  task_id: string;
  /** The call that started the task. */
  tool_use_id?: string;
  status: "completed" | "failed" | "stopped";
  /** If the task was a command. */
  exit_code: number | null;
  /** Absolute; empty if no output was kept. */
  output_file: string;
  summary: string;
  /** If the task was an agent. */
  usage?: SDKTaskUsage;
}

/** Fields of messages from an agent, beside `parent_tool_use_id`. */
export interface OfAgent {
  agent_id?: string;
  subagent_type?: string;
  task_description?: string;
}
