/** Hook inputs by event, under the type names that programs for other agent SDKs import. Types only. */
import type { HookEvent, HookInput } from "../../protocol/hook.ts";

/** Fields in every hook input. */
export type BaseHookInput = Record<string, unknown> & {
  session_id: string;
  transcript_path: string;
  cwd: string;
  permission_mode?: string;
  /** The prompt being answered. */
  prompt_id?: string;
  /** Set within an agent. */
  agent_id?: string;
  agent_type?: string;
};

type Of<E extends HookEvent, K extends keyof HookInput = never> = BaseHookInput &
  HookInput & { hook_event_name: E } & Required<Pick<HookInput, K>>;

type Call = "tool_name" | "tool_input" | "tool_use_id";
type Task = "task_id" | "task_subject";

export type PreToolUseHookInput = Of<"PreToolUse", Call>;
export type PostToolUseHookInput = Of<"PostToolUse", Call | "tool_response">;
export type PostToolUseFailureHookInput = Of<"PostToolUseFailure", Call | "error">;
export type PostToolBatchHookInput = Of<"PostToolBatch", "tool_calls">;
export type PermissionRequestHookInput = Of<"PermissionRequest", "tool_name" | "tool_input">;
export type PermissionDeniedHookInput = Of<"PermissionDenied", Call>;
export type NotificationHookInput = Of<"Notification", "message" | "notification_type">;
export type UserPromptSubmitHookInput = Of<"UserPromptSubmit", "prompt">;
export type UserPromptExpansionHookInput = Of<"UserPromptExpansion", "prompt">;
export type PreSkillShellCommandHookInput = Of<"PreSkillShellCommand", Call | "command_name" | "invoked_by">;
export type SessionStartHookInput = Of<"SessionStart", "source">;
export type SessionEndHookInput = Of<"SessionEnd", "reason">;
export type StopHookInput = Of<"Stop", "stop_hook_active">;
export type StopFailureHookInput = Of<"StopFailure", "error">;
export type SubagentStartHookInput = Of<"SubagentStart", "agent_id" | "agent_type">;
export type SubagentStopHookInput = Of<"SubagentStop", "stop_hook_active" | "agent_id" | "agent_type">;
export type PreCompactHookInput = Of<"PreCompact", "trigger">;
export type PostCompactHookInput = Of<"PostCompact", "trigger" | "compact_summary">;
export type PreModelSwitchHookInput = Of<"PreModelSwitch", "from_model" | "to_model">;
export type PostModelSwitchHookInput = Of<"PostModelSwitch", "from_model" | "to_model">;
export type TaskCreatedHookInput = Of<"TaskCreated", Task>;
export type TaskCompletedHookInput = Of<"TaskCompleted", Task>;
export type TeammateIdleHookInput = Of<"TeammateIdle", "teammate_name">;
export type ConfigChangeHookInput = Of<"ConfigChange", "source">;
export type CwdChangedHookInput = Of<"CwdChanged", "old_cwd" | "new_cwd">;
export type DirectoryAddedHookInput = Of<"DirectoryAdded", "directory">;
export type FileChangedHookInput = Of<"FileChanged", "file_path" | "event">;
export type InstructionsLoadedHookInput = Of<"InstructionsLoaded", "file_path">;
export type WorktreeCreateHookInput = Of<"WorktreeCreate", "name">;
export type WorktreeRemoveHookInput = Of<"WorktreeRemove", "worktree_path">;
export type ElicitationHookInput = Of<"Elicitation", "mcp_server_name" | "message">;
export type ElicitationResultHookInput = Of<"ElicitationResult", "mcp_server_name" | "action">;
export type MessageDisplayHookInput = Of<"MessageDisplay", "message_id" | "delta">;
export type SetupHookInput = Of<"Setup", "trigger">;

/** Input of a hook callback: `hook_event_name` tells which event it is. */
export type HookCallbackInput =
  | PreToolUseHookInput
  | PostToolUseHookInput
  | PostToolUseFailureHookInput
  | PostToolBatchHookInput
  | PermissionRequestHookInput
  | PermissionDeniedHookInput
  | NotificationHookInput
  | UserPromptSubmitHookInput
  | UserPromptExpansionHookInput
  | PreSkillShellCommandHookInput
  | SessionStartHookInput
  | SessionEndHookInput
  | StopHookInput
  | StopFailureHookInput
  | SubagentStartHookInput
  | SubagentStopHookInput
  | PreCompactHookInput
  | PostCompactHookInput
  | PreModelSwitchHookInput
  | PostModelSwitchHookInput
  | TaskCreatedHookInput
  | TaskCompletedHookInput
  | TeammateIdleHookInput
  | ConfigChangeHookInput
  | CwdChangedHookInput
  | DirectoryAddedHookInput
  | FileChangedHookInput
  | InstructionsLoadedHookInput
  | WorktreeCreateHookInput
  | WorktreeRemoveHookInput
  | ElicitationHookInput
  | ElicitationResultHookInput
  | MessageDisplayHookInput
  | SetupHookInput;
