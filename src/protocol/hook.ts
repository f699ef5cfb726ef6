/** The Hook port: the loop says what happens, hooks answer. Shapes follow the public hook conventions. */
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

/** Common fields are added by the hook engine; these are the event's own, in the wire's case. */
export interface HookInput {
  hook_event_name: HookEvent;
  tool_name?: string;
  tool_input?: Record<string, unknown>;
  tool_use_id?: string;
  /** Whose tool it is, where it is one of an MCP server. */
  mcp_server?: McpServerProvenance;
  tool_response?: unknown;
  /** How long the tool ran, without questions and hooks. */
  duration_ms?: number;
  error?: string;
  /** The provider's own words. */
  error_details?: string;
  prompt?: string;
  /** Where the session has one. */
  session_title?: string;
  expansion_type?: string;
  command_name?: string;
  command_args?: string;
  command_source?: string;
  /** Of a shell line: who had the text made that holds it. */
  invoked_by?: "user" | "claude" | "other";
  stop_hook_active?: boolean;
  /** What still runs beside the conversation. */
  background_tasks?: readonly HookBackgroundTask[];
  last_assistant_message?: string;
  trigger?: string;
  custom_instructions?: string | null;
  compact_summary?: string;
  source?: string;
  /** Of SessionStart: the one that is asked. */
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
  /** Of a file: `change`, `add` or `unlink`. */
  event?: string;
  memory_type?: string;
  load_reason?: string;
  globs?: readonly string[];
  trigger_file_path?: string;
  parent_file_path?: string;
  /** What `updatedPermissions` may say to spare the next question of the kind. */
  permission_suggestions?: readonly PermissionUpdate[];
  agent_id?: string;
  agent_type?: string;
  agent_transcript_path?: string;
  task_id?: string;
  task_subject?: string;
  task_description?: string;
  teammate_name?: string;
  team_name?: string;
  /** Of a work tree that is to be made. */
  name?: string;
  worktree_path?: string;
  /** Of what an MCP server asks the user, and of what is answered. */
  mcp_server_name?: string;
  mode?: string;
  url?: string;
  elicitation_id?: string;
  requested_schema?: unknown;
  action?: string;
  content?: unknown;
  /** Of what is shown: the turn and the message it belongs to, which piece of it this is, and whether it is the last. */
  turn_id?: string;
  message_id?: string;
  index?: number;
  final?: boolean;
  delta?: string;
  tool_calls?: { tool_name: string; tool_input: unknown; tool_use_id: string; tool_response: unknown }[];
}

/** Of what runs in the background, as hooks of a turn's end are told it. */
export interface HookBackgroundTask {
  id: string;
  type: "shell" | "subagent" | "teammate";
  status: "running";
  /** At most 1,000 characters, and how many more there were. */
  description: string;
  command?: string;
  agent_type?: string;
  name?: string;
}

/** What hooks answer an MCP server in a person's stead. */
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
      /** It ends the run, for the reason it gives. */ stops?: string;
    };

/** How one hook went. */
export interface HookRun {
  /** A command line, an address, a question. */
  name: string;
  durationMs: number;
  isOk: boolean;
  /** What was wrong with it, for people. */
  problem?: string;
}

export interface HookPermission {
  behavior: "allow" | "deny" | "ask";
  reason?: string;
  /** The hook whose `updatedInput` counts allows the call itself: a consent where the input is the answer. */
  givesInput?: true;
}

/** The answers of all hooks of one event, merged: deny beats defer beats ask beats allow, stop beats go on. */
export interface HookAnswer {
  /** `continue: false`: end the run after this. The text is for people. */
  preventContinuation?: string;
  /** `decision: "block"` or exit 2: the reasons, for the model. */
  blocking: string[];
  /** `defer`: not now. The call is put off, and the run ends; `otherwise` is what the other hooks say, where it cannot be. */
  permission?: HookPermission | { behavior: "defer"; reason?: string; otherwise?: HookPermission };
  updatedInput?: Record<string, unknown>;
  /** What hooks answered in a person's stead (PermissionRequest); a refusal beats a consent. */
  permissionAnswer?: HookPermissionAnswer;
  updatedToolOutput?: unknown;
  elicitation?: HookElicitationAnswer;
  /** Files that FileChanged is to be told of, in place of those that were named before. */
  watchPaths?: string[];
  /** Of PermissionDenied: the model may try the call again. */
  retry?: true;
  /** Of MessageDisplay: what people are shown in place of the text. May be empty. */
  displayContent?: string;
  /** Of WorktreeCreate: the folder a hook made. As it said it. */
  worktreePath?: string;
  /** Of SessionStart and UserPromptSubmit: what the session is called from now on. */
  sessionTitle?: string;
  /** Of SessionStart: skills have changed. */
  reloadSkills?: true;
  /** Of SessionStart, without a person: what the session begins with, before its prompt. */
  initialUserMessage?: string;
  additionalContext: string[];
  /** For people; the model does not see them. */
  notices: NoticeMessage[];
  /** Of the events at a turn's end: those that ran. */
  runs?: HookRun[];
}

export const noHookAnswer: HookAnswer = { blocking: [], additionalContext: [], notices: [] };

/**
 * Runs the hooks of an event and waits for all of them. Must not throw and must not hang: every hook has a time limit,
 * a broken hook is a notice and a pass (a callback too late for a call or a prompt refuses it). After `signal` aborts it settles at once.
 */
export interface HookPort {
  /** False where nothing would run: lets a caller skip making the input. */
  has(event: HookEvent): boolean;
  /** How long the slowest hook of an event may take, ms, where one was given longer than hooks have by themselves. Absent: none was. */
  limitMs?(event: HookEvent): number | undefined;
  run(input: HookInput, signal: AbortSignal): Promise<HookAnswer>;
  /** Runs detached (StopFailure): not awaited by the loop, owned and drained by the session. */
  runDetached(input: HookInput): void;
}
