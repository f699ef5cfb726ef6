/** A resolved path that a call reads or writes. */
import type { PathForms } from "./path-forms.ts";

export interface PathSubject {
  kind: "path";
  access: "read" | "write";
  path: string;
  forms: PathForms;
  /** The path is a folder that the program may read as a whole. */
  isWhole?: true;
  /** One of several meanings of a word, and not the likely one. */
  isPresumed?: boolean;
  /** A word that the program does not take as a path, or that names nothing and need not be a path. Rules for files do not apply to it. */
  isNonFile?: boolean;
}
