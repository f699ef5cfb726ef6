/** What a session takes from settings, every file laid over the one before. */
import type { Effort } from "../protocol/model.ts";
import type { PermissionMode } from "../protocol/permission.ts";
import type { SandboxSettings } from "./sandbox.ts";
import { noKnowledge, type KnowledgeSettings } from "./knowledge-keys.ts";
import type { SettingsMcp } from "./mcp.ts";
import type { SettingsOrigin } from "./source.ts";

export type RuleList = "allow" | "deny" | "ask";

/** A rule with the file it came from, as the permission room takes it. */
export interface SettingsRule {
  rule: string;
  source: string;
  /** What a leading `/` in its path means: the folder of its file. */
  root?: string;
  /** It stands for what its source says and could not be read. */
  isStandIn?: boolean;
}

/** Which of the instruction files in a project are read. */
export type ProjectInstructions = "claude-md" | "claude-md-or-agents-md" | "claude-md-and-agents-md" | "managed-only";

/** A command of settings that prints something for the terminal. */
export interface CommandSettings {
  type: "command";
  command: string;
}

/** One whose output stands at its prompt. */
export interface StatusLineSettings extends CommandSettings {
  /** Columns in front of each line. */
  padding?: number;
  /** Seconds after which it is run again, whatever happens. */
  refreshInterval?: number;
  /** Taken, and without an effect: there is none. */
  hideVimModeIndicator?: boolean;
}

/** Of the work trees that git makes for sessions and agents. */
export interface WorktreeSettings {
  /** Folders, from the top of the repository, that are links to the project's where the commit has none. */
  symlinkDirectories?: string[];
}

/** The keys whose value is one thing, which the highest file that has it decides. */
export interface PlainSettings {
  model?: string;
  fallbackModel?: string[];
  effortLevel?: Effort;
  maxEffortLevel?: Effort;
  /** False: it does not think unless a flag or a variable says so. Default: true. */
  alwaysThinkingEnabled?: boolean;
  /** The kind of agent that leads a new session. */
  agent?: string;
  /** That answers are given in. Default: that of the prompt. */
  language?: string;
  enforceAvailableModels?: boolean;
  disableBundledSkills?: boolean;
  disableCommandPluginSources?: boolean;
  /** A command whose output is the API key; from the user's own files and flags only. */
  apiKeyHelper?: string;
  /** The same for the headers of telemetry: a JSON object of texts. */
  otelHeadersHelper?: string;
  promptCacheTtl?: "5m" | "1h";
  /** Of agents' conversations. Default: the same. */
  subagentPromptCacheTtl?: "5m" | "1h";
  /** Days a transcript is kept. */
  cleanupPeriodDays: number;
  autoCompactEnabled: boolean;
  /** Tokens. */
  autoCompactWindow?: number;
  /** Default: true, as with the next two. */
  microcompactEnabled?: boolean;
  snipEnabled?: boolean;
  contextCollapseEnabled?: boolean;
  /** Of the context window. Default: 70. */
  contextCollapsePercent?: number;
  /** Characters of a successful command's output that the model gets inline. */
  bashOutputMaxChars?: number;
  /** Files are kept before they are changed. Default: true; what commands change, as the option of the session says. */
  fileCheckpointingEnabled?: boolean;
  includeGitInstructions: boolean;
  /** How long a question of the model waits for an answer. Default: `never` does it go on without. */
  askUserQuestionTimeout?: "60s" | "5m" | "10m" | "never";
  /** Notes about the project are kept from one session to the next. Default: false. */
  autoMemoryEnabled?: boolean;
  /** They are merged and pruned now and then. Default: false. */
  autoDreamEnabled?: boolean;
  respectGitignore: boolean;
  worktree?: WorktreeSettings;
  /** Where plans are kept. As it stands there. */
  plansDirectory?: string;
  /** The name of the style that answers are given in. */
  outputStyle?: string;
  /** The terminal is read aloud: lines with labels, nothing drawn or taken back. Default: false. */
  axScreenReader?: boolean;
  /** The keys at the prompt. Default: `normal`. */
  editorMode?: "normal" | "vim";
  /** Keys that end Vim's insert mode. */
  vimInsertModeRemaps?: Record<string, "<Esc>">;
  /** Characters of a skill's description that are listed. Default: 1,536. */
  skillListingMaxDescChars?: number;
  /** Share of the context window that the list of skills may take. Default: 0.01. */
  skillListingBudgetFraction?: number;
  /** Shell lines in skills and commands are not run. */
  disableSkillShellExecution?: boolean;
  /** Names, ids or beginnings of ids; where there is a list, no other model can be had. */
  availableModels?: string[];
  /** Whether a beginning is enough. Default: `prefix`. */
  availableModelsMatch?: "prefix" | "exact";
  /** Never to be had, whatever allows them. */
  deniedModels?: string[];
  /** No hook of settings runs but an administrator's. */
  disableAllHooks?: boolean;
  /** Absent also where hooks are switched off, and no administrator's file has one. */
  statusLine?: StatusLineSettings;
  /** The same: one that names files for what is begun behind an `@`. */
  fileSuggestion?: CommandSettings;
  /** An administrator's instructions, as text. */
  claudeMd?: string;
  /** An administrator's word, as the next: no other file's hooks, or allow rules, count. */
  allowManagedHooksOnly?: boolean;
  allowManagedPermissionRulesOnly?: boolean;
  allowManagedMcpServersOnly?: boolean;
  /** Patterns with `*` of the addresses hooks may call; undefined: all. */
  allowedHttpHookUrls?: string[];
  /** Variables that may go into hooks' headers at all. */
  httpHookAllowedEnvVars?: string[];
}

/** The `hooks` of one file, as they stand there: the hook room reads them. */
export interface SettingsHooks {
  value: unknown;
  origin: SettingsOrigin;
  source: string;
}

export interface Settings extends PlainSettings {
  env: Record<string, string>;
  permissions: Record<RuleList, SettingsRule[]> & {
    defaultMode?: PermissionMode;
    /** The file that rules out `bypassPermissions`. */
    bypassDisabledBy?: string;
    /** The file that rules out `auto`. */
    autoDisabledBy?: string;
    /** What would be asked is refused. */
    deniesInsteadOfAsking?: boolean;
    /** The file that closes off reading, or writing, outside of the working directories. */
    blockReadsOutsideWorkingDirectories?: string;
    blockWritesOutsideWorkingDirectories?: string;
    /** Absolute: what may be read there all the same. */
    blockReadsExemptPaths: string[];
    /** Absolute. */
    additionalDirectories: string[];
  };
  /** Undefined where no file says anything of it. */
  sandbox?: SandboxSettings;
  /** `models` and `aliases` of the catalogue, as `model/catalog-overrides.ts` reads them. */
  catalog: Record<string, unknown>;
  projectInstructions: ProjectInstructions;
  knowledge: KnowledgeSettings;
  /** Lowest first. */
  hooks: SettingsHooks[];
  /** Of each file, or flag, that counts, by its name. */
  origins: Record<string, SettingsOrigin>;
  mcp: SettingsMcp;
}

export function defaultSettings(): Settings {
  return {
    env: Object.create(null) as Record<string, string>,
    permissions: { allow: [], deny: [], ask: [], additionalDirectories: [], blockReadsExemptPaths: [] },
    catalog: {},
    cleanupPeriodDays: 30,
    autoCompactEnabled: true,
    includeGitInstructions: true,
    respectGitignore: true,
    projectInstructions: "claude-md-or-agents-md",
    knowledge: noKnowledge(),
    hooks: [],
    origins: Object.create(null) as Record<string, SettingsOrigin>,
    mcp: { sources: [], disabled: [], allowed: [], denied: [] },
  };
}
