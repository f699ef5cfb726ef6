/** Turns deny rules about files into places on the disk: mounts need places, rules name patterns. */
import { join } from "node:path";
import { entriesOf } from "../../lib/path-status.ts";
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

/** The denied places of permission rules for reading and editing. */
export function deniedByRules({ deny }: RulesInForce): DeniedPlaces {
  const denied: DeniedPlaces = { read: [], write: [] };
  for (const specifier of deny.flatMap(({ specifiers }) => specifiers))
    if (specifier.kind === "path") denied[specifier.access === "read" ? "read" : "write"].push(specifier.path);
  return denied;
}

/** The denied places of the sandbox's own lists: absolute paths, possibly with wildcards. */
export function deniedByPaths(paths: readonly string[], around: RuleSurroundings): PathRule[] {
  return paths.map((path) => parsePathRule(`/${path}`, undefined, true, around)).filter((rule) => rule !== null);
}

/** Where rules with a fixed base begin. If such a place were moved, it could no longer be found by its path. */
export function fixedBases(rules: readonly PathRule[]): string[] {
  return rules.flatMap(({ base }) => (base === undefined ? [] : [base.path]));
}

/** How many folders are searched for what rules name by a pattern. */
const maxFolders = 2_000;

export interface FoundPlaces {
  paths: string[];
  /** Whether not everything could be searched. */
  isCut: boolean;
}

/**
 * The existing places that the rules name. Patterns without a fixed base are searched for in `folders`, except in what package managers and
 * git store there.
 */
export function findNamedPlaces(rules: readonly PathRule[], folders: readonly string[]): FoundPlaces {
  const paths = rules.flatMap(({ base }) => (base?.isWhole === true ? [base.path] : []));
  const patterns = rules.filter(({ base }) => base?.isWhole !== true);
  const starts = new Set(patterns.flatMap(({ base }) => (base === undefined ? folders : [base.path])));
  const open = [...starts];
  const isNamed = createPathMatcher(patterns);
  let looked = 0;
  for (; looked < open.length && looked < maxFolders; looked += 1) {
    const folder = open[looked] ?? "";
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (isNamed(path, entry.name, entry.isDirectory())) paths.push(path);
      else if (entry.isDirectory() && entry.name !== ".git" && entry.name !== "node_modules") open.push(path);
    }
  }
  return { paths, isCut: looked < open.length };
}

/** Matches names against the patterns. The result of patterns for a bare name is cached, because the same names come up repeatedly. */
function createPathMatcher(patterns: readonly PathRule[]): (path: string, name: string, isFolder: boolean) => boolean {
  const bare = patterns.filter(({ base, anchors }) => base === undefined && anchors.every(isBareName));
  const others = patterns.filter((rule) => !bare.includes(rule));
  const known = new Map<string, boolean>();
  const touches = (rule: PathRule, path: string): boolean => touchesPath(rule, { forms: [path], isCertain: true });
  return (path, name, isFolder) => {
    let isBare = known.get(name);
    if (isBare === undefined) known.set(name, (isBare = bare.some((rule) => touches(rule, `/${name}`))));
    // A folder whose whole content is named is closed as a whole.
    const everything = isFolder ? `${path}/\u{e000}` : path;
    return isBare || others.some((rule) => touches(rule, path) || touches(rule, everything));
  };
}

function isBareName({ pattern }: PathRule["anchors"][number]): boolean {
  return pattern.segments.length === 2 && pattern.segments[0] === "**" && pattern.segments[1] !== "**";
}
