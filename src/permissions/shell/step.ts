/** A command line as the parser hands it on: the simple commands it runs, word by word. */

/**
 * `literal`: the program gets exactly `text`. `home`: the same, with a leading `~`. `glob`: what the pattern finds. `data`: one
 * word of unknown content, such as `"$NAME"` or `"$(command)"`. `stream`: a process substitution. `unknown`: anything.
 */
export interface ShellWord {
  text: string;
  /** As it is written. */
  source: string;
  kind: "literal" | "home" | "glob" | "data" | "stream" | "unknown";
  /** The variables a `data` word shows. */
  names: readonly string[];
  /** Of an `unknown` word: the variables it shows, where nothing else of it is open, such as `$NAME`. */
  shows?: readonly string[] | undefined;
  /** Of a `glob`: it stands for one of the names that the pattern finds. */
  isOne?: boolean;
  /** Braces spell it. */
  isSpelled?: true;
}

export interface ShellRedirect {
  access: "read" | "write";
  target: ShellWord;
}

/** One simple command, in the order in which they are written. */
export interface ShellStep {
  words: ShellWord[];
  assignments: { name: string; value: ShellWord }[];
  redirects: ShellRedirect[];
  /** Its input is what another command puts out. */
  isFed: boolean;
  /** That other command, where it is a single one. */
  fedBy?: ShellStep;
  /** It may run again, after what is written behind it. */
  isLooped: boolean;
  /** The variables of the loops around it, each with the words that it goes through. */
  looped?: ReadonlyMap<string, readonly ShellWord[]>;
  /** It runs only after the one before it, and only where that succeeded, in the same shell. */
  followsSurely?: boolean;
}

export interface ShellScript {
  steps: ShellStep[];
  /** Why the line is not understood; undefined where every part of it is. */
  problem?: string;
  /** Parts of it stand in parentheses or braces. */
  isGrouped?: boolean;
}

/** Which word the program gets can be told. */
export function isFixed({ kind }: Pick<ShellWord, "kind">): boolean {
  return kind === "literal" || kind === "home";
}

/** As rules are held against it: a word that holds blanks or the like keeps its quotes. */
export function partOf({ text, source, kind }: ShellWord): string {
  return kind === "literal" && /^[^\s'"*?[\]{}~]+$/u.test(text) ? text : source;
}

/** A quoted tilde is a plain character; one after `=` or `:` may or may not be. */
export function withTilde(kind: ShellWord["kind"], text: string): ShellWord["kind"] {
  if (text.startsWith("~")) return kind === "literal" && /^~(?:\/[^~]*)?$/u.test(text) ? "home" : "unknown";
  return /[=:]~/u.test(text) && kind !== "data" ? "unknown" : kind;
}
