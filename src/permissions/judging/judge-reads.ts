/** Judges whether what a command reads may be read: the paths it names, what its globs find, and where links lead if it follows them. */
import { dirname, join, relative, resolve } from "node:path";
import { mayShowGuardedFile } from "./guarded-content.ts";
import { filesMatching, findLinksBelow, maxEntries } from "../files/found-files.ts";
import { repositoryAt } from "../git/git-tracked.ts";
import { repositoryTop } from "../files/git-trees.ts";
import type { CommandLaw } from "./law.ts";
import { folderForms, isFolder, isInside, pathForms, placeIn } from "../paths/path-forms.ts";
import type { PermissionReason } from "../../protocol/permission.ts";
import type { Reads } from "../reads/read-only.ts";
import type { ReadPath } from "../shell/read-words.ts";
import { mayBeSecret } from "../paths/secret-names.ts";
import type { ShellStep, ShellWord } from "../shell/step.ts";
import { findFirstFile } from "../files/tree-files.ts";
import { maxWalked, type FolderVisitor } from "../files/tree-walk.ts";
import type { Tree } from "../files/tree.ts";

/** A `null` reason means allowed without a rule. */
export type StepVerdict =
  | { allowed: true; reason: PermissionReason | null }
  /** `step`: the command of a line that lacks permission, if it is a single one. It may run in another folder than the line. */
  | { allowed: false; why: string; step?: ShellStep; isInOtherFolder?: boolean };

export const stepAllowed: StepVerdict = { allowed: true, reason: null };

export function refuseStep(why: string, step?: ShellStep, isInOtherFolder = false): StepVerdict {
  return { allowed: false, why, isInOtherFolder, ...(step === undefined ? {} : { step }) };
}

/** The path as a program would open it. */
export function wordPath(word: ShellWord, start: string, home: string): string {
  return word.kind === "home" ? placeIn(home, `.${word.text.slice(1)}`) : placeIn(start, word.text);
}

export function judgeReads(
  { paths, usesGit, content }: Reads,
  { shown, trees }: { shown: string; trees: readonly Tree[] },
  starts: readonly string[],
  changesFolder: boolean,
  law: CommandLaw,
): StepVerdict {
  if (usesGit && changesFolder) return refuseStep(`${shown} runs git after a change of folder, which needs permission`);
  const doubt = usesGit ? law.gitDoubt(starts[0] ?? "/") : undefined;
  if (doubt !== undefined) return refuseStep(`${shown} needs permission here: ${doubt}`);
  if (content !== undefined && starts.some((start) => mayShowGuardedFile(content, start, law)))
    return refuseStep(
      `${shown} shows changes of more files than it names, and there are rules about which may be read; followed by "--" and the path of a file that may be read, it needs no permission`,
    );
  for (const read of paths) {
    if (read.word.kind === "stream") continue;
    for (const start of starts) {
      const why = readProblem(read, shown, start, law);
      if (why !== undefined) return refuseStep(why);
    }
  }
  const budget = { left: maxWalked };
  for (const tree of trees) {
    for (const start of starts) {
      const place = tree.place === repositoryTop ? (repositoryAt(start)?.top ?? start) : placeIn(start, tree.place);
      const secret = findSecretBelow(tree, place, law, budget);
      if (secret !== undefined) return refuseStep(`${shown} shows ${secret}, which may be secret and needs permission`);
    }
  }
  return stepAllowed;
}

function mayRead(path: string, law: CommandLaw, forms = pathForms(path, law.reader)): boolean {
  return law.mayTouch({ kind: "path", access: "read", path, forms });
}

/**
 * The first file that may be secret by its name, among the files the command reaches. Files of packages and those that git tracks are left
 * out: everybody with the repository has the latter, and they are often keys made for tests. Nothing is searched beyond the limit.
 */
function findSecretBelow(tree: Tree, place: string, law: CommandLaw, budget: { left: number }): string | undefined {
  const visitor: FolderVisitor<string> = ({ names, isThirdParty }) => {
    const folder = names.join("/");
    const isSecret = mayBeSecret(`${folder}/x`);
    return (name, real) => {
      if (isThirdParty || !(isSecret || mayBeSecret(name) || (real !== undefined && mayBeSecret(real))))
        return undefined;
      const path = join(place, folder, name);
      return mayRead(path, law) ? undefined : join(tree.place === repositoryTop ? "" : tree.place, folder, name);
    };
  };
  if (tree.git === "tracked") return undefined;
  const { left } = budget;
  const find = (more: Partial<Tree>, within: { left: number }): string | undefined => {
    const found = findFirstFile({ ...tree, ...more, skipsPackages: true }, resolve(place), visitor, law.reader, within);
    return found === "too many" ? undefined : found;
  };
  // git is only asked if something was found, since its index may be long. The second search reuses what the first one read.
  return find({}, budget) === undefined ? undefined : find({ git: "untracked" }, { left });
}

/** The reason the path may not be read, or undefined if it may. */
function readProblem(
  { word, follows, showsNamesOnly = false }: ReadPath,
  shown: string,
  start: string,
  law: CommandLaw,
): string | undefined {
  const isGlob = word.kind === "glob";
  const path = wordPath(isGlob ? fixedBeginning(word) : word, start, law.home);
  const forms = pathForms(path, law.reader);
  const isHidden = isGlob && /(?:^|\/)\.[^/]*$/u.test(word.text);
  const isOpen = mayRead(path, law, forms);
  const secret = `${shown} shows what may be secret, which needs permission`;
  const outside = `${shown} reads outside the working directories`;
  if (isGlob && leadsUpward(word.text)) return outside;
  if (isGlob && showsNamesOnly) return isOpen ? listingProblem(word, shown, start, law) : outside;
  // For a glob, no rule for a single file can say which files it finds.
  const isClosed = isGlob ? isHidden || mayBeSecret(word.text) : !isOpen;
  if (isClosed && (isHidden || [word.text, ...forms.forms].some(mayBeSecret))) return secret;
  if (!isOpen) return outside;
  const found = isGlob ? filesMatching(placeIn(start, word.text)) : [path];
  if (isGlob && fixedBeginning(word).text === "." && found?.some((each) => relative(start, each).startsWith("-")))
    return `${shown} finds a file whose name may be an option`;
  const links = follows === undefined ? [] : found?.map((each) => followedLinks(each, follows, law));
  const all = [found, ...(links ?? [])];
  if (all.includes(undefined)) return `${shown} reads more files than can be looked at`;
  for (const each of all.flatMap((files) => files ?? [])) {
    const leads = pathForms(each, law.reader);
    if (!mayRead(each, law, leads)) return leads.forms.some(mayBeSecret) ? secret : outside;
  }
  return undefined;
}

/** Also links in the folders that links lead to. Undefined if there are too many files to look at. */
function followedLinks(place: string, follows: "all" | "folders", law: CommandLaw): string[] | undefined {
  const budget = { left: maxEntries };
  const walked: string[] = [];
  const found: string[] = [];
  const open = [place];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const real = folderForms(folder, law.reader).at(-1) ?? folder;
    if (walked.some((each) => isInside(each, real))) continue;
    walked.push(real);
    const links = findLinksBelow(folder, {}, budget)?.links;
    if (links === undefined) return undefined;
    for (const link of links) {
      const isToFolder = isFolder(link, law.reader);
      if (follows === "all" || isToFolder) found.push(link);
      // Another folder is reported for the link itself.
      if (isToFolder && mayRead(link, law)) open.push(link);
    }
  }
  return found;
}

/** For a glob whose command only shows the names it finds: checks the folders that are looked into. */
function listingProblem(word: ShellWord, shown: string, start: string, law: CommandLaw): string | undefined {
  const folders = filesMatching(dirname(placeIn(start, word.text)));
  if (folders === undefined) return `${shown} reads more files than can be looked at`;
  const isOpen = folders.every((folder) => mayRead(folder, law));
  return isOpen ? undefined : `${shown} reads outside the working directories`;
}

/** Whether the glob leads up after its fixed beginning. In older shells `.*` also matches the folder above. */
function leadsUpward(pattern: string): boolean {
  const start = pattern.slice(0, pattern.search(/[*?[]/u)).lastIndexOf("/") + 1;
  const folders = pattern.slice(start).split("/").slice(0, -1);
  return (
    folders.some((folder) => folder === ".." || /^\.\.?(?:[*?]|\[(?![!^]\.))/u.test(folder)) || pattern.endsWith("/..")
  );
}

/** Whatever a glob finds lies below its fixed beginning. */
function fixedBeginning(word: ShellWord): ShellWord {
  const folder = word.text.slice(0, word.text.search(/[*?[]/u)).replace(/[^/]*$/u, "");
  return { ...word, kind: "literal", text: folder === "" ? "." : folder };
}
