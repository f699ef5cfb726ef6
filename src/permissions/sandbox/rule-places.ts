/** Deny rules about files as places on the disk: mounts name places, rules name patterns. */
import { join } from "node:path";
import { entriesOf } from "../../lib/disk-look.ts";
import type { RulesInForce } from "../permission-options.ts";
import type { PathReader } from "../paths/path-forms.ts";
import { parsePathRule, touchesPath, type PathRule } from "../paths/path-rule.ts";

export interface DeniedPlaces {
  read: PathRule[];
  write: PathRule[];
}

export interface RuleSurroundings {
  cwd: string;
  home: string;
  reader: PathReader;
}

/** Of permission rules: those about reading and editing. */
export function deniedByRules({ deny }: RulesInForce): DeniedPlaces {
  const denied: DeniedPlaces = { read: [], write: [] };
  for (const specifier of deny.flatMap(({ specifiers }) => specifiers))
    if (specifier.kind === "path") denied[specifier.access === "read" ? "read" : "write"].push(specifier.path);
  return denied;
}

/** Of the sandbox's own lists: absolute paths, perhaps with wildcards. */
export function deniedByPaths(paths: readonly string[], around: RuleSurroundings): PathRule[] {
  return paths.map((path) => parsePathRule(`/${path}`, undefined, true, around)).filter((rule) => rule !== null);
}

/** Where rules with a place of their own begin: moved away, such a place would no longer be found by its path. */
export function basesOf(rules: readonly PathRule[]): string[] {
  return rules.flatMap(({ base }) => (base === undefined ? [] : [base.path]));
}

/** Folders that are looked through for what rules name by a pattern. */
const mostFolders = 2_000;

export interface FoundPlaces {
  paths: string[];
  /** Not everything could be looked through. */
  isCut: boolean;
}

/**
 * What the rules name of what is there. Patterns without a place of their own are looked for in `folders`, but not in what package
 * managers and git keep there.
 */
export function placesOf(rules: readonly PathRule[], folders: readonly string[]): FoundPlaces {
  const paths = rules.flatMap(({ base }) => (base?.isWhole === true ? [base.path] : []));
  const patterns = rules.filter(({ base }) => base?.isWhole !== true);
  const starts = new Set(patterns.flatMap(({ base }) => (base === undefined ? folders : [base.path])));
  const open = [...starts];
  const isNamed = matcherOf(patterns);
  let looked = 0;
  for (; looked < open.length && looked < mostFolders; looked += 1) {
    const folder = open[looked] ?? "";
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (isNamed(path, entry.name, entry.isDirectory())) paths.push(path);
      else if (entry.isDirectory() && entry.name !== ".git" && entry.name !== "node_modules") open.push(path);
    }
  }
  return { paths, isCut: looked < open.length };
}

/** Names come again and again: what a pattern of one name says of each is asked once. */
function matcherOf(patterns: readonly PathRule[]): (path: string, name: string, isFolder: boolean) => boolean {
  const bare = patterns.filter(({ base, anchors }) => base === undefined && anchors.every(isBareName));
  const others = patterns.filter((rule) => !bare.includes(rule));
  const known = new Map<string, boolean>();
  const touches = (rule: PathRule, path: string): boolean => touchesPath(rule, { forms: [path], isCertain: true });
  return (path, name, isFolder) => {
    let isBare = known.get(name);
    if (isBare === undefined) known.set(name, (isBare = bare.some((rule) => touches(rule, `/${name}`))));
    // A folder of which everything is named is closed as a whole.
    const everything = isFolder ? `${path}/\u{e000}` : path;
    return isBare || others.some((rule) => touches(rule, path) || touches(rule, everything));
  };
}

function isBareName({ pattern }: PathRule["anchors"][number]): boolean {
  return pattern.segments.length === 2 && pattern.segments[0] === "**" && pattern.segments[1] !== "**";
}
