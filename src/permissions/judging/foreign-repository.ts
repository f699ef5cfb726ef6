/** A rule for git is given for the repository here. A repository that comes along in a folder brings settings of its own. */
import { realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { isFolder, isKnownToExist } from "../../lib/path-status.ts";
import { commonGitFolder, gitFolderFromFile, looksLikeBareRepository } from "../../lib/git-repository.ts";
import { isExactPattern } from "../rules/command-pattern.ts";
import { programIndex } from "../rules/front-words.ts";
import { placeIn } from "../paths/path-forms.ts";
import type { Law } from "./law.ts";
import type { Rule, Specifier } from "../rules/rule.ts";
import { textsOf } from "../shell/text.ts";
import { isFixed, type ShellWord } from "../shell/step.ts";
import { takesNextWord } from "../options/operands.ts";

type WordText = Pick<ShellWord, "text" | "kind">;

interface FolderContext {
  start: string;
  /** The working directory. */
  workingFolder: string;
  home: string;
}

/** The reason the rule is not enough, or undefined if it is. `starts`: the folders the command may run in. */
export function foreignRepositoryReason(
  written: readonly WordText[],
  rule: Rule,
  starts: readonly string[],
  { folders, home }: Law,
): string | undefined {
  const at = programIndex(textsOf(written));
  const [workingFolder = "/"] = folders.writtenPaths();
  const isHere = starts.every((start) => start === workingFolder);
  if (written[at]?.text !== "git" || rule.specifiers.some((specifier) => coversAnywhere(specifier, isHere)))
    return undefined;
  const ruleScopeText = `and the rule "${rule.rule}" is for the one here`;
  for (const start of starts) {
    const places = foldersUsedByGit(written.slice(at + 1), rule.rule, { start, workingFolder, home });
    if (places === undefined)
      return `the repository git would use is known only to the shell at run time, ${ruleScopeText}`;
    const bareRepositories = places
      .filter((place) => place !== workingFolder)
      .flatMap((place) => bareRepositoryAbove(place) ?? []);
    const foreignRepository = bareRepositories.find((place) => place !== repositoryStore(workingFolder));
    if (foreignRepository !== undefined)
      return `${foreignRepository} looks like a repository without a working tree, whose settings git would follow, ${ruleScopeText}`;
  }
  return undefined;
}

/** A person who allows one exact command has seen where it goes from here. */
function coversAnywhere(specifier: Specifier, isHere: boolean): boolean {
  return specifier.kind === "whole" || (isHere && specifier.kind === "command" && isExactPattern(specifier.pattern));
}

/** The folders that git would use: empty if the rule names them, undefined if only the shell knows. */
function foldersUsedByGit(
  written: readonly WordText[],
  rule: string,
  { start, workingFolder, home }: FolderContext,
): string[] | undefined {
  const { folders, store } = readFolderOptions(written);
  // Whatever folder the shell expands the rest of the word to.
  const isOwnStore = store !== undefined && basename(resolve("/", store.text.replace(/["']$/u, ""))) === ".git";
  // A rule that names `--git-dir` is meant for that repository.
  if (isOwnStore || (store !== undefined && rule.includes("--git-dir"))) return [];
  const paddedRule = ` ${rule.replace(/(?::\*)?\)$/u, "")} `;
  // From another start folder, a relative name means another folder.
  const isNamed = ({ text }: WordText): boolean =>
    (start === workingFolder || isAbsolute(text)) && !text.includes("*") && paddedRule.includes(` -C ${text} `);
  if (store === undefined && folders.length > 0 && folders.every(isNamed)) return [];
  const names = store === undefined ? folders : [...folders, store];
  if (!names.every(isFixed)) return undefined;
  const within = (places: string[], { text }: WordText): string[] =>
    places.flatMap((place) => [placeIn(place, text), ...(text.startsWith("~/") ? [placeIn(home, text.slice(2))] : [])]);
  return names.reduce(within, [start]);
}

const noWord: WordText = { text: "", kind: "literal" };

/** Reads git's own options: git changes to each `-C` folder in turn, and from there to the last `--git-dir`. */
function readFolderOptions(written: readonly WordText[]): { folders: WordText[]; store: WordText | undefined } {
  const folders: WordText[] = [];
  let store: WordText | undefined;
  for (let at = 0; written[at]?.text.startsWith("-") === true; at += 1) {
    const word = written[at] ?? noWord;
    const next = written[at + 1] ?? noWord;
    if (word.text === "-C") folders.push(next);
    if (word.text === "--git-dir") store = next;
    if (word.text.startsWith("--git-dir=")) store = { ...word, text: word.text.slice("--git-dir=".length) };
    if (takesNextWord("git", word.text)) at += 1;
  }
  return { folders, store };
}

/** Git takes the first repository it meets on its way up from the resolved folder. */
function bareRepositoryAbove(folder: string): string | undefined {
  const place = repositoryAbove(folder);
  return place !== undefined && looksLikeBareRepository(place) ? place : undefined;
}

/** Where the settings of the repository here lie. A bare repository's work trees lie beside or within it. */
function repositoryStore(folder: string): string | undefined {
  const place = repositoryAbove(folder);
  if (place === undefined || looksLikeBareRepository(place)) return place;
  const path = join(place, ".git");
  const own = isFolder(path) ? path : gitFolderFromFile(place);
  return own === undefined ? undefined : commonGitFolder(own);
}

function repositoryAbove(folder: string): string | undefined {
  try {
    for (let place = realpathSync.native(folder); ; place = dirname(place)) {
      if (looksLikeBareRepository(place) || isKnownToExist(join(place, ".git"))) return place;
      if (dirname(place) === place) return undefined;
    }
  } catch {
    // Git cannot get there either.
    return undefined;
  }
}
