/** What calls are judged by: the mode, the rules, the folders, and how the disk is read. */
import type { PermissionMode } from "../../protocol/permission.ts";
import type { Confinement } from "../../protocol/sandbox.ts";
import type { LinkedPlace } from "../paths/linked-places.ts";
import type { PathReader } from "../paths/path-forms.ts";
import type { PathSubject } from "../paths/path-subject.ts";
import type { Rule } from "../rules/rule.ts";
import type { ShellLimits } from "../shell/shell-limits.ts";
import type { SteeringPlaces } from "../paths/steering-files.ts";
import type { WorkingFolders } from "../paths/working-folders.ts";

/** What settings block outside the working directories. */
export interface OutsideBlocks {
  /** The settings file that blocks reading. */
  reads?: string | undefined;
  writes?: string | undefined;
  /** Absolute paths that may be read all the same. */
  exempt: readonly string[];
}

export interface Law {
  mode: PermissionMode;
  allow: readonly Rule[];
  deny: readonly Rule[];
  ask: readonly Rule[];
  folders: WorkingFolders;
  /** What settings block outside the working directories. */
  outside: OutsideBlocks | undefined;
  home: string;
  reader: PathReader;
  /** How the call's command would be confined; undefined if there is no sandbox, or no command. */
  confinement: Confinement | undefined;
  /** Why only a person may allow this tool. `source`: of the rule that would allow it, null if none was sought. Default: no reason. */
  toolConcern: (tool: string, source: string | null) => string | undefined;
  /** Whether each call of the tool is for a person or host to answer. Default: none is. */
  needsPerson: (tool: string) => boolean;
  /** Whether an input of such a tool holds an answer. Default: every input does. */
  isAnswered: (tool: string, input: Record<string, unknown>) => boolean;
  /** Where links in the user's own folders lead. Looked up once, at the first write. Default: no links. */
  linked: () => readonly LinkedPlace[];
  /** Single files that the session takes instructions from, or starts by itself. */
  steering: () => SteeringPlaces;
  /** Why git should not run in a folder without a question, or undefined if it may. Default: judges by the repository's own files. */
  gitDoubt: (folder: string) => string | undefined;
  /** The file of the repository (absolute) that a command in a folder would run under a program's name. Default: none. */
  repositoryProgram: (program: string, folder: string) => string | undefined;
  /** Folders of the repository (absolute) in which a command in a folder looks for programs. Default: none. */
  programFolders: (folder: string) => readonly string[];
  /** The limits of the shell that runs commands. Default: none. */
  limits: ShellLimits;
}

/** What the parts of a command are judged by. */
export interface CommandLaw extends Law {
  /** Whether a tool would be allowed to read or write the file. */
  mayTouch: (path: PathSubject) => boolean;
}
