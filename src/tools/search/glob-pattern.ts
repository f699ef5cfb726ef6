/** Splits a glob into the folder it starts from, which may be outside the working directory, and the pattern below it. */
import { join } from "node:path";

export interface GlobPlan {
  /** Where the search starts: the pattern's fixed leading folders, joined to `path` unless they are absolute or start with `~`. */
  base: string;
  /** Relative to the base. */
  pattern: string;
  /** The pattern has no slash: it matches names at any depth. */
  isName: boolean;
}

const globCharacters = /[*?[\]{}!\\()]/;

export function planGlob(pattern: string, path: string | undefined): GlobPlan {
  const clean = pattern.replace(/^(?:\.\/)+/, "");
  const segments = clean.split("/");
  let fixed = 0;
  while (fixed < segments.length - 1 && !globCharacters.test(segments[fixed] ?? "")) fixed += 1;
  const prefix = segments.slice(0, fixed).join("/");
  const isAbsolute = clean.startsWith("/");
  const rest = segments.slice(fixed).join("/");
  if (isAbsolute) return { base: prefix === "" ? "/" : prefix, pattern: rest, isName: false };
  if (prefix === "~" || prefix.startsWith("~/")) return { base: prefix, pattern: rest, isName: false };
  return { base: join(path ?? ".", prefix), pattern: rest, isName: segments.length === 1 };
}
