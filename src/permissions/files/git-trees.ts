/** Files of a repository that git shows or changes without any word naming them: all that it tracks, or all that it does not. */
import { showsContent, tracedBy } from "../git/git-content.ts";
import { divided, has, type Operands } from "../options/operands.ts";
import { gitCommand } from "../options/program-options.ts";
import { isGiven } from "../options/running-options.ts";
import { hasHole } from "../shell/fill.ts";
import { movedWhole } from "./copied-trees.ts";
import { gitIgnoreFiles } from "./ignored-names.ts";
import { type Skips, treeAt, type Tree } from "./tree.ts";

/** Stands for the repository's top folder. */
export const repositoryTop = ":/";

const shown = new Set("diff difftool show whatchanged range-diff format-patch archive fast-export".split(" "));
const packing = new Set(["format-patch", "archive", "fast-export"]);
const shownAsPatch = new Set("log reflog diff-tree diff-files diff-index".split(" "));
const merging = new Set(
  "pull merge rebase cherry-pick revert am bisect sparse-checkout filter-branch filter-repo".split(" "),
);
const revisionFile = /^[^\s:/]*(?:\/[^\s:]+)?:[^:]/u;

/** The beginning of a pathspec, where one may occur. */
const magic = /^:[/(!^]/u;

/** `texts` begin with git's command. `isThere`: whether a word that may also be a revision names an existing path. */
export function treesOfGit([command = "", ...texts]: readonly string[], isThere: (text: string) => boolean): Tree[] {
  // clean only removes what exists.
  const isPath = (text: string): boolean => isThere(text) || magic.test(text) || command === "clean";
  // Git looks for `--` before it parses its options.
  const end = texts.indexOf("--");
  const paths = end < 0 ? [] : texts.slice(end + 1);
  const read = divided(end < 0 ? texts : texts.slice(0, end), gitCommand(command));
  const named = [...paths, ...[...read.operands, ...tracedBy(read)].filter(isPath)].map(placeOf);
  const at = (given: Partial<Tree>, otherwise = repositoryTop): Tree[] =>
    (named.length === 0 ? [otherwise] : named).map((place) => treeAt(place, { git: "tracked", ...given }));
  if (command === "grep") return searched(read, paths, isPath);
  if (command === "stash" && ["show", "list"].includes(read.operands[0] ?? ""))
    return showsContent(read, true) ? at({ isCommon: true }) : [];
  if (command === "diff" && has(read, "--no-index")) return read.operands.map((place) => treeAt(place));
  if (command === "status") return has(read, "-v", "--verbose") ? at({ isCommon: true }) : [];
  if (shown.has(command) || shownAsPatch.has(command)) {
    const isFiles =
      read.operands.length > 0 && read.operands.every((word) => revisionFile.test(word)) && paths.length === 0;
    if (isFiles || !showsContent(read, shownAsPatch.has(command))) return [];
    return at(packing.has(command) ? {} : { isCommon: true });
  }
  if (command === "cat-file") return showsObjects(read) ? at({ isCommon: true }) : [];
  const change: Partial<Tree> = { access: "write" };
  const commonChange: Partial<Tree> = { ...change, isCommon: true };
  if (merging.has(command)) return [treeAt(repositoryTop, { ...commonChange, git: "tracked" })];
  switch (command) {
    case "reset":
      return isGiven(read, "--hard", "--merge", "--keep") ? at(change) : [];
    case "stash":
      if (["drop", "clear", "create", "store"].includes(read.operands[0] ?? "")) return [];
      if (!isGiven(read, "-u", "--include-untracked", "-a", "--all")) return at(change);
      return [...at(change), ...at({ ...change, ...untracked(!isGiven(read, "-a", "--all")) })];
    case "switch":
      return changesBranch(read, "-c", "-C", "--create", "--force-create", "--orphan") ? at(commonChange) : [];
    // Ignored files are only added if they are named or forced.
    case "add":
    case "stage":
      if (!isGiven(read, "-f", "--force") || has(read, "-n", "--dry-run")) return [];
      return (read.operands.length + paths.length > 0 ? [...read.operands, ...paths] : [repositoryTop]).map(
        (pathspec) => ({ ...treeOfPathspec(pathspec), ...untracked(false) }),
      );
    case "checkout":
      if (named.length === 0) return changesBranch(read, "-b", "-B", "--orphan") ? at(commonChange) : [];
      return at(change);
    case "restore":
      return has(read, "--staged", "-S") && !isGiven(read, "--worktree", "-W") ? [] : at(change, ".");
    case "rm":
      return has(read, "--cached") ? [] : removed([...read.operands, ...paths]);
    case "mv":
      return movedWhole(["--", ...read.operands, ...paths]);
    case "checkout-index":
    case "read-tree":
      return at(change);
    case "clean":
      return has(read, "-n", "--dry-run") ? [] : at({ ...change, ...untracked(!has(read, "-x", "-X")) }, ".");
    default:
      return [];
  }
}

/** Words of this command are never revisions. */
function removed(pathspecs: readonly string[]): Tree[] {
  const trees = pathspecs.length === 0 ? [treeAt(".")] : pathspecs.map((each) => treeOfPathspec(each));
  return trees.map((tree) => ({ ...tree, access: "write", git: "tracked" }));
}

/** Files that git does not track. `ignored`: without those it is told to ignore. */
function untracked(ignored: boolean): Partial<Tree> {
  return { git: "untracked", skips: skipped(ignored) };
}

function skipped(ignored: boolean): Skips {
  return { by: ignored ? gitIgnoreFiles : [], hidden: false };
}

/** A glob of git's matches at any depth below its fixed beginning; it may restrict how names of files or folders end. */
export function treeOfPathspec(pathspec: string): Tree {
  if (/^:|\\/u.test(pathspec) || hasHole(pathspec)) return treeAt(repositoryTop);
  if (!/[*?[]/u.test(pathspec)) return treeAt(pathspec);
  const folder = pathspec.slice(0, pathspec.search(/[*?[]/u)).replace(/[^/]*$/u, "");
  const end = /\*([^*?[\]/]*)$/u.exec(pathspec)?.[1] ?? "";
  return treeAt(folder === "" ? "." : folder, {
    meets: (name, above) => [...above, name].some((each) => each.endsWith(end)),
  });
}

/** A pathspec that is more than a path may match any file. */
function placeOf(path: string): string {
  return /^:|[*?[]/u.test(path) || hasHole(path) ? repositoryTop : path;
}

/** Whether it shows objects that are named by no file, or by its input. */
function showsObjects(read: Operands): boolean {
  if (has(read, "--batch", "--batch-command")) return true;
  const isShown = has(read, "-p", "--textconv", "--filters") || read.operands[0] === "blob";
  return isShown && read.operands.some((word) => !word.includes(":"));
}

/** Creating a branch here changes no files. */
function changesBranch(read: Operands, ...makes: readonly string[]): boolean {
  return !has(read, ...makes) || read.operands.length > 0;
}

function searched(read: Operands, paths: readonly string[], isPath: (text: string) => boolean): Tree[] {
  const hasPattern = has(read, "-e", "-f", "--regexp");
  const named = [...paths, ...(hasPattern ? read.operands : read.operands.slice(1)).filter(isPath)].map(placeOf);
  const isLoose = isGiven(read, "--no-index", "--untracked");
  const ignored = has(read, "--exclude-standard") || !isGiven(read, "--no-index", "--no-exclude-standard");
  const given: Partial<Tree> = isLoose ? { skips: skipped(ignored) } : { git: "tracked" };
  return (named.length === 0 ? ["."] : named).map((place) => treeAt(place, given));
}
