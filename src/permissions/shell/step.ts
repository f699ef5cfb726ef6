/** A command line as the parser returns it: the simple commands it runs, word by word. */

/**
 * `literal`: the program gets exactly `text`. `home`: the same, with a leading `~`. `glob`: the names that the pattern matches. `data`: one
 * word of unknown content, such as `"$NAME"` or `"$(command)"`. `stream`: a process substitution. `unknown`: anything.
 */
export interface ShellWord {
  text: string;
  /** The word as written. */
  source: string;
  kind: "literal" | "home" | "glob" | "data" | "stream" | "unknown";
  /** The variables a `data` word shows. */
  names: readonly string[];
  /** For an `unknown` word: the variables it shows, if nothing else in it is open, such as `$NAME`. */
  shows?: readonly string[] | undefined;
  /** For a `glob`: it stands for a single one of the names it matches. */
  isOne?: boolean;
  /** The word was expanded from braces. */
  isFromBraces?: true;
}

export interface ShellRedirect {
  access: "read" | "write";
  target: ShellWord;
}

/** One simple command. Commands are in the order they are written. */
export interface ShellStep {
  words: ShellWord[];
  assignments: { name: string; value: ShellWord }[];
  redirects: ShellRedirect[];
  /** Its input is another command's output. */
  isFed: boolean;
  /** The command whose output it reads, if that is a single one. */
  fedBy?: ShellStep;
  /** It may run again, after commands written behind it. */
  isLooped: boolean;
  /** The variables of the enclosing loops, each with the words it goes through. */
  looped?: ReadonlyMap<string, readonly ShellWord[]>;
  /** It only runs after the previous command, if that succeeded, in the same shell. */
  followsSurely?: boolean;
}

export interface ShellScript {
  steps: ShellStep[];
  /** Why the line is not understood; undefined if all of it is. */
  problem?: string;
  /** Parts of the line are in parentheses or braces. */
  isGrouped?: boolean;
}

/** Whether the exact word that the program gets is known. */
export function isFixed({ kind }: Pick<ShellWord, "kind">): boolean {
  return kind === "literal" || kind === "home";
}

/** The word as it is matched against rules: if it contains blanks or the like, it keeps its quotes. */
export function textForMatching({ text, source, kind }: ShellWord): string {
  return kind === "literal" && /^[^\s'"*?[\]{}~]+$/u.test(text) ? text : source;
}

/** A quoted tilde is a plain character; one after `=` or `:` may or may not be. */
export function kindWithTilde(kind: ShellWord["kind"], text: string): ShellWord["kind"] {
  if (text.startsWith("~")) return kind === "literal" && /^~(?:\/[^~]*)?$/u.test(text) ? "home" : "unknown";
  return /[=:]~/u.test(text) && kind !== "data" ? "unknown" : kind;
}
