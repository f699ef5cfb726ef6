/** Checks what a command does to files it does not name against guarding rules, by what exists on the disk. */
import { basename, join, relative } from "node:path";
import { foldCase } from "../../lib/path-pattern.ts";
import { findFirstFile } from "./tree-files.ts";
import { folderForms, isFolder, isInside, type PathForms, type PathReader } from "../paths/path-forms.ts";
import { createFileNameTest, touchesPath, type PathRule } from "../paths/path-rule.ts";
import type { Rule } from "../rules/rule.ts";
import { hasHole } from "../shell/fill.ts";
import { quoteShown } from "../shell/text.ts";
import { maxWalked, type FolderVisitor } from "./tree-walk.ts";
import { repositoryTop } from "./git-trees.ts";
import { isSameTree, type Tree } from "./tree.ts";
import { anythingBelow } from "./written-paths.ts";

/** A word for which only the shell will know the file. */
export interface UnknownPath {
  access: "read" | "write";
  /** Absolute, with holes. */
  path: string;
  shown: string;
}

export interface PlacedTree {
  tree: Tree;
  /** Absolute. */
  path: string;
  /** What is below `path` is written below this. */
  destination?: string;
  shown: string;
}

export interface UnnamedFiles {
  unknownPaths: readonly UnknownPath[];
  trees: readonly PlacedTree[];
  /** Why the command may run anything, as one clause. */
  opaque?: string;
  /** Why its globs may match more than is known, as one clause. */
  doubt?: string;
}

export interface GuardHit {
  rule: Rule;
  /** One clause. */
  why: string;
}

interface Guard {
  rule: Rule;
  access: "read" | "edit";
  path: PathRule;
}

/** The limit for everything that one line goes through. */
const maxWalkedPerLine = 2 * maxWalked;

/** `canAsk`: somebody can be asked, so commands that are common in daily work or merely not understood count, too. */
export function findGuardHit(
  { unknownPaths, trees, opaque, doubt }: UnnamedFiles,
  rules: readonly Rule[],
  reader: PathReader,
  canAsk: boolean,
): GuardHit | undefined {
  const guards = rules.flatMap((rule) =>
    rule.specifiers.flatMap((specifier) =>
      specifier.kind === "path" ? [{ rule, access: specifier.access, path: specifier.path }] : [],
    ),
  );
  const [first] = guards;
  if (first === undefined) return undefined;
  const unclear = doubt ?? (canAsk ? opaque : undefined);
  if (unclear !== undefined) return { rule: first.rule, why: unclear };
  for (const word of unknownPaths) {
    const guard = guards.find(
      (each) => guardsAccess(each, word.access) && mayBeGuardedFile(each.path, word.path, reader),
    );
    const verb = word.access === "read" ? "reads" : "writes";
    if (guard !== undefined) return { rule: guard.rule, why: `which file it ${verb} is known only when it runs` };
  }
  const lineBudget = { left: maxWalkedPerLine };
  // A line may name the same folder again and again.
  const searched = new Map<string, PlacedTree[]>();
  for (const placed of trees) {
    if (placed.tree.isCommon === true && !canAsk) continue;
    const here = searched.get(placed.path) ?? [];
    if (here.some((each) => each.destination === placed.destination && isSameTree(each.tree, placed.tree))) continue;
    searched.set(placed.path, [...here, placed]);
    const budget = { left: Math.min(maxWalked, lineBudget.left) };
    lineBudget.left -= budget.left;
    const concerned = guards.filter((guard) => guardsAccess(guard, placed.tree.access));
    const found = findGuardedBelow(placed, concerned, reader, budget);
    if (found !== undefined) return found;
    lineBudget.left += budget.left;
  }
  return undefined;
}

function guardsAccess(guard: Guard, access: "read" | "write"): boolean {
  return access === "write" || guard.access === "read";
}

/** Whether an unknown path may be the file that the rule names, judging by its end. */
function mayBeGuardedFile({ singleFile }: PathRule, path: string, reader: PathReader): boolean {
  if (singleFile === undefined || isFolder(singleFile.path, reader)) return true;
  const name = foldCase(basename(singleFile.path));
  const end = foldCase(path.slice(path.search(/[\u{e001}\u{e002}][^\u{e001}\u{e002}]*$/u) + 1));
  return end.includes("/") ? end.endsWith(`/${name}`) || hasHole(name) : name.endsWith(end);
}

function findGuardedBelow(
  placed: PlacedTree,
  guards: readonly Guard[],
  reader: PathReader,
  budget: { left: number },
): GuardHit | undefined {
  const bases = [placed.destination ?? placed.path].flatMap((folder) => folderForms(folder, reader));
  const near = guards.filter((guard) => mayOverlapFolders(guard.path, bases, reader));
  const { tree, path } = placed;
  // Links lead anywhere, and so do parts of a split name.
  const watched = tree.follows === "none" && tree.delimiter === undefined ? near : guards;
  if (watched.length === 0) return undefined;
  // Few files have hard links; they are only searched for if a file that a rule names has one.
  const hasHardLinks = watched.some(
    ({ path: { singleFile } }) => singleFile !== undefined && reader.hardLinkId?.(singleFile.path) !== undefined,
  );
  const visitor = createGuardVisitor(placed, watched, bases, hasHardLinks);
  const found = findFirstFile(tree, path, visitor, reader, budget);
  if (found !== "too many") return found;
  const [guard] = near;
  return guard === undefined
    ? undefined
    : { rule: guard.rule, why: `${quoteShown(placed.shown)} goes through more files than can be looked at` };
}

function createGuardVisitor(
  { tree, path, destination, shown }: PlacedTree,
  guards: readonly Guard[],
  bases: readonly string[],
  hasHardLinks: boolean,
): FolderVisitor<GuardHit> {
  const nameTests = guards.map(({ path: rule }) => createFileNameTest(rule));
  const isNamed = (folded: string): boolean => nameTests.some((test) => test(folded));
  const others = hasHardLinks ? {} : { linked: [] };
  // One object for all rules, since it keeps what the first of them looked up.
  const formsOf = (paths: string[]): PathForms => ({ forms: paths, isCertain: true, ...others });
  return ({ names, path: real }) => {
    const written = bases.map((base) => [base === "/" ? "" : base, ...names].join("/"));
    const folders = destination === undefined && !written.includes(real) ? [...written, real] : written;
    // A rule that covers everything in the folder, whatever its name.
    const below = formsOf(folders.map((folder) => folder + anythingBelow));
    const wholeGuard = guards.find((guard) => touchesPath(guard.path, below));
    return (name, target) => {
      const [firstGuard] = guards;
      const isSplit = tree.delimiter?.test([tree.place, ...names, name].join("/")) === true;
      if (isSplit && firstGuard !== undefined)
        return { rule: firstGuard.rule, why: `${quoteShown(shown)} splits the name ${quoteShown(name)}` };
      const at = folders.map((folder) => (name === "" ? folder : `${folder}/${name}`));
      const forms = formsOf(target === undefined || destination !== undefined ? at : [...at, target]);
      const isLikely =
        wholeGuard !== undefined || target !== undefined || hasHardLinks || name === "" || isNamed(foldCase(name));
      const guard = isLikely ? (wholeGuard ?? guards.find((each) => touchesPath(each.path, forms))) : undefined;
      if (guard === undefined) return undefined;
      const file = relative(destination ?? path, at[0] ?? "");
      return {
        rule: guard.rule,
        why: `${quoteShown(shown)} ${accessVerb(tree)} ${join(tree.place === repositoryTop ? "" : (tree.destination ?? tree.place), tree.copyName ?? "", file)}`,
      };
    };
  };
}

/** Whether files that the rule names may be below or above one of these folders, judging by the rule's base, if it has one. */
export function mayOverlapFolders({ base }: PathRule, folders: readonly string[], reader: PathReader): boolean {
  if (base === undefined) return true;
  return folderForms(base.path, reader).some((one) =>
    folders.some((other) => isInside(one, other) || isInside(other, one)),
  );
}

function accessVerb({ access, git, isCommon }: Tree): string {
  const may = git !== undefined || isCommon === true ? "may " : "";
  return access === "read" ? `${may}${may === "" ? "reads" : "show"}` : `${may}${may === "" ? "changes" : "change"}`;
}
