/** The Hook port: the loop announces what happens, and hooks answer. Shapes follow the public hook conventions. */
import type { McpServerProvenance } from "./mcp.ts";
import type { NoticeMessage } from "./message.ts";
import type { PermissionUpdate } from "./permission.ts";

export const hookEvents = [
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
  "UserPromptSubmit",
  "UserPromptExpansion",
  "SessionStart",
  "SessionEnd",
  "Stop",
  "SubagentStart",
  "SubagentStop",
  "TaskCreated",
  "TaskCompleted",
  "TeammateIdle",
  "StopFailure",
  "PreCompact",
  "PostCompact",
  "PermissionRequest",
  "PermissionDenied",
  "Notification",
  "CwdChanged",
  "DirectoryAdded",
  "InstructionsLoaded",
  "ConfigChange",
  "Setup",
  "PreModelSwitch",
  "PostModelSwitch",
  "WorktreeCreate",
  "WorktreeRemove",
  "Elicitation",
  "ElicitationResult",
  "FileChanged",
  "MessageDisplay",
  "PreSkillShellCommand",
] as const;
export type HookEvent = (typeof hookEvents)[number];

/** The fields of the events themselves, in wire case. The hook engine adds the common fields. */
export interface HookInput {
  hook_event_name: HookEvent;
  tool_name?: string;
  tool_input?: Record<string, unknown>;
  tool_use_id?: string;
  /** The MCP server the tool belongs to, if any. */
  mcp_server?: McpServerProvenance;
  tool_response?: unknown;
  /** How long the tool ran, without permission questions and hooks. */
  duration_ms?: number;
  error?: string;
  /** The provider's own error text. */
  error_details?: string;
  prompt?: string;
  /** Absent if the session has no title. */
  session_title?: string;
  expansion_type?: string;
  command_name?: string;
  command_args?: string;
  command_source?: string;
  /** For a shell line in a skill: who invoked the skill. */
  invoked_by?: "user" | "claude" | "other";
  stop_hook_active?: boolean;
  /** Tasks still running in the background. */
  background_tasks?: readonly HookBackgroundTask[];
  last_assistant_message?: string;
  trigger?: string;
  custom_instructions?: string | null;
  compact_summary?: string;
  source?: string;
  /** SessionStart: the model in use. */
  model?: string;
  reason?: string;
  message?: string;
  notification_type?: string;
  from_model?: string;
  to_model?: string;
  requested_model?: string | null;
  context_tokens?: number;
  old_cwd?: string;
  new_cwd?: string;
  directory?: string;
  file_path?: string;
  /** FileChanged: `change`, `add` or `unlink`. */
  event?: string;
  memory_type?: string;
  load_reason?: string;
  globs?: readonly string[];
  trigger_file_path?: string;
  parent_file_path?: string;
  /** Entries for `updatedPermissions` that would avoid the next question of this kind. */
  permission_suggestions?: readonly PermissionUpdate[];
  agent_id?: string;
  agent_type?: string;
  agent_transcript_path?: string;
  task_id?: string;
  task_subject?: string;
  task_description?: string;
  teammate_name?: string;
  team_name?: string;
  /** The worktree to be created. */
  name?: string;
  worktree_path?: string;
  /** Elicitation events: what an MCP server asks the user, and the answer. */
  mcp_server_name?: string;
  mode?: string;
  url?: string;
  elicitation_id?: string;
  requested_schema?: unknown;
  action?: string;
  content?: unknown;
  /** MessageDisplay: the turn and the message the text belongs to, the index of this piece, and whether it is the last. */
  turn_id?: string;
  message_id?: string;
  index?: number;
  final?: boolean;
  delta?: string;
  tool_calls?: { tool_name: string; tool_input: unknown; tool_use_id: string; tool_response: unknown }[];
}

/** A background task, as hooks at the end of a turn see it. */
export interface HookBackgroundTask {
  id: string;
  type: "shell" | "subagent" | "teammate";
  status: "running";
  /** At most 1,000 characters, followed by how many more there were. */
  description: string;
  command?: string;
  agent_type?: string;
  name?: string;
}

/** A hook's answer to an MCP server on behalf of the user. */
export interface HookElicitationAnswer {
  action: "accept" | "decline" | "cancel";
  content?: Record<string, unknown>;
}

export type HookPermissionAnswer =
  | {
      behavior: "allow";
      updatedInput?: Record<string, unknown>;
      /** Changes to the session's permissions, made before the call runs. */
      updates?: PermissionUpdate[];
    }
  | {
      behavior: "deny";
      message?: string;
      interrupt?: true;
      /** The denial ends the run, for this reason. */ stops?: string;
    };

/** How one hook ran. */
export interface HookRun {
  /** The hook's command line, URL or question. */
  name: string;
  durationMs: number;
  isOk: boolean;
  /** What was wrong with the hook, for people. */
  problem?: string;
}

export interface HookPermission {
  behavior: "allow" | "deny" | "ask";
  reason?: string;
  /** The hook whose `updatedInput` counts also allowed the call. For a tool whose input is the user's answer, this is consent. */
  givesInput?: true;
}

/** The merged answers of all hooks of one event. Deny beats defer beats ask beats allow; stop beats continue. */
export interface HookAnswer {
  /** `continue: false`: end the run after this. The text is for people. */
  preventContinuation?: string;
  /** From `decision: "block"` or exit code 2: the reasons, for the model. */
  blocking: string[];
  /** `defer`: the call is put off, and the run ends. `otherwise`: what the other hooks say, used if the call cannot be deferred. */
  permission?: HookPermission | { behavior: "defer"; reason?: string; otherwise?: HookPermission };
  updatedInput?: Record<string, unknown>;
  /** What hooks answered on behalf of the user (PermissionRequest). A denial beats an approval. */
  permissionAnswer?: HookPermissionAnswer;
  updatedToolOutput?: unknown;
  elicitation?: HookElicitationAnswer;
  /** The files that FileChanged now watches, in place of those named before. */
  watchPaths?: string[];
  /** PermissionDenied: the model may try the call again. */
  retry?: true;
  /** MessageDisplay: what people see in place of the text. May be empty. */
  displayContent?: string;
  /** WorktreeCreate: the folder a hook made, exactly as the hook returned it. */
  worktreePath?: string;
  /** SessionStart and UserPromptSubmit: the session's title from now on. */
  sessionTitle?: string;
  /** SessionStart: skills have changed. */
  reloadSkills?: true;
  /** SessionStart, in a session without a person: a user message the session begins with, before its prompt. */
  initialUserMessage?: string;
  additionalContext: string[];
  /** For people; the model does not see them. */
  notices: NoticeMessage[];
  /** For MessageDisplay and the events at the end of a turn: the hooks that ran. */
  runs?: HookRun[];
}

export const noHookAnswer: HookAnswer = { blocking: [], additionalContext: [], notices: [] };

/**
 * Runs the hooks of an event and waits for all of them. Must not throw and must not hang: every hook has a time limit, and a broken hook
 * yields a notice and counts as a pass, except that a callback that times out on a tool call or a prompt refuses it. After `signal` aborts
 * it settles at once.
 */
export interface HookPort {
  /** False if no hook would run: lets a caller skip building the input. */
  has(event: HookEvent): boolean;
  /** The longest time limit among the event's hooks, ms, if one was configured above the default. Absent or undefined: none was. */
  limitMs?(event: HookEvent): number | undefined;
  run(input: HookInput, signal: AbortSignal): Promise<HookAnswer>;
  /** Runs hooks detached (StopFailure): the loop does not wait for them; the session owns and drains them. */
  runDetached(input: HookInput): void;
}
