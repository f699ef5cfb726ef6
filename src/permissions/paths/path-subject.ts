/** One path that a call reads or writes, resolved. */
import type { PathForms } from "./path-forms.ts";

export interface PathSubject {
  kind: "path";
  access: "read" | "write";
  path: string;
  forms: PathForms;
  /** A folder whose program may go through all of it. */
  isWhole?: true;
  /** One of several that a word may mean, and not the likely one. */
  isPresumed?: boolean;
  /** A word that its program takes for none, or that names nothing and need not be one: rules for files do not mean it. */
  isSpoken?: boolean;
}
