/** What a path that is written to or removed touches besides itself. */
import { basename } from "node:path";

/** Some name below a folder that no pattern names by itself: what happens to the folder happens to it. */
export const anythingBelow = "/\u{e000}";

/** What is written there is kept nowhere. */
export const sinks: ReadonlySet<string> = new Set(["/dev/null", "/dev/stdout", "/dev/stderr"]);

export function wholly(paths: readonly string[]): string[] {
  return paths.flatMap((path) => [path, path + anythingBelow]);
}

/** A target may be the new name, or the folder that gets the sources under theirs. */
export function within(targets: readonly string[], sources: readonly string[]): string[] {
  return targets.flatMap((target) => [target, ...sources.map((source) => `${target}/${basename(source)}`)]);
}
