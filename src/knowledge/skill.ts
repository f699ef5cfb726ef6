/** What a skill or command is, however it is found. */
import type { Effort } from "../protocol/model.ts";
import type { KnowledgeSource } from "../protocol/knowledge.ts";

export interface PluginFolders {
  /** Where it lies. Absolute. */
  root: string;
  /** What it keeps for itself; it may not be there yet. Absolute. */
  data: string;
}

export interface Skill {
  kind: "skill" | "command";
  /** What it is called by, after a slash too; of a plugin `plugin:name`, in folders of commands `folder:name`. */
  name: string;
  /** For the model and for lists; empty where nothing says what it is for. */
  description: string;
  whenToUse?: string;
  argumentHint?: string;
  /** Names of its arguments, in order. */
  arguments: readonly string[];
  /** Rules that hold while it is used; empty where it is not trusted. */
  allowedTools: readonly string[];
  disallowedTools: readonly string[];
  /** For the rest of the user turn. */
  model?: string;
  effort?: Effort;
  /** Present: an agent does it, of this kind where it says one. */
  fork?: { agent?: string; background?: boolean };
  /** Globs: it is offered once a file they name was read. Absent: from the start. */
  paths?: readonly string[];
  /** In the shape of settings: they run from when it is begun. Absent where it is not trusted. */
  hooks?: unknown;
  /** False: only a person begins it. */
  isModelInvocable: boolean;
  /** False: only the model does. */
  isUserInvocable: boolean;
  /** Its shell lines are run, through the permission rules; else they are left out. */
  runsCommands: boolean;
  source: KnowledgeSource;
  /** Absolute. */
  path: string;
  /** What its own files lie in. Absolute. */
  folder: string;
  plugin?: PluginFolders;
  /** Of the text when it was found: rights are for that text alone. */
  digest: string;
  /** Fields it had that take trust, and were left out. */
  withheld: readonly string[];
}
