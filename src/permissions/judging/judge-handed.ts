/** Judges the names that find and xargs hand to a program that only reads: each must be readable and, for xargs, one plain word. */
import { dirname, join, resolve } from "node:path";
import { metByFind } from "../files/found-trees.ts";
import { namesFed } from "../files/piped-names.ts";
import { repositoryTop } from "../files/git-trees.ts";
import { goesBelow } from "../files/deep-words.ts";
import { linksIn, repositoryAt, trackedIn } from "../git/git-tracked.ts";
import { judgeReads, placeOf, refused, type StepVerdict } from "./judge-reads.ts";
import type { CommandLaw, Law } from "./law.ts";
import { entriesIn, pathForms } from "../paths/path-forms.ts";
import { readsOf } from "../reads/read-only.ts";
import { literal } from "../shell/read-words.ts";
import { isFixed, type ShellStep, type ShellWord } from "../shell/step.ts";
import { textsOf } from "../shell/text.ts";
import type { Tree } from "../files/tree.ts";

/** Stands for any file name that may be found. */
const found: ShellWord = { text: "./?", source: "{}", kind: "glob", names: [], isOne: true };

/** Number of entries; a project without its packages has fewer. */
const mostSeen = 20_000;

interface Handed {
  /** The commands that run with the names. */
  runs: ShellStep[];
  /** The command without them: what it reads itself. */
  own: ShellStep | undefined;
  trees: readonly Tree[];
  /** Whether names are split into words, so that a name with a blank or a quote becomes another name, or several. */
  isSplit: boolean;
}

/** What the step hands over; undefined if it is neither find nor xargs, or may do more than read. */
export function handedBy(step: ShellStep): Handed | undefined {
  const [program] = step.words;
  if (program?.kind !== "literal" || step.assignments.length > 0 || step.looped !== undefined) return undefined;
  const handed = program.text === "find" ? byFind(step) : program.text === "xargs" ? byXargs(step) : undefined;
  if (handed === undefined || (handed.own !== undefined && readsOf(handed.own) === undefined)) return undefined;
  // Programs that work on everything below a folder are not judged here.
  const isPlain = (run: ShellStep): boolean =>
    readsOf(run)?.usesGit === false && !goesBelow(textsOf(run.words.filter((word) => word !== found)));
  return handed.runs.every(isPlain) ? handed : undefined;
}

function byFind(step: ShellStep): Handed | undefined {
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
    const many = words[end]?.text === "+";
    const filled = filledIn(run, "{}", many);
    if (filled === undefined || (many && run.at(-1)?.text !== "{}")) return undefined;
    runs.push({ ...step, words: filled, redirects: [], isFed: true });
    at = end;
  }
  if (runs.length === 0) return undefined;
  return { runs, own: { ...step, words: own }, trees: metByFind(textsOf(words.slice(1))), isSplit: false };
}

const flags = /^(?:-[0r]+|-[nPL]\d+|--null|--no-run-if-empty)$/u;

function byXargs(step: ShellStep): Handed | undefined {
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
    else if (!flags.test(text)) return undefined;
  }
  const run = words.slice(at);
  const filled = place === undefined ? [...run, found, found, found] : filledIn(run, place, false);
  const trees = namesFed(step);
  if (run.length === 0 || filled === undefined || trees === undefined) return undefined;
  return { runs: [{ ...step, words: filled, redirects: [], isFed: true }], own: undefined, trees, isSplit: true };
}

/** Fills the placeholder with names; undefined if a name would be only part of a word, or the program. */
function filledIn(run: readonly ShellWord[], place: string, many: boolean): ShellWord[] | undefined {
  if (run.length === 0 || run[0]?.text.includes(place) === true) return undefined;
  if (run.some(({ text }) => text.includes(place) && text !== place)) return undefined;
  return run.flatMap((word) => (word.text === place ? (many ? [found, found, found] : [found]) : [word]));
}

export function judgeHanded(
  { runs, own, trees, isSplit }: Handed,
  shown: string,
  starts: readonly string[],
  law: CommandLaw,
): StepVerdict {
  for (const step of own === undefined ? runs : [own, ...runs]) {
    const [program] = step.words;
    const brought = starts.map((start) => law.brought(program?.text ?? "", start)).find((each) => each !== undefined);
    if (brought !== undefined) return refused(`${shown} may run ${brought}, a file of this folder`);
    const reads = readsOf(step);
    if (reads === undefined) return refused(`${shown} needs permission`);
    const paths = reads.paths.filter(({ word }) => word !== found);
    const verdict = judgeReads({ ...reads, paths }, { shown, trees }, starts, false, law);
    if (!verdict.allowed) return verdict;
  }
  const bound = { left: mostSeen };
  for (const start of starts)
    for (const tree of trees) {
      const why = closedIn(tree, placeOf(literal(tree.place), start, law.home), isSplit, law, bound);
      if (why !== undefined) return refused(`${shown} ${why}`);
    }
  return { allowed: true, reason: null };
}

/** Why not everything there, met or not, may be handed on, or undefined if it may. Secrets are checked among what is met. */
function closedIn(
  tree: Tree,
  place: string,
  isSplit: boolean,
  law: CommandLaw,
  bound: { left: number },
): string | undefined {
  const isOdd = (name: string): boolean => isSplit && (/[\s'"\\]/u.test(name) || name.startsWith("-"));
  const oddly = (name: string): string => `may get "${name}", which may not arrive as one file name`;
  const isClosed = (path: string): boolean => {
    const forms = pathForms(path, law.reader);
    return !law.folders.contain(forms, "read");
  };
  if (isOdd(tree.place)) return oddly(tree.place);
  if (/[*?[]/u.test(tree.place)) return "gets names from a place that only the shell knows";
  if (tree.place === repositoryTop) return "gets names of the whole repository";
  if (tree.follows === "all") return "follows links, and where these lead in the end is not checked";
  if (isClosed(place)) return "reads outside the working directories";
  if (tree.git === "tracked") {
    const repository = repositoryAt(place);
    const names = repository === undefined ? undefined : trackedIn(repository);
    if (repository === undefined || names === undefined) return "gets names that cannot be told";
    const odd = names.find((name) => name.split("/").some(isOdd));
    if (odd !== undefined) return oddly(odd);
    bound.left -= names.length;
    if (bound.left < 0) return "goes through more files than can be looked at";
    const known = linksIn(repository);
    const led = known.find((link) => isClosed(join(repository.top, link)));
    if (led !== undefined) return `may read ${led}, which leads outside the working directories`;
    const other = newLink(repository.top, names, new Set(known), law);
    return other === undefined ? undefined : `may read ${other}, a link in place of a file or folder that git knows of`;
  }
  const open = [resolve(place)];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const entries = entriesIn(folder, law.reader);
    bound.left -= entries.length;
    if (bound.left < 0) return "goes through more files than can be looked at";
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (isOdd(entry.name)) return oddly(entry.name);
      if (entry.isDirectory()) open.push(path);
      else if (entry.isSymbolicLink() && isClosed(path))
        return `may read ${path}, which leads outside the working directories`;
    }
  }
  return undefined;
}

/** The first link that replaced a file or folder git knows of. Git prints the name all the same. */
function newLink(top: string, names: readonly string[], known: ReadonlySet<string>, law: Law): string | undefined {
  const folders = new Set(["."]);
  for (const name of names)
    for (let folder = dirname(name); !folders.has(folder); folder = dirname(folder)) folders.add(folder);
  const all = new Set([...names, ...folders]);
  for (const folder of folders)
    for (const entry of entriesIn(join(top, folder), law.reader)) {
      const path = join(folder, entry.name);
      if (entry.isSymbolicLink() && all.has(path) && !known.has(path)) return path;
    }
  return undefined;
}
