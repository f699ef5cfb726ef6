/** When Grep finds nothing: hints for the model about what in the call may be the reason. */
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { isWithin } from "../../lib/is-within.ts";
import { quoteName } from "../../lib/quote-name.ts";
import type { ToolDependencies } from "../dependencies.ts";
import type { GrepQuery } from "./grep-query.ts";

/** Does not hint at paths that a rule forbids reading, since that would reveal that they exist. */
export async function noMatchHints(
  { pattern, glob, multiline }: GrepQuery,
  directory: string,
  { mayShow = () => true }: Pick<ToolDependencies, "mayShow">,
): Promise<string[]> {
  const hints: string[] = [];
  // `\|` means "or" in grep without -E. An escaped backslash before it is a literal backslash.
  if (/(?:^|[^\\])(?:\\\\)*\\\|/.test(pattern))
    hints.push(String.raw`[\| is the character | itself: alternatives are written a|b.]`);
  // ripgrep refuses such a pattern. In a set, `\n` may only exclude line ends.
  if (!multiline && /(?:^|[^\\])(?:\\\\)*\\n/.test(pattern.replaceAll(/\[(?:\\.|[^\]])*\]/gs, "")))
    hints.push("[The pattern spans lines: set multiline to true.]");
  if (glob === undefined) return hints;
  if (/[,\s]/.test(glob.replace(/\{[^}]*\}/g, "")))
    hints.push("[glob takes one pattern: for several use braces, such as *.{ts,tsx}.]");
  const path = resolve(directory, glob);
  const isFolder =
    isWithin(path, directory) &&
    mayShow(path) &&
    (await stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    ));
  if (isFolder) hints.push(`[${quoteName(glob)} is a folder: give it as path.]`);
  else if (/^(?![!/*]|\.{1,2}\/).+\/./su.test(glob)) {
    const name = quoteName(glob);
    hints.push(`[${name} is matched from the searched folder: **/${name} matches it at any depth.]`);
  }
  return hints;
}

/** The hint for a missing path that looks like several paths or like a pattern. */
export function missingPathHint(path: string): string {
  return /[*?{},\s]/.test(path) ? " path takes one file or folder; a pattern for their names goes into glob." : "";
}
