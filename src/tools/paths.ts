/** Paths as the model gives them, and as it is shown them. */
import { join, resolve, sep } from "node:path";
import { quoteName } from "../lib/quote-name.ts";
import { oneLine, reveal } from "../lib/sanitize.ts";
import type { InputVerdict } from "../protocol/tool.ts";
import type { Cwd } from "./cwd.ts";

/** Absolute and normalised: `~` is the home folder, anything relative starts from `cwd`. Links are not followed. */
export function resolvePath(path: string, cwd: string, home: string): string {
  if (path === "~") return home;
  if (path.startsWith("~/")) return join(home, path.slice(2));
  const resolved = resolve(cwd, path);
  // Mostly it was normal as it was given: a session that reads much holds each path once.
  return resolved === path ? path : resolved;
}

/** What makes a string no path: C code would cut it at a NUL, and the check and the use would see different files. */
export function checkPath(path: unknown, field: string): InputVerdict {
  if (typeof path !== "string" || path === "") return { ok: false, message: `${field} is empty.` };
  if (path.includes("\0")) return { ok: false, message: `${field} contains a NUL byte, which no file name can.` };
  return { ok: true };
}

/** What makes a string no text of a file: half of a surrogate pair would be written as another character, or be found in the middle of one. */
export function checkText(text: unknown, field: string): InputVerdict {
  if (typeof text !== "string" || text.isWellFormed()) return { ok: true };
  return {
    ok: false,
    message: `${field} holds half of a surrogate pair, which no file can: give the whole character.`,
  };
}

/** As short as it stays clear: relative inside the working directory, and quoted where it holds odd characters. Both absolute and resolved. */
export function showPath(path: string, cwd: string): string {
  const above = cwd.endsWith(sep) ? cwd : cwd + sep;
  return quoteName(path !== cwd && path.startsWith(above) ? path.slice(above.length) : path);
}

/** Of a new file, where a name that was meant from another folder shows. */
export function showNewPath(path: string, cwd: Cwd): string {
  return cwd.isStart() ? showPath(path, cwd.get()) : quoteName(path);
}

/** One line for people, with controls spelled out. */
export function describeCall(name: string, detail: unknown): string {
  return typeof detail === "string" && detail !== "" ? `${name} ${oneLine(reveal(detail), 160)}` : name;
}
