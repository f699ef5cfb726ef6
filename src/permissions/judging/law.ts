/** What calls are judged by: the mode, the rules, the folders, and how the disk is looked at. */
import type { PermissionMode } from "../../protocol/permission.ts";
import type { Confinement } from "../../protocol/sandbox.ts";
import type { LinkedPlace } from "../paths/linked-places.ts";
import type { PathReader } from "../paths/path-forms.ts";
import type { PathSubject } from "../paths/path-subject.ts";
import type { Rule } from "../rules/rule.ts";
import type { ShellLimits } from "../shell/shell-limits.ts";
import type { SteeringPlaces } from "../paths/steering-files.ts";
import type { WorkingFolders } from "../paths/working-folders.ts";

/** What settings close off outside of the working directories. */
export interface OutsideBlocks {
  /** The file that says so. */
  reads?: string | undefined;
  writes?: string | undefined;
  /** Absolute: what may be read all the same. */
  exempt: readonly string[];
}

export interface Law {
  mode: PermissionMode;
  allow: readonly Rule[];
  deny: readonly Rule[];
  ask: readonly Rule[];
  folders: WorkingFolders;
  /** What is closed off outside of them. */
  outside: OutsideBlocks | undefined;
  home: string;
  reader: PathReader;
  /** How the command of the call would run; undefined where there is no sandbox, or no command. */
  confinement: Confinement | undefined;
  /** Why only a person may allow this tool; `source` is that of the rule that would, null where none was looked for. Default: nothing. */
  toolConcern: (tool: string, source: string | null) => string | undefined;
  /** Whether each call of it is a person's or a host's to answer. Default: none is. */
  needsPerson: (tool: string) => boolean;
  /** Whether an input of such a tool holds an answer. Default: any does. */
  isAnswered: (tool: string, input: Record<string, unknown>) => boolean;
  /** Where links in the user's own folders lead. Asked once, with the first write. Default: there are none. */
  linked: () => readonly LinkedPlace[];
  /** Single files that the session takes its orders from, or starts by itself. */
  steering: () => SteeringPlaces;
  /** Why git should not run in a folder unasked; undefined where nothing speaks against it. Default: what the repository's own files say. */
  gitDoubt: (folder: string) => string | undefined;
  /** What the repository brings along under a program's name, and a command in a folder would run. Absolute. Default: nothing. */
  brought: (program: string, folder: string) => string | undefined;
  /** Folders of the repository in which a command in a folder looks for programs. Absolute. Default: there are none. */
  searched: (folder: string) => readonly string[];
  /** Of the shell that runs commands. Default: it has none. */
  limits: ShellLimits;
}

/** What a command's parts are judged by. */
export interface CommandLaw extends Law {
  /** Whether a file may be read or written as a tool's would be. */
  mayTouch: (path: PathSubject) => boolean;
}
