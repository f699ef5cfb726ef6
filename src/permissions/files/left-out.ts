/** What programs that pack and send leave out, by patterns that say a name or a path. */
import { dirname } from "node:path";
import { matchesCommand } from "../rules/command-pattern.ts";
import { hasHole } from "../shell/fill.ts";
import { leaving, type Tree } from "./tree.ts";

type Left = Pick<Tree, "enters" | "meets" | "isByPath">;
type Met = (path: string) => boolean;

/** A star stands for slashes as well, and the whole is met: `secrets` leaves nothing out of what lies there. Undefined for other signs, and where a home may stand for a `~` that was quoted. */
export function starred(pattern: string): Met | undefined {
  if (/[?[\\]|^[~/]/u.test(pattern) || hasHole(pattern)) return undefined;
  const meant = { pieces: pattern.split("*"), endsAtWord: false };
  return (path) => matchesCommand(meant, path);
}

export function metByZip(pattern: string): Met {
  return starred(pattern.replace(/^\.\//u, "")) ?? (() => false);
}

/** By names, and by paths of which the first part is given. */
function leavingPaths(names: Left, top: string, isLeft: (path: string, isFolder: boolean) => boolean): Left {
  const isKept = (name: string, above: readonly string[], isFolder: boolean): boolean =>
    !isLeft([top, ...above, name].join("/"), isFolder);
  return {
    isByPath: true,
    enters: (name, above, isLink) => names.enters(name, above, isLink) && isKept(name, above, true),
    meets: (name, above) => names.meets(name, above) && isKept(name, above, false),
  };
}

/** Met is what it is called in the archive, from any of its folders on; with a star first, not so by every tar. `place`: as it is packed. */
export function leftByTar(patterns: readonly string[], place: string): Left {
  const isUnclear = place.includes("//");
  const tests = patterns.flatMap((pattern) =>
    isUnclear || !pattern.includes("/") || pattern.startsWith("*") ? [] : (starred(pattern) ?? []),
  );
  return leavingPaths(leaving(patterns), place.replace(/\/$/u, ""), (path) => {
    for (let at = 0; at >= 0 && tests.length > 0; at = path.indexOf("/", at + 1)) {
      const rest = at === 0 ? path : path.slice(at + 1);
      if (tests.some((isMet) => isMet(rest))) return true;
    }
    return false;
  });
}

/** With a slash first a path begins where the copy does, else anywhere; with one at its end it means folders. `source`: undefined where that is not told. */
export function leftByRsync(patterns: readonly string[], source: string | undefined): Left {
  const names = leaving(
    patterns,
    patterns.map((pattern) => pattern.replace(/\/$/u, "")),
  );
  const top =
    source === undefined || /(?:^|\/)\.{0,2}$/u.test(source) ? "" : `/${source.slice(source.lastIndexOf("/") + 1)}`;
  const tests = patterns.flatMap((pattern) => {
    const [, depth = "", text = "", end = ""] = /^(\*\*\/)?([^*?[~]*?)(\/\**)?$/u.exec(pattern) ?? [];
    if (text === "" || source === undefined || source === "/" || !pattern.includes("/")) return [];
    const isMet: Met =
      text.startsWith("/") && depth === "" ? (path) => path === text : (path) => path.endsWith(`/${text}`);
    return [
      (path: string, isFolder: boolean): boolean =>
        end.includes("*") ? isMet(dirname(path)) : (isFolder || end === "") && isMet(path),
    ];
  });
  return leavingPaths(names, top, (path, isFolder) => tests.some((test) => test(path, isFolder)));
}
