/** The events on which each part of a hook's output has an effect, by the public convention. */
import type { HookEvent } from "../protocol/hook.ts";

/** Events on which a model may be asked, by convention: on no other event does its answer decide anything. */
export const modelHookEvents: ReadonlySet<HookEvent> = new Set([
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
  "UserPromptSubmit",
  "UserPromptExpansion",
  "Stop",
  "SubagentStop",
  "TaskCreated",
  "TaskCompleted",
  "TeammateIdle",
]);

export const blockableEvents: ReadonlySet<HookEvent> = new Set([
  ...modelHookEvents,
  "PreCompact",
  "PreModelSwitch",
  "PreSkillShellCommand",
  "ConfigChange",
  "WorktreeCreate",
  "Elicitation",
  "ElicitationResult",
]);

/** By convention, `continue` and `systemMessage` have no effect on these events. */
export const observingEvents: ReadonlySet<HookEvent> = new Set([
  "PreCompact",
  "PostCompact",
  "SessionEnd",
  "StopFailure",
  "Notification",
  "InstructionsLoaded",
  "ConfigChange",
  "WorktreeCreate",
  "WorktreeRemove",
  "Elicitation",
  "ElicitationResult",
  "MessageDisplay",
]);

/** Only `continue` has no effect on these events: what it would stop has already happened, or happens anyway. */
export const neverStoppingEvents: ReadonlySet<HookEvent> = new Set([
  "TaskCreated",
  "CwdChanged",
  "DirectoryAdded",
  "FileChanged",
]);

/** Events with a `permissionDecision`. */
export const permissionEvents: ReadonlySet<HookEvent> = new Set([
  "PreToolUse",
  "PreModelSwitch",
  "PreSkillShellCommand",
]);

export const watchPathEvents: ReadonlySet<HookEvent> = new Set(["SessionStart", "CwdChanged", "FileChanged"]);
