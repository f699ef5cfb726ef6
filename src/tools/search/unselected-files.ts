/** Tells ripgrep, in an ignore file, which files a glob cannot select, so that it does not read them. */
import { randomBytes } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Runs a search with the option that leaves such files out; without one if the glob may select any file, or if the ignore file cannot be
 * written. `folder`: where the file is written while the search runs; absolute. What is left out is less than what the glob excludes: an
 * ignore file named by an option yields to each `.gitignore`.
 */
export async function leavingOutUnselected<Found>(
  glob: string,
  folder: string,
  search: (options: readonly string[]) => Promise<Found>,
): Promise<Found> {
  const lines = unselectedLines(glob);
  if (lines === undefined) return await search([]);
  const name = `pawl-${randomBytes(8).toString("hex")}.ignore`;
  const path = join(folder, name);
  // The last line is for a search of the folder that the file itself is in.
  const isWritten = await writeFile(path, `${[...lines, name].join("\n")}\n`, { flag: "wx", mode: 0o600 }).then(
    () => true,
    () => false,
  );
  try {
    return await search(isWritten ? [`--ignore-file=${path}`] : []);
  } finally {
    await rm(path, { force: true }).catch(() => undefined);
  }
}

/** Undefined if the glob, or its beginning that can be used, selects any file. */
function unselectedLines(glob: string): string[] | undefined {
  // The part of a path that a line of an ignore file and the glob's own matcher read alike.
  const plainSegment = /^(?!\.{1,2}$)(?:\*\*|(?!.*\*\*)[\p{L}\p{N}_ .@*-]+)$/u;
  const segments = glob.replace(/^\//, "").split("/");
  const firstOther = segments.findIndex((segment) => !plainSegment.test(segment));
  const usable = firstOther === -1 ? segments : [...segments.slice(0, firstOther), "**"];
  const path = `/${usable.join("/")}`;
  // In an ignore file, `a/**` does not stand for `a` itself.
  const top = path.replace(/(?:\/\*\*)+$/, "");
  // Without a slash, it stands for files in any folder.
  if (segments.length === 1 || /^(?:\/\*\*)*(?:\/\*)?$/.test(path)) return undefined;
  return ["*", "!*/", `!${path}`, ...(top === path ? [] : [`!${top}`])].map((line) => line.replace(/\s$/, "[$&]"));
}
