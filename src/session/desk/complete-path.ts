/** A path that somebody has begun to write. */
import { resolve } from "node:path";
import { folderEntries } from "../../tools/search/folder-entries.ts";
import type { Joined } from "../joined.ts";
import { suggestFiles } from "./desk-files.ts";

const lookMs = 1_000;
/** Names that cannot be written in a prompt: control characters, and bytes that are no text. */
const unwritable = /[\p{Cc}\ufffd"]/u;
/** Out of the folder that is searched. */
const elsewhere = /^(?:\/|~\/|\.\.(?:\/|$))/u;

/**
 * What its folder holds under that name's beginning, in the alphabet's order; else files below that `suggestFiles` finds by it. A folder
 * ends in a slash; hidden ones are meant by a dot alone.
 */
export async function completePath(
  rooms: Pick<Joined, "tools">,
  written: string,
  signal: AbortSignal,
): Promise<string[]> {
  const { shared, cwd } = rooms.tools;
  const at = written.lastIndexOf("/") + 1;
  const folder = written.slice(0, at);
  const begun = written.slice(at);
  if (begun === "..") return [`${written}/`];
  const directory = resolve(
    cwd.get(),
    folder.replace(/^~(?=\/)/u, () => shared.home),
  );
  const end = shared.clock.elapsed() + lookMs;
  const wanted = begun.toLowerCase();
  const names = await folderEntries({
    directory,
    isWanted: (name) =>
      name.toLowerCase().startsWith(wanted) &&
      (begun.startsWith(".") || !name.startsWith(".")) &&
      !unwritable.test(name) &&
      shared.mayShow?.(resolve(directory, name)) !== false,
    signal,
    isOver: () => shared.clock.elapsed() > end,
  });
  const exact = names.filter((name) => name.startsWith(begun));
  const found = (exact.length > 0 ? exact : names).toSorted();
  if (found.length > 0 || begun === "" || elsewhere.test(written)) return found.map((name) => folder + name);
  const suggested = await suggestFiles(rooms, written.replace(/^(?:\.\/+)+/u, ""), signal);
  return suggested.filter((path) => !unwritable.test(path));
}
