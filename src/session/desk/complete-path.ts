/** Completes a path that somebody has begun to type. */
import { resolve } from "node:path";
import { spellingOnDisk } from "../../lib/path-status.ts";
import { foldCase } from "../../lib/path-pattern.ts";
import { folderEntries } from "../../tools/search/folder-entries.ts";
import type { Joined } from "../joined.ts";
import { isBareSession } from "../options/variables.ts";
import { findFiles } from "./desk-files.ts";

const searchLimitMs = 1_000;
/** By convention. */
const maxCommandPaths = 15;
/** Names that cannot be typed in a prompt: control characters, and bytes that are not text. */
const untypeablePattern = /[\p{Cc}\ufffd"]/u;
const asciiPattern = /^[ -~]*$/u;
/** Outside the folder that is searched. */
const outsidePattern = /^(?:\/|~\/|\.\.(?:\/|$))/u;

/**
 * The paths that the `fileSuggestion` command names. Without any: entries of the folder that begin with the last part of the
 * path, in alphabetical order; else files below that `findFiles` finds. A folder ends in a slash; hidden entries need a leading
 * dot.
 */
export async function completePath(joined: Joined, typed: string, signal: AbortSignal): Promise<string[]> {
  const { shared, cwd } = joined.tools;
  const fromCommand = await suggestByCommand(joined, typed, signal);
  if (fromCommand.length > 0) return fromCommand;
  const at = typed.lastIndexOf("/") + 1;
  const folder = typed.slice(0, at);
  const prefix = typed.slice(at);
  if (prefix === "..") return [`${typed}/`];
  const absolutePath = resolve(
    cwd.get(),
    folder.replace(/^~(?=\/)/u, () => shared.home),
  );
  // Looking up the spelling blocks everything else, forever if the disk does not answer: skipped if there is only one spelling.
  const directory = asciiPattern.test(absolutePath) ? absolutePath : (spellingOnDisk(absolutePath) ?? absolutePath);
  const end = shared.clock.elapsed() + searchLimitMs;
  const wanted = foldCase(prefix);
  const names = await folderEntries({
    directory,
    isWanted: (name) =>
      foldCase(name).startsWith(wanted) &&
      (prefix.startsWith(".") || !name.startsWith(".")) &&
      !untypeablePattern.test(name) &&
      shared.mayShow?.(resolve(directory, name)) !== false,
    signal,
    isOver: () => shared.clock.elapsed() > end,
  });
  const exact = names.filter((name) => name.startsWith(prefix));
  const found = (exact.length > 0 ? exact : names).toSorted();
  if (found.length > 0 || prefix === "" || outsidePattern.test(typed)) return found.map((name) => folder + name);
  const suggested = await findFiles(joined, typed.replace(/^(?:\.\/+)+/u, ""), signal);
  return suggested.filter((path) => !untypeablePattern.test(path));
}

/** What the user's own command names, in its order. */
async function suggestByCommand(joined: Joined, query: string, signal: AbortSignal): Promise<string[]> {
  const { around, store, tools } = joined;
  const { fileSuggestion } = around.settings;
  if (fileSuggestion === undefined || isBareSession(around.env)) return [];
  const { SettingsCommands } = await import("./settings-commands.ts");
  const commands = (joined.commands ??= new SettingsCommands(joined));
  const cwd = tools.cwd.get();
  const input = { session_id: store.sessionId, transcript_path: store.transcript?.path ?? "", cwd, query };
  const printed = await commands.run({ name: "fileSuggestion", command: fileSuggestion.command, input }, signal);
  const paths = printed.split("\n").map((line) => line.replace(/\r$/u, "").replace(/^(?:\.\/)+/u, ""));
  const isFit = (path: string): boolean =>
    path.trim() !== "" && !untypeablePattern.test(path) && tools.shared.mayShow?.(resolve(cwd, path)) !== false;
  return [...new Set(paths)].filter(isFit).slice(0, maxCommandPaths);
}
