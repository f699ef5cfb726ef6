/** What programs that pack and send leave out, by patterns of names or paths. */
import { dirname } from "node:path";
import { matchesCommand } from "../rules/command-pattern.ts";
import { hasHole } from "../shell/fill.ts";
import type { GivenOption } from "../options/operands.ts";
import { exclusionsByName, type Tree } from "./tree.ts";

type Exclusions = Pick<Tree, "enters" | "reaches" | "isByPath">;
type PathTest = (path: string) => boolean;

/**
 * A star also matches slashes, and the whole path must match: `secrets` excludes nothing below that folder. Undefined for other signs, and
 * for a leading `/` or `~`, which may come from a `~` that was quoted.
 */
export function starPathTest(pattern: string): PathTest | undefined {
  if (/[?[\\]|^[~/]/u.test(pattern) || hasHole(pattern)) return undefined;
  const starPattern = { pieces: pattern.split("*"), endsAtWord: false };
  return (path) => matchesCommand(starPattern, path);
}

export function zipPathTest(pattern: string): PathTest {
  return starPathTest(pattern.replace(/^\.\//u, "")) ?? (() => false);
}

/** Combines patterns of names with patterns of paths, which begin with `top`. */
function excludePaths(
  names: Exclusions,
  top: string,
  isExcluded: (path: string, isFolder: boolean) => boolean,
): Exclusions {
  const isKept = (name: string, above: readonly string[], isFolder: boolean): boolean =>
    !isExcluded([top, ...above, name].join("/"), isFolder);
  return {
    isByPath: true,
    enters: (name, above, isLink) => names.enters(name, above, isLink) && isKept(name, above, true),
    reaches: (name, above) => names.reaches(name, above) && isKept(name, above, false),
  };
}

/**
 * What tar excludes: a pattern matches the path in the archive, from any of its folders on; not every tar does so for a leading star.
 * `place`: the path as it is packed.
 */
export function tarExclusions(patterns: readonly string[], place: string): Exclusions {
  const isUnclear = place.includes("//");
  const tests = patterns.flatMap((pattern) =>
    isUnclear || !pattern.includes("/") || pattern.startsWith("*") ? [] : (starPathTest(pattern) ?? []),
  );
  return excludePaths(exclusionsByName(patterns), place.replace(/\/$/u, ""), (path) => {
    for (let at = 0; at >= 0 && tests.length > 0; at = path.indexOf("/", at + 1)) {
      const rest = at === 0 ? path : path.slice(at + 1);
      if (tests.some((isMet) => isMet(rest))) return true;
    }
    return false;
  });
}

/** What rsync excludes. A leading slash anchors a path at the copy's top; a final one means folders. `source`: undefined if unknown. */
export function rsyncExclusions(patterns: readonly string[], source: string | undefined): Exclusions {
  const names = exclusionsByName(
    patterns,
    patterns.map((pattern) => pattern.replace(/\/$/u, "")),
  );
  const top =
    source === undefined || /(?:^|\/)\.{0,2}$/u.test(source) ? "" : `/${source.slice(source.lastIndexOf("/") + 1)}`;
  const tests = patterns.flatMap((pattern) => {
    const [, depth = "", text = "", end = ""] = /^(\*\*\/)?([^*?[~]*?)(\/\**)?$/u.exec(pattern) ?? [];
    if (text === "" || source === undefined || source === "/" || !pattern.includes("/")) return [];
    const isMet: PathTest =
      text.startsWith("/") && depth === "" ? (path) => path === text : (path) => path.endsWith(`/${text}`);
    return [
      (path: string, isFolder: boolean): boolean =>
        end.includes("*") ? isMet(dirname(path)) : (isFolder || end === "") && isMet(path),
    ];
  });
  return excludePaths(names, top, (path, isFolder) => tests.some((test) => test(path, isFolder)));
}

/** What `aws s3` excludes: of the patterns of `--exclude` and `--include`, the last one that matches the path below the source decides. */
export function lastStarMatchExclusions(givenOptions: readonly GivenOption[]): Exclusions {
  const tests = givenOptions.flatMap(({ name, value }) => {
    const isWanted = name === "--include";
    const isMet = starPathTest(value) ?? (() => isWanted);
    return isWanted || name === "--exclude" ? [{ isWanted, isMet }] : [];
  });
  return {
    isByPath: true,
    enters: () => true,
    reaches: (name, above) => tests.findLast(({ isMet }) => isMet([...above, name].join("/")))?.isWanted ?? true,
  };
}
