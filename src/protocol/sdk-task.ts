/** What a session says of work beside its own: agents it has started, commands of the background. */

interface OfTask {
  type: "system";
  uuid: string;
  session_id: string;
  /** The agent's id. */
  task_id: string;
  /** The call that began it. */
  tool_use_id: string;
  description: string;
  subagent_type: string;
}

export interface SDKTaskStarted extends OfTask {
  subtype: "task_started";
  /** `local_agent` is over one day, which a `task_notification` tells; a teammate stays. Clients wait for the first, and not for the second. */
  task_type: "local_agent" | "in_process_teammate";
  is_backgrounded: boolean;
  /** 1: begun by the session itself. */
  spawn_depth: number;
  /** The agent that began it. */
  parent_task_id?: string;
  prompt: string;
}

/** After each response of the agent that asked for tools. */
export interface SDKTaskProgress extends OfTask {
  subtype: "task_progress";
  usage: SDKTaskUsage;
  last_tool_name?: string;
}

/** A request of an agent that failed and is made again. */
export interface SDKSubagentRetry {
  agent_id: string;
  attempt: number;
  max_retries: number;
  retry_delay_ms: number;
  /** Null where there was no answer. */
  error_status: number | null;
  /** As `error` of `api_retry`. */
  error_category: string;
}

/** What a command that runs has printed since, or that the agent of a call waits. */
export interface SDKToolProgress {
  type: "tool_progress";
  uuid: string;
  session_id: string;
  tool_use_id: string;
  tool_name: string;
  parent_tool_use_id: string | null;
  elapsed_time_seconds: number;
  text?: string;
  /** Of a call that began an agent. */
  subagent_type?: string;
  /** The agent waits until its model is asked again. */
  subagent_retry?: SDKSubagentRetry;
}

/** A teammate rests, or works again. */
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

/** A command of the background, or an agent, is over. */
export interface SDKTaskNotification {
  type: "system";
  subtype: "task_notification";
  uuid: string;
  session_id: string;
  task_id: string;
  /** The call that began it. */
  tool_use_id?: string;
  status: "completed" | "failed" | "stopped";
  /** Of a command. */
  exit_code: number | null;
  /** Absolute; empty where nothing was kept. */
  output_file: string;
  summary: string;
  /** Of an agent. */
  usage?: SDKTaskUsage;
}

/** Stands in messages of an agent, beside `parent_tool_use_id`. */
export interface OfAgent {
  agent_id?: string;
  subagent_type?: string;
  task_description?: string;
}
