/** Matches names by a glob as ripgrep does, where ripgrep does not do it. */
import { withLiteralNames } from "./literal-names.ts";

const slash = 0x2f;

export interface GlobMatching {
  /** The glob has no slash: it matches names at any depth. */
  isName: boolean;
  includesHidden: boolean;
}

/** Returns whether a path, relative to the searched folder, matches the pattern. */
export async function createGlobMatch(
  pattern: string,
  { isName, includesHidden }: GlobMatching,
): Promise<(path: Buffer) => boolean> {
  if (pattern === "") return () => false;
  const { default: picomatch } = await import("picomatch");
  const isMatch = picomatch(withLiteralNames(pattern), {
    dot: includesHidden,
    basename: isName,
    nonegate: true,
    // Else `!` in `[!a]` is one of the characters.
    posix: true,
    // A name may contain a line feed.
    flags: "s",
  });
  return (path) => isMatch(path.toString());
}

/** Returns whether a path, relative to the searched folder, is one that the `glob` of a Grep call selects. */
export async function createGlobFilter(glob: string): Promise<(path: Buffer) => boolean> {
  const isNegative = glob.startsWith("!");
  const isFolder = isNegative && glob.endsWith("/");
  const pattern = glob.slice(isNegative ? 1 : 0, isFolder ? -1 : undefined);
  const isName = !pattern.includes("/");
  // A slash at the beginning stands for the searched folder.
  const isMatch = await createGlobMatch(pattern.replace(/^\//, ""), { isName, includesHidden: true });
  if (!isNegative) return isMatch;
  // A folder that is left out takes with it what is in it.
  return (path) => !placesAbove(path, isFolder).some(isMatch);
}

/** The folders above the path, and the path itself unless only folders are asked for. */
function placesAbove(path: Buffer, isFolder: boolean): Buffer[] {
  const places = isFolder ? [] : [path];
  for (let at = path.indexOf(slash); at !== -1; at = path.indexOf(slash, at + 1)) places.push(path.subarray(0, at));
  return places;
}
