/** Messages about the hooks a session runs: always for `SessionStart`, for other events with `includeHookEvents`. */
interface OfHook {
  type: "system";
  uuid: string;
  session_id: string;
  /** The same in all messages about one run of a hook. */
  hook_id: string;
  /** The event, and the value that matchers were compared with: `PreToolUse:Bash`. */
  hook_name: string;
  hook_event: string;
}

export interface SDKHookStarted extends OfHook {
  subtype: "hook_started";
  /** The hook's command line, URL or question. */
  command: string;
  status_message?: string;
  /** The session does not wait for the hook. */
  async?: true;
}

/** Sent every second while a hook runs, if it has printed more since the last such message. */
export interface SDKHookProgress extends OfHook {
  subtype: "hook_progress";
  stdout: string;
  stderr: string;
  output: string;
  /** The session does not wait for the hook, or stopped waiting because the hook asked for that. */
  async?: true;
}

export interface SDKHookResponse extends OfHook {
  subtype: "hook_response";
  stdout: string;
  stderr: string;
  /** `stdout` and `stderr` together. */
  output: string;
  exit_code?: number;
  /** `cancelled`: the hook ran out of time, or was not waited for. */
  outcome: "success" | "error" | "cancelled";
  duration_ms: number;
}

export type SDKHookMessage = SDKHookStarted | SDKHookProgress | SDKHookResponse;
