/** Completes a path that somebody has begun to type. */
import { resolve } from "node:path";
import { spelledAs } from "../../lib/disk-look.ts";
import { foldCase } from "../../lib/path-pattern.ts";
import { folderEntries } from "../../tools/search/folder-entries.ts";
import type { Joined } from "../joined.ts";
import { isBare } from "../options/variables.ts";
import { suggestFiles } from "./desk-files.ts";

const lookMs = 1_000;
/** By convention. */
const mostNamed = 15;
/** Names that cannot be typed in a prompt: control characters, and bytes that are not text. */
const unwritable = /[\p{Cc}\ufffd"]/u;
const oneSpelling = /^[ -~]*$/u;
/** Outside the folder that is searched. */
const elsewhere = /^(?:\/|~\/|\.\.(?:\/|$))/u;

/**
 * The paths that the `fileSuggestion` command names. Without any: entries of the folder that begin with the last part of the
 * path, in alphabetical order; else files that `suggestFiles` finds. A folder ends in a slash; hidden entries need a leading
 * dot.
 */
export async function completePath(joined: Joined, written: string, signal: AbortSignal): Promise<string[]> {
  const { shared, cwd } = joined.tools;
  const told = await namedByCommand(joined, written, signal);
  if (told.length > 0) return told;
  const at = written.lastIndexOf("/") + 1;
  const folder = written.slice(0, at);
  const begun = written.slice(at);
  if (begun === "..") return [`${written}/`];
  const named = resolve(
    cwd.get(),
    folder.replace(/^~(?=\/)/u, () => shared.home),
  );
  // Looking up the spelling blocks everything else, forever if the disk does not answer: skipped if there is only one spelling.
  const directory = oneSpelling.test(named) ? named : (spelledAs(named) ?? named);
  const end = shared.clock.elapsed() + lookMs;
  const wanted = foldCase(begun);
  const names = await folderEntries({
    directory,
    isWanted: (name) =>
      foldCase(name).startsWith(wanted) &&
      (begun.startsWith(".") || !name.startsWith(".")) &&
      !unwritable.test(name) &&
      shared.mayShow?.(resolve(directory, name)) !== false,
    signal,
    isOver: () => shared.clock.elapsed() > end,
  });
  const exact = names.filter((name) => name.startsWith(begun));
  const found = (exact.length > 0 ? exact : names).toSorted();
  if (found.length > 0 || begun === "" || elsewhere.test(written)) return found.map((name) => folder + name);
  const suggested = await suggestFiles(joined, written.replace(/^(?:\.\/+)+/u, ""), signal);
  return suggested.filter((path) => !unwritable.test(path));
}

/** What the user's own command names, in its order. */
async function namedByCommand(joined: Joined, query: string, signal: AbortSignal): Promise<string[]> {
  const { around, store, tools } = joined;
  const { fileSuggestion } = around.settings;
  if (fileSuggestion === undefined || isBare(around.env)) return [];
  const { SettingsCommands } = await import("./settings-commands.ts");
  const commands = (joined.commands ??= new SettingsCommands(joined));
  const cwd = tools.cwd.get();
  const input = { session_id: store.sessionId, transcript_path: store.transcript?.path ?? "", cwd, query };
  const printed = await commands.run({ name: "fileSuggestion", command: fileSuggestion.command, input }, signal);
  const paths = printed.split("\n").map((line) => line.replace(/\r$/u, "").replace(/^(?:\.\/)+/u, ""));
  const isFit = (path: string): boolean =>
    path.trim() !== "" && !unwritable.test(path) && tools.shared.mayShow?.(resolve(cwd, path)) !== false;
  return [...new Set(paths)].filter(isFit).slice(0, mostNamed);
}
