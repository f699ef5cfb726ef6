/** What a session says of the hooks it runs: always of `SessionStart`, of the others with `includeHookEvents`. */
interface OfHook {
  type: "system";
  uuid: string;
  session_id: string;
  /** The same in all messages of one run. */
  hook_id: string;
  /** The event, and what matchers were held against: `PreToolUse:Bash`. */
  hook_name: string;
  hook_event: string;
}

export interface SDKHookStarted extends OfHook {
  subtype: "hook_started";
  /** A command line, an address, a question. */
  command: string;
  status_message?: string;
  /** Nobody waits for it. */
  async?: true;
}

/** Of a run that takes more than a second, where it has printed more since the last one. */
export interface SDKHookProgress extends OfHook {
  subtype: "hook_progress";
  stdout: string;
  stderr: string;
  output: string;
  /** Nobody waits for it, or no longer: it has asked for that. */
  async?: true;
}

export interface SDKHookResponse extends OfHook {
  subtype: "hook_response";
  stdout: string;
  stderr: string;
  /** Both. */
  output: string;
  exit_code?: number;
  /** `cancelled`: it ran out of time, or was not waited for. */
  outcome: "success" | "error" | "cancelled";
  duration_ms: number;
}

export type SDKHookMessage = SDKHookStarted | SDKHookProgress | SDKHookResponse;
