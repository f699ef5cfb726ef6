/** Judges the names that find and xargs hand to a program that only reads: each must be readable and, for xargs, one plain word. */
import { dirname, join, resolve } from "node:path";
import { treesHandedByFind } from "../files/find-trees.ts";
import { treesFedTo } from "../files/piped-names.ts";
import { repositoryTop } from "../files/git-trees.ts";
import { goesBelow } from "../files/command-trees.ts";
import { trackedLinksIn, repositoryAt, trackedIn } from "../git/git-tracked.ts";
import { judgeReads, refuseStep, type StepVerdict } from "./judge-reads.ts";
import type { CommandLaw, Law } from "./law.ts";
import { entriesIn, pathForms, placeIn } from "../paths/path-forms.ts";
import { readsOf } from "../reads/read-only.ts";
import { isFixed, type ShellStep, type ShellWord } from "../shell/step.ts";
import { textsOf } from "../shell/text.ts";
import type { Tree } from "../files/tree.ts";

/** Stands for any file name that may be found. */
const anyFoundName: ShellWord = { text: "./?", source: "{}", kind: "glob", names: [], isOne: true };
const severalFoundNames = [anyFoundName, anyFoundName, anyFoundName];

/** Number of entries; a project without its packages has fewer. */
const maxEntries = 20_000;

interface HandedNames {
  /** The commands that run with the names. */
  runs: ShellStep[];
  /** The command without them: what it reads itself. */
  ownStep: ShellStep | undefined;
  trees: readonly Tree[];
  /** Whether names are split into words, so that a name with a blank or a quote becomes another name, or several. */
  isSplit: boolean;
}

/** What the step hands over; undefined if it is neither find nor xargs, or may do more than read. */
export function namesHandedOn(step: ShellStep): HandedNames | undefined {
  const [program] = step.words;
  if (program?.kind !== "literal" || step.assignments.length > 0 || step.looped !== undefined) return undefined;
  const handed =
    program.text === "find" ? handedByFind(step) : program.text === "xargs" ? handedByXargs(step) : undefined;
  if (handed === undefined || (handed.ownStep !== undefined && readsOf(handed.ownStep) === undefined)) return undefined;
  // Programs that work on everything below a folder are not judged here.
  const isPlain = (run: ShellStep): boolean =>
    readsOf(run)?.usesGit === false && !goesBelow(textsOf(run.words.filter((word) => word !== anyFoundName)));
  return handed.runs.every(isPlain) ? handed : undefined;
}

function handedByFind(step: ShellStep): HandedNames | undefined {
  const own: ShellWord[] = [];
  const runs: ShellStep[] = [];
  const { words } = step;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]!;
    if (word.text !== "-exec" || word.kind !== "literal") {
      own.push(word);
      continue;
    }
    const end = words.findIndex(({ text }, index) => index > at && (text === ";" || text === "+"));
    const run = words.slice(at + 1, end);
    if (end < 0 || !run.every(isFixed)) return undefined;
    const takesSeveral = words[end]?.text === "+";
    const filled = fillPlaceholder(run, "{}", takesSeveral ? severalFoundNames : [anyFoundName]);
    if (filled === undefined || (takesSeveral && run.at(-1)?.text !== "{}")) return undefined;
    runs.push({ ...step, words: filled, redirects: [], isFed: true });
    at = end;
  }
  if (runs.length === 0) return undefined;
  return { runs, ownStep: { ...step, words: own }, trees: treesHandedByFind(textsOf(words.slice(1))), isSplit: false };
}

const xargsFlags = /^(?:-[0r]+|-[nPL]\d+|--null|--no-run-if-empty)$/u;

function handedByXargs(step: ShellStep): HandedNames | undefined {
  const words = step.words.slice(1);
  if (!words.every(isFixed) || step.redirects.some(({ access }) => access === "read")) return undefined;
  let place: string | undefined;
  let at = 0;
  for (; words[at]?.text.startsWith("-") === true; at += 1) {
    const { text } = words[at]!;
    const next = words[at + 1]?.text ?? "";
    if (/^-[nPL]$/u.test(text) && /^\d+$/u.test(next)) at += 1;
    else if (text === "-I" && /^(?:\{\}|%)$/u.test(next)) place = words[(at += 1)]?.text;
    else if (/^-I(?:\{\}|%)$/u.test(text)) place = text.slice(2);
    else if (!xargsFlags.test(text)) return undefined;
  }
  const run = words.slice(at);
  const filled = place === undefined ? [...run, ...severalFoundNames] : fillPlaceholder(run, place, [anyFoundName]);
  const trees = treesFedTo(step);
  if (run.length === 0 || filled === undefined || trees === undefined) return undefined;
  return { runs: [{ ...step, words: filled, redirects: [], isFed: true }], ownStep: undefined, trees, isSplit: true };
}

/** Fills the placeholder with names; undefined if a name would be only part of a word, or the program. */
function fillPlaceholder(
  run: readonly ShellWord[],
  place: string,
  found: readonly ShellWord[],
): ShellWord[] | undefined {
  if (run.length === 0 || run[0]?.text.includes(place) === true) return undefined;
  if (run.some(({ text }) => text.includes(place) && text !== place)) return undefined;
  return run.flatMap((word) => (word.text === place ? found : [word]));
}

export function judgeHandedNames(
  { runs, ownStep, trees, isSplit }: HandedNames,
  shown: string,
  starts: readonly string[],
  law: CommandLaw,
): StepVerdict {
  for (const step of ownStep === undefined ? runs : [ownStep, ...runs]) {
    const [program] = step.words;
    const repositoryProgram = starts
      .map((start) => law.repositoryProgram(program?.text ?? "", start))
      .find((each) => each !== undefined);
    if (repositoryProgram !== undefined)
      return refuseStep(`${shown} may run ${repositoryProgram}, a file of this folder`);
    const reads = readsOf(step);
    if (reads === undefined) return refuseStep(`${shown} needs permission`);
    const paths = reads.paths.filter(({ word }) => word !== anyFoundName);
    const verdict = judgeReads({ ...reads, paths }, { shown, trees }, starts, false, law);
    if (!verdict.allowed) return verdict;
  }
  const budget = { left: maxEntries };
  for (const start of starts)
    for (const tree of trees) {
      const why = handingProblem(tree, placeIn(start, tree.place), isSplit, law, budget);
      if (why !== undefined) return refuseStep(`${shown} ${why}`);
    }
  return { allowed: true, reason: null };
}

/** Why not everything there, reached or not, may be handed on, or undefined if it may. Secrets are checked among what is reached. */
function handingProblem(
  tree: Tree,
  place: string,
  isSplit: boolean,
  law: CommandLaw,
  budget: { left: number },
): string | undefined {
  const isUnsafeName = (name: string): boolean => isSplit && (/[\s'"\\]/u.test(name) || name.startsWith("-"));
  const unsafeNameText = (name: string): string => `may get "${name}", which may not arrive as one file name`;
  const isOutside = (path: string): boolean => {
    const forms = pathForms(path, law.reader);
    return !law.folders.contain(forms, "read");
  };
  if (isUnsafeName(tree.place)) return unsafeNameText(tree.place);
  if (/[*?[]/u.test(tree.place)) return "gets names from a place that only the shell knows";
  if (tree.place === repositoryTop) return "gets names of the whole repository";
  if (tree.follows === "all") return "follows links, and where these lead in the end is not checked";
  if (isOutside(place)) return "reads outside the working directories";
  if (tree.git === "tracked") {
    const repository = repositoryAt(place);
    const names = repository === undefined ? undefined : trackedIn(repository);
    if (repository === undefined || names === undefined) return "gets names that cannot be told";
    const unsafeName = names.find((name) => name.split("/").some(isUnsafeName));
    if (unsafeName !== undefined) return unsafeNameText(unsafeName);
    budget.left -= names.length;
    if (budget.left < 0) return "goes through more files than can be looked at";
    const known = trackedLinksIn(repository);
    const outsideLink = known.find((link) => isOutside(join(repository.top, link)));
    if (outsideLink !== undefined) return `may read ${outsideLink}, which leads outside the working directories`;
    const other = findReplacingLink(repository.top, names, new Set(known), law);
    return other === undefined ? undefined : `may read ${other}, a link in place of a file or folder that git knows of`;
  }
  const open = [resolve(place)];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const entries = entriesIn(folder, law.reader);
    budget.left -= entries.length;
    if (budget.left < 0) return "goes through more files than can be looked at";
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (isUnsafeName(entry.name)) return unsafeNameText(entry.name);
      if (entry.isDirectory()) open.push(path);
      else if (entry.isSymbolicLink() && isOutside(path))
        return `may read ${path}, which leads outside the working directories`;
    }
  }
  return undefined;
}

/** The first link that replaced a file or folder git knows of. Git prints the name all the same. */
function findReplacingLink(
  top: string,
  names: readonly string[],
  known: ReadonlySet<string>,
  law: Law,
): string | undefined {
  const folders = new Set(["."]);
  for (const name of names)
    for (let folder = dirname(name); !folders.has(folder); folder = dirname(folder)) folders.add(folder);
  const knownPaths = new Set([...names, ...folders]);
  for (const folder of folders)
    for (const entry of entriesIn(join(top, folder), law.reader)) {
      const path = join(folder, entry.name);
      if (entry.isSymbolicLink() && knownPaths.has(path) && !known.has(path)) return path;
    }
  return undefined;
}
