/** Which of an agent's messages reach the reader of the call that started it. */
import type { SDKApiRetry, SDKMessage } from "../../protocol/sdk.ts";
import type { SDKTaskProgress, SDKToolProgress } from "../../protocol/sdk-task.ts";
import type { AgentCall } from "../agents/agent-tool.ts";

/** Messages about what happens below the agent: its own agents, and hooks. */
export const forwardedSubtypes: ReadonlySet<string> = new Set([
  "task_started",
  "task_progress",
  "task_notification",
  "hook_started",
  "hook_progress",
  "hook_response",
]);
/** Tags of notices for people: hooks that failed or ended something, and a change of model. */
export const personNoticeTags: ReadonlySet<string> = new Set([
  "hook",
  "hook_failed",
  "hook_stopped_continuation",
  "model_fallback",
  "prompt_blocked",
  "stop_hook_cap",
  "turn_end_failed",
]);

/** Shows the message in the stream, in the place of the call; once the call is over, only what people must know is sent as a notice. */
export function forwardMessage(
  message: SDKMessage,
  { show, isShown, notice }: { show: AgentCall["show"]; isShown: boolean; notice: (text: string) => void },
): void {
  if (isShown) show(message);
  else if (message.type === "system" && message.subtype === "informational") notice(message.content);
}

type CallFields = Pick<SDKTaskProgress, "uuid" | "session_id" | "task_id" | "tool_use_id" | "subagent_type">;

/** Reports that a request of the agent failed and is retried. */
export function retryProgress(retry: SDKApiRetry, call: CallFields, elapsedMs: number): SDKToolProgress {
  const { uuid, session_id, tool_use_id, subagent_type, task_id: agent_id } = call;
  const { attempt, max_retries, retry_delay_ms, error_status, error: error_category } = retry;
  return {
    type: "tool_progress",
    uuid,
    session_id,
    tool_use_id,
    tool_name: "Agent",
    parent_tool_use_id: null,
    elapsed_time_seconds: elapsedMs / 1000,
    subagent_type,
    subagent_retry: { agent_id, attempt, max_retries, retry_delay_ms, error_status, error_category },
  };
}
