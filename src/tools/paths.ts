/** Paths as the model gives them, and as they are shown to the model. */
import { join, resolve, sep } from "node:path";
import { quoteName } from "../lib/quote-name.ts";
import { oneLine, reveal } from "../lib/sanitize.ts";
import type { InputVerdict } from "../protocol/tool.ts";
import type { Cwd } from "./cwd.ts";

/** Returns an absolute, normalised path: `~` is the home folder, and a relative path starts from `cwd`. Links are not followed. */
export function resolvePath(path: string, cwd: string, home: string): string {
  if (path === "~") return home;
  if (path.startsWith("~/")) return join(home, path.slice(2));
  const resolved = resolve(cwd, path);
  // Most paths are already normal; returning the same string keeps only one copy of it in memory.
  return resolved === path ? path : resolved;
}

/** Refuses strings that cannot be a path: C code would cut the path at a NUL, so the check and the use would see different files. */
export function checkPath(path: unknown, field: string): InputVerdict {
  if (typeof path !== "string" || path === "") return { ok: false, message: `${field} is empty.` };
  if (path.includes("\0"))
    return { ok: false, message: `${field} contains a NUL byte, which no file name can contain.` };
  return { ok: true };
}

/** Refuses strings that cannot be file text: half of a surrogate pair would be written as another character, or match inside one. */
export function checkText(text: unknown, field: string): InputVerdict {
  if (typeof text !== "string" || text.isWellFormed()) return { ok: true };
  return {
    ok: false,
    message: `${field} contains half of a surrogate pair, which no file can contain: give the whole character.`,
  };
}

/** The shortest clear form of a path: relative inside `cwd`, quoted if it has unusual characters. Both paths are absolute and resolved. */
export function showPath(path: string, cwd: string): string {
  const above = cwd.endsWith(sep) ? cwd : cwd + sep;
  return quoteName(path !== cwd && path.startsWith(above) ? path.slice(above.length) : path);
}

/** The name of a new file: absolute after commands left the session's folder, to reveal a path that was meant from another folder. */
export function showNewPath(path: string, cwd: Cwd): string {
  return cwd.isStart() ? showPath(path, cwd.get()) : quoteName(path);
}

/** One line for people, with control characters made visible. */
export function describeCall(name: string, detail: unknown): string {
  return typeof detail === "string" && detail !== "" ? `${name} ${oneLine(reveal(detail), 160)}` : name;
}
