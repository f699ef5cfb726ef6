/** Finds commands of a line that change what the other commands are judged by: all are judged before the line runs. */
import { basename, dirname, resolve } from "node:path";
import { foldCase } from "../../lib/path-pattern.ts";
import { isPlainChain } from "../files/plain-chain.ts";
import { editedPaths } from "../files/edit-programs.ts";
import { findLinksBelow } from "../files/found-files.ts";
import { mvSources } from "../files/moved-folder.ts";
import { isIgnoreFile, withoutSkips, type Tree } from "../files/tree.ts";
import { isFolder, isInside, isLink, pathForms, type PathReader } from "../paths/path-forms.ts";
import { programIndex } from "../rules/front-words.ts";
import { unrollLoops } from "../shell/rounds.ts";
import { isFixed, type ShellStep, type ShellWord } from "../shell/step.ts";
import { wordPath } from "./judge-reads.ts";
import type { CommandLaw, Law } from "./law.ts";

/** A command and the folders it may run in. */
export interface LocatedStep {
  step: ShellStep;
  starts: readonly string[];
}

interface StepChange extends LocatedStep {
  program: string;
  /** Absolute paths that the command writes, makes, removes or moves. */
  paths: readonly string[];
  /** Absolute paths that `mv` moves. */
  movedPaths: readonly string[];
}

/** The known changes of each command; in a loop, of each round. */
function stepChanges(steps: readonly LocatedStep[], { home, reader }: Law): StepChange[] {
  return steps.flatMap(({ step, starts }) =>
    unrollLoops(step).map((round): StepChange => {
      const texts = round.words.map(({ text }) => text);
      const bare = round.words.slice(programIndex(texts));
      const edited = (editedPaths(bare) ?? []).flatMap(({ access, word }) => (access === "write" ? [word] : []));
      const redirected = round.redirects.flatMap(({ access, target }) => (access === "write" ? [target] : []));
      const program = bare[0]?.text ?? "";
      const sources = program === "mv" ? mvSources(bare.slice(1)) : [];
      const absolutePaths = (words: readonly ShellWord[]): string[] =>
        words
          .filter(isFixed)
          .flatMap((word) => starts.flatMap((start) => resolvedForms(wordPath(word, start, home), reader)));
      const movedPaths = absolutePaths(sources);
      return {
        step: round,
        starts,
        program,
        paths: [...absolutePaths([...edited, ...redirected]), ...movedPaths],
        movedPaths,
      };
    }),
  );
}

/** Resolves a path. `..` after a link means the folder above the link's target. */
function resolvedForms(path: string, reader: PathReader): readonly string[] {
  return path.includes("..") ? pathForms(path, reader).forms : [resolve(path)];
}

/** Why the commands of a line, at least one of which no rule permits, cannot be judged side by side, and which one is in the way. */
export function findInterferingStep(
  steps: readonly LocatedStep[],
  law: CommandLaw,
): { why: string; step: ShellStep } | undefined {
  const [first] = steps;
  if (steps.length < 2 && first?.step.isLooped !== true) return undefined;
  const changes = stepChanges(steps, law);
  const written = withParentFolders(
    changes.filter((each) => !renamingPrograms.has(each.program)).flatMap(({ paths }) => paths),
  );
  const isCertain = isPlainChain({ steps: steps.map(({ step }) => step) });
  const everywhere = [...new Set(steps.flatMap((each) => each.starts))];
  for (const change of changes) {
    const why =
      movedLinkReason(change, law) ??
      movedFolderReason(change, isCertain ? change.starts : everywhere, law) ??
      movedHardLinkReason(change, written, law) ??
      madeLinkReason(change, changes, law) ??
      madeRepositoryReason(change, steps, law) ??
      addedProgramReason(change, law);
    if (why !== undefined) return { why, step: change.step };
  }
  return undefined;
}

/** A moved link leads elsewhere, and so does everything below it. */
function movedLinkReason({ movedPaths }: StepChange, { reader }: Law): string | undefined {
  const isMoved = movedPaths.some(
    (place) => isLink(place, reader) || findLinksBelow(place, reader)?.links.length !== 0,
  );
  return isMoved ? "moves a link, and where the other commands lead then cannot be told" : undefined;
}

/** After the working directory is moved, `..` is another folder. */
function movedFolderReason(
  { movedPaths }: StepChange,
  startFolders: readonly string[],
  { reader }: Law,
): string | undefined {
  if (movedPaths.length === 0) return undefined;
  const starts = startFolders.flatMap((start) => pathForms(start, reader).forms);
  const forms = movedPaths.flatMap((place) => pathForms(place, reader).forms);
  const isMoved = forms.some((form) => starts.some((start) => isInside(form, start)));
  return isMoved ? "moves the folder that commands run in, and where these lead then cannot be told" : undefined;
}

/** The paths and all folders that they lie in. */
function withParentFolders(paths: readonly string[]): Set<string> {
  const all = new Set<string>();
  for (const path of paths) for (let place = path; !all.has(place); place = dirname(place)) all.add(place);
  return all;
}

const renamingPrograms = new Set(["mv", "sed"]);

/** What is then written at the new name changes the file's other names as well. */
function movedHardLinkReason(
  { program, movedPaths: all, paths }: StepChange,
  written: ReadonlySet<string>,
  { reader }: Law,
): string | undefined {
  // The backup that sed keeps is the original file under a new name.
  const moved = program === "sed" ? paths : all;
  const targets = paths.filter((path) => program === "sed" || !moved.includes(path));
  if (moved.length === 0 || !targets.some((target) => written.has(target))) return undefined;
  const isLinked = moved.some(
    (place) => reader.hardLinkId?.(place) !== undefined || findLinksBelow(place, reader)?.hasHardLinks !== false,
  );
  return isLinked ? "moves a file with other names (hard links), and another command writes there" : undefined;
}

const linkers = new Set(["ln", "link"]);

/** A rule may permit making a link, but not what other commands do through it. */
function madeLinkReason(
  { step, starts, program }: StepChange,
  changes: readonly StepChange[],
  law: CommandLaw,
): string | undefined {
  if (!linkers.has(program)) return undefined;
  const words = step.words.slice(programIndex(step.words.map(({ text }) => text)) + 1);
  const operands = words.filter(({ text }) => !text.startsWith("-"));
  const options = words.filter(({ text }) => text.startsWith("-")).map(({ text }) => text);
  const writes = changes.some((change) => change.paths.length > 0);
  const sources = operands.slice(0, Math.max(1, operands.length - 1));
  const isClosed = starts.some((start) =>
    linkTargetBases(operands, options, start, changes, law).some((base) =>
      sources.some((word) => !isFixed(word) || !mayAccessTarget(resolve(wordPath(word, base, law.home)), writes, law)),
    ),
  );
  return isClosed ? "makes a link, and where the other commands lead then cannot be told" : undefined;
}

/** The folders that a link's target may be relative to. */
function linkTargetBases(
  operands: readonly ShellWord[],
  options: readonly string[],
  start: string,
  changes: readonly StepChange[],
  { home, reader }: Law,
): string[] {
  const last = operands.length > 1 ? operands.at(-1) : undefined;
  if (last === undefined || !options.some((text) => /^-[A-Za-z]*s|^--sym/u.test(text))) return [start];
  const into = resolve(wordPath(last, start, home));
  const isNamed = isLink(into, reader) || options.some((text) => /^-[A-Za-z]*[nTht]|^--/u.test(text));
  const isMade = changes.some(({ paths }) => paths.includes(into));
  if (isNamed || isMade) return [into, dirname(into)];
  return isFolder(into, reader) ? [into] : [dirname(into)];
}

function mayAccessTarget(target: string, writes: boolean, law: CommandLaw): boolean {
  const all = isFolder(target, law.reader) ? [target, `${target}/x`] : [target];
  return all.every((path) => {
    const forms = pathForms(path, law.reader);
    const may = (access: "read" | "write"): boolean => law.mayTouch({ kind: "path", access, path, forms });
    return may("read") && (!writes || may("write"));
  });
}

const repositoryMarkers = new Set(["head", "objects", "refs", "commondir"]);

/** Git runs what plain files say if it takes them for a repository. */
function madeRepositoryReason(
  { paths }: StepChange,
  steps: readonly LocatedStep[],
  { reader }: Law,
): string | undefined {
  const repositoryPaths = paths.filter((path) =>
    repositoryMarkers.has(foldCase(path.slice(path.lastIndexOf("/") + 1))),
  );
  if (repositoryPaths.length === 0) return undefined;
  const starts = steps
    .filter(({ step }) => step.words.some(({ text }) => text === "git"))
    .flatMap((each) => each.starts)
    .flatMap((start) => pathForms(start, reader).forms);
  const folders = repositoryPaths.flatMap((path) => pathForms(path, reader).forms).map((form) => dirname(form));
  const isMade = folders.some((folder) => starts.some((start) => isInside(folder, start)));
  return isMade ? "may make a repository of the folder that git runs in" : undefined;
}

const transferPrograms = new Set(["cp", "mv"]);

/** A copied program may be run by the other commands of the line. */
function addedProgramReason(
  { program, paths, starts }: StepChange,
  { programFolders, reader }: Law,
): string | undefined {
  if (!transferPrograms.has(program)) return undefined;
  const folders = starts.flatMap((start) => programFolders(start)).flatMap((folder) => pathForms(folder, reader).forms);
  const forms = folders.length === 0 ? [] : paths.flatMap((path) => pathForms(path, reader).forms);
  const found = folders.find((folder) => forms.some((form) => isInside(folder, form) || isInside(form, folder)));
  return found === undefined ? undefined : `puts something in ${found}, where the other commands are looked for`;
}

/** The trees that `rg` and similar programs search, without their exclusions if the line may change the files these come from. */
export function withoutChangedSkips(trees: readonly Tree[], steps: readonly LocatedStep[], law: Law): readonly Tree[] {
  if (steps.length < 2 || !trees.some(({ skips }) => skips !== undefined)) return trees;
  const changes = stepChanges(steps, law);
  if (changes.some(({ paths }) => paths.some(isIgnoreFile))) return trees.map(withoutSkips);
  const folders = changes.flatMap(({ movedPaths }) => movedPaths.filter((place) => isFolder(place, law.reader)));
  if (folders.length === 0) return trees;
  const showsHidden = folders.some((place) => basename(place).startsWith("."));
  return trees.map((tree) => {
    const { skips } = tree;
    return skips === undefined
      ? tree
      : { ...tree, skips: { ...skips, ignoreFiles: [], hidden: skips.hidden && !showsHidden } };
  });
}
