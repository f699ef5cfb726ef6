/** What a skill or command is, wherever it was found. */
import type { Effort } from "../protocol/model.ts";
import type { KnowledgeSource } from "../protocol/knowledge.ts";

export interface PluginFolders {
  /** The plugin's folder. Absolute. */
  root: string;
  /** The plugin's data folder; it may not exist yet. Absolute. */
  data: string;
}

export interface Skill {
  kind: "skill" | "command";
  /** The name, also used after a slash; `plugin:name` for plugins, `folder:name` for commands in subfolders. */
  name: string;
  /** For the model and for lists; empty if nothing describes its purpose. */
  description: string;
  whenToUse?: string;
  argumentHint?: string;
  /** Names of its arguments, in order. */
  arguments: readonly string[];
  /** Rules that allow tools while the skill is used; empty if it is not trusted. */
  allowedTools: readonly string[];
  disallowedTools: readonly string[];
  /** Applies for the rest of the user turn. */
  model?: string;
  effort?: Effort;
  /** If present, an agent runs the skill, of this type if given. */
  fork?: { agent?: string; background?: boolean };
  /** Globs: the skill is offered once a matching file was read. Absent: from the start. */
  paths?: readonly string[];
  /** In settings format: active from the moment the skill is started. Absent if it is not trusted. */
  hooks?: unknown;
  /** False: only a person can start it. */
  isModelInvocable: boolean;
  /** False: only the model can start it. */
  isUserInvocable: boolean;
  /** Whether its shell lines are run, subject to permission rules; otherwise they are left out. */
  runsCommands: boolean;
  source: KnowledgeSource;
  /** Absolute. */
  path: string;
  /** The folder of its own files. Absolute. */
  folder: string;
  plugin?: PluginFolders;
  /** A digest of the text as found: permissions apply to that text only. */
  digest: string;
  /** Fields that require trust and were left out. */
  withheld: readonly string[];
}
