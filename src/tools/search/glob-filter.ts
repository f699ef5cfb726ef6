/** Judges found paths by the glob of a Grep call, where ripgrep does not. */
import { withLiteralNames } from "./literal-names.ts";

/** Returns whether a path, relative to the searched folder, matches the glob. */
export async function createGlobFilter(glob: string): Promise<(path: Buffer) => boolean> {
  const { default: picomatch } = await import("picomatch");
  const isNegative = glob.startsWith("!");
  const pattern = isNegative ? glob.slice(1) : glob;
  // A slash at the beginning stands for the searched folder.
  const isMatch = picomatch(withLiteralNames(pattern.replace(/^\//, "")), {
    dot: true,
    basename: !pattern.includes("/"),
    nonegate: true,
    flags: "s",
  });
  return (path) => isMatch(path.toString()) !== isNegative;
}
