/** The settings of a session, merged from every file in order. */
import type { Effort } from "../protocol/model.ts";
import type { PermissionMode } from "../protocol/permission.ts";
import type { Theme } from "../protocol/theme.ts";
import type { SandboxSettings } from "./sandbox.ts";
import { emptyKnowledge, type KnowledgeSettings } from "./knowledge-keys.ts";
import type { SettingsMcp } from "./mcp.ts";
import type { SettingsOrigin } from "./source.ts";

export type RuleList = "allow" | "deny" | "ask";

/** A rule with the file it came from, in the form that `src/permissions` takes. */
export interface SettingsRule {
  rule: string;
  source: string;
  /** What a leading `/` in the rule's path means: the folder of its file. */
  root?: string;
  /** The rule replaces a part of its source that could not be read. */
  isStandIn?: boolean;
}

/** Which of the instruction files in a project are read. */
export type ProjectInstructions = "claude-md" | "claude-md-or-agents-md" | "claude-md-and-agents-md" | "managed-only";

/** A command of settings that prints something for the terminal. */
export interface CommandSettings {
  type: "command";
  command: string;
}

/** A command whose output is shown below the prompt. */
export interface StatusLineSettings extends CommandSettings {
  /** Columns of indentation before each line. */
  padding?: number;
  /** Seconds between repeated runs, whatever else happens. */
  refreshInterval?: number;
  /** Accepted but without effect: there is no such indicator. */
  hideVimModeIndicator?: boolean;
}

/** Settings of the work trees that git creates for sessions and agents. */
export interface WorktreeSettings {
  /** Folders, relative to the top of the repository, that become links to the project's unless the commit contains them. */
  symlinkDirectories?: string[];
}

/** Keys with a single value, decided by the highest file that sets it. */
export interface PlainSettings {
  model?: string;
  fallbackModel?: string[];
  effortLevel?: Effort;
  maxEffortLevel?: Effort;
  /** If false, the model does not think unless a flag or a variable says so. Default: true. */
  alwaysThinkingEnabled?: boolean;
  /** The kind of agent that leads a new session. */
  agent?: string;
  /** The language of answers. Default: that of the prompt. */
  language?: string;
  enforceAvailableModels?: boolean;
  disableBundledSkills?: boolean;
  disableCommandPluginSources?: boolean;
  /** A command that prints the API key. Only from the user's own files and flags. */
  apiKeyHelper?: string;
  /** A command that prints headers for telemetry, as a JSON object of strings. Same restriction. */
  otelHeadersHelper?: string;
  promptCacheTtl?: "5m" | "1h";
  /** For agents' conversations. Default: the same as `promptCacheTtl`. */
  subagentPromptCacheTtl?: "5m" | "1h";
  /** Days that a transcript is kept. */
  cleanupPeriodDays: number;
  autoCompactEnabled: boolean;
  /** In tokens. */
  autoCompactWindow?: number;
  /** Default: true, as for the next two. */
  microcompactEnabled?: boolean;
  snipEnabled?: boolean;
  contextCollapseEnabled?: boolean;
  /** Percent of the context window. Default: 70. */
  contextCollapsePercent?: number;
  /** Characters of a successful command's output that the model gets inline. */
  bashOutputMaxChars?: number;
  /** Whether files are saved before tools change them. Default: true. For changes by commands, a session option decides. */
  fileCheckpointingEnabled?: boolean;
  includeGitInstructions: boolean;
  /** How long the model's questions wait for an answer before it goes on without one. Default: `never`. */
  askUserQuestionTimeout?: "60s" | "5m" | "10m" | "never";
  /** Whether notes about the project are kept from one session to the next. Default: false. */
  autoMemoryEnabled?: boolean;
  /** Whether these notes are merged and pruned from time to time. Default: false. */
  autoDreamEnabled?: boolean;
  respectGitignore: boolean;
  worktree?: WorktreeSettings;
  /** The folder that plans are kept in, as written. */
  plansDirectory?: string;
  /** The name of the style that answers are given in. */
  outputStyle?: string;
  /** Whether the terminal is for a screen reader: labelled lines, nothing drawn or redrawn. Default: false. */
  axScreenReader?: boolean;
  /** The colours on a terminal. Default: `auto`, by the terminal's background. */
  theme?: Theme;
  /** The key bindings at the prompt. Default: `normal`. */
  editorMode?: "normal" | "vim";
  /** Keys that end Vim's insert mode. */
  vimInsertModeRemaps?: Record<string, "<Esc>">;
  /** Characters of a skill's description that are listed. Default: 1,536. */
  skillListingMaxDescChars?: number;
  /** Share of the context window that the list of skills may take. Default: 0.01. */
  skillListingBudgetFraction?: number;
  /** If true, shell lines in skills and commands are not run. */
  disableSkillShellExecution?: boolean;
  /** Names, ids or beginnings of ids. If there is a list, no other model can be used. */
  availableModels?: string[];
  /** Whether the beginning of an id is enough. Default: `prefix`. */
  availableModelsMatch?: "prefix" | "exact";
  /** Models that can never be used, whatever allows them. */
  deniedModels?: string[];
  /** If true, only an administrator's hooks run. */
  disableAllHooks?: boolean;
  /** Also absent if hooks are disabled and no administrator's file sets one. */
  statusLine?: StatusLineSettings;
  /** A command that suggests files for the text typed after an `@`. Absent in the same cases. */
  fileSuggestion?: CommandSettings;
  /** An administrator's instructions, as text. */
  claudeMd?: string;
  /** Administrators only, like the next: hooks, or allow rules, of other files do not count. */
  allowManagedHooksOnly?: boolean;
  allowManagedPermissionRulesOnly?: boolean;
  allowManagedMcpServersOnly?: boolean;
  /** Patterns with `*` for the URLs that hooks may call; undefined: all. */
  allowedHttpHookUrls?: string[];
  /** The only variables that may go into hooks' headers. */
  httpHookAllowedEnvVars?: string[];
}

/** The `hooks` of one file, as written; `src/hooks` parses them. */
export interface SettingsHooks {
  value: unknown;
  origin: SettingsOrigin;
  source: string;
}

export interface Settings extends PlainSettings {
  env: Record<string, string>;
  permissions: Record<RuleList, SettingsRule[]> & {
    defaultMode?: PermissionMode;
    /** The file that disables `bypassPermissions`. */
    bypassDisabledBy?: string;
    /** The file that disables `auto`. */
    autoDisabledBy?: string;
    /** If true, calls that would be asked about are refused. */
    deniesInsteadOfAsking?: boolean;
    /** The files that block reading, or writing, outside the working directories. */
    blockReadsOutsideWorkingDirectories?: string;
    blockWritesOutsideWorkingDirectories?: string;
    /** Absolute paths that may be read there all the same. */
    blockReadsExemptPaths: string[];
    /** Absolute. */
    additionalDirectories: string[];
  };
  /** Undefined if no file mentions the sandbox. */
  sandbox?: SandboxSettings;
  /** `models` and `aliases` of the catalogue, parsed by `model/catalog-overrides.ts`. */
  catalog: Record<string, unknown>;
  projectInstructions: ProjectInstructions;
  knowledge: KnowledgeSettings;
  /** Lowest first. */
  hooks: SettingsHooks[];
  /** The origin of each file or flag that counts, by its name. */
  origins: Record<string, SettingsOrigin>;
  mcp: SettingsMcp;
}

export function defaultSettings(): Settings {
  return {
    env: Object.create(null) as Record<string, string>,
    permissions: emptyPermissions(),
    catalog: {},
    cleanupPeriodDays: 30,
    autoCompactEnabled: true,
    includeGitInstructions: true,
    respectGitignore: true,
    projectInstructions: "claude-md-or-agents-md",
    knowledge: emptyKnowledge(),
    hooks: [],
    origins: Object.create(null) as Record<string, SettingsOrigin>,
    mcp: { sources: [], disabled: [], allowed: [], denied: [] },
  };
}

export function emptyPermissions(): Settings["permissions"] {
  return { allow: [], deny: [], ask: [], additionalDirectories: [], blockReadsExemptPaths: [] };
}
