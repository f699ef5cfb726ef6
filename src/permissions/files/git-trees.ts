/** Files of a repository that git shows or changes without any word naming them: all that it tracks, or all that it does not. */
import { showsContent, tracedFiles } from "../git/git-content.ts";
import { parseWords, hasOption, type Operands } from "../options/operands.ts";
import { gitCommand } from "../options/program-options.ts";
import { hasOptionOrAbbreviation } from "../options/running-options.ts";
import { hasHole } from "../shell/fill.ts";
import { treesGivenByGit } from "./git-given-trees.ts";
import { treesOfMv } from "./copied-trees.ts";
import { gitIgnoreFiles } from "./ignored-names.ts";
import { type Skips, treeAt, type Tree } from "./tree.ts";

/** Stands for the repository's top folder. */
export const repositoryTop = ":/";

const contentCommands = new Set(
  "diff difftool show whatchanged range-diff format-patch archive fast-export".split(" "),
);
const exportCommands = new Set(["format-patch", "archive", "fast-export"]);
const patchCommands = new Set("log reflog diff-tree diff-files diff-index".split(" "));
const treeChangingCommands = new Set(
  "pull merge rebase cherry-pick revert am bisect sparse-checkout filter-branch filter-repo".split(" "),
);
const revisionFile = /^[^\s:/]*(?:\/[^\s:]+)?:[^:]/u;

/** The beginning of a pathspec, where one may occur. */
const pathspecMagic = /^:[/(!^]/u;

/** `texts` begin with git's command. `isThere`: whether a word that may also be a revision names an existing path. */
export function treesOfGit([command = "", ...texts]: readonly string[], isThere: (text: string) => boolean): Tree[] {
  // clean only removes what exists.
  const isPath = (text: string): boolean => isThere(text) || pathspecMagic.test(text) || command === "clean";
  // Git looks for `--` before it parses its options.
  const end = texts.indexOf("--");
  const paths = end < 0 ? [] : texts.slice(end + 1);
  const read = parseWords(end < 0 ? texts : texts.slice(0, end), gitCommand(command));
  const places = limitingPaths(read, paths, isPath).map(pathspecPlace);
  const at = (fields: Partial<Tree>, otherwise = repositoryTop): Tree[] =>
    (places.length === 0 ? [otherwise] : places).map((place) => treeAt(place, { git: "tracked", ...fields }));
  if (command === "grep") return treesOfGitGrep(read, paths, isPath);
  if (command === "stash" && ["show", "list"].includes(read.operands[0] ?? ""))
    return showsContent(read, true) ? at({ isCommon: true }) : [];
  const given = treesGivenByGit(command, read, repositoryTop, isThere);
  if (given !== undefined) return given;
  if (command === "diff" && hasOption(read, "--no-index")) return read.operands.map((place) => treeAt(place));
  if (command === "status") return hasOption(read, "-v", "--verbose") ? at({ isCommon: true }) : [];
  if (contentCommands.has(command) || patchCommands.has(command)) return treesOfContent(command, read, paths, at);
  if (command === "cat-file") return showsObjects(read) ? at({ isCommon: true }) : [];
  const change: Partial<Tree> = { access: "write" };
  const commonChange: Partial<Tree> = { ...change, isCommon: true };
  if (treeChangingCommands.has(command)) return [treeAt(repositoryTop, { ...commonChange, git: "tracked" })];
  switch (command) {
    case "reset":
      return hasOptionOrAbbreviation(read, "--hard", "--merge", "--keep") ? at(change) : [];
    case "stash":
      if (["drop", "clear", "create", "store"].includes(read.operands[0] ?? "")) return [];
      if (!hasOptionOrAbbreviation(read, "-u", "--include-untracked", "-a", "--all")) return at(change);
      return [...at(change), ...at({ ...change, ...untrackedOnly(!hasOptionOrAbbreviation(read, "-a", "--all")) })];
    case "switch":
      return switchesBranch(read, "-c", "-C", "--create", "--force-create", "--orphan") ? at(commonChange) : [];
    // Ignored files are only added if they are named or forced.
    case "add":
    case "stage":
      if (!hasOptionOrAbbreviation(read, "-f", "--force") || hasOption(read, "-n", "--dry-run")) return [];
      return (read.operands.length + paths.length > 0 ? [...read.operands, ...paths] : [repositoryTop]).map(
        (pathspec) => ({ ...treeOfPathspec(pathspec), ...untrackedOnly(false) }),
      );
    case "checkout":
      if (places.length === 0) return switchesBranch(read, "-b", "-B", "--orphan") ? at(commonChange) : [];
      return at(change);
    case "restore":
      return hasOption(read, "--staged", "-S") && !hasOptionOrAbbreviation(read, "--worktree", "-W")
        ? []
        : at(change, ".");
    case "rm":
      return hasOption(read, "--cached") ? [] : removedTrees([...read.operands, ...paths]);
    case "mv":
      return treesOfMv(["--", ...read.operands, ...paths]);
    case "checkout-index":
    case "read-tree":
      return at(change);
    case "clean":
      return hasOption(read, "-n", "--dry-run")
        ? []
        : at({ ...change, ...untrackedOnly(!hasOption(read, "-x", "-X")) }, ".");
    default:
      return [];
  }
}

/** Files that are shown with their changes, or as of a revision. */
function treesOfContent(
  command: string,
  read: Operands,
  paths: readonly string[],
  at: (fields: Partial<Tree>) => Tree[],
): Tree[] {
  // An archive of `HEAD:folder` has its files.
  const isFiles =
    command !== "archive" &&
    read.operands.length > 0 &&
    read.operands.every((word) => revisionFile.test(word)) &&
    paths.length === 0;
  if (isFiles || !showsContent(read, patchCommands.has(command))) return [];
  return at(exportCommands.has(command) ? {} : { isCommon: true });
}

/** The words that limit what git gets at. With `--full-diff`, a path only chooses commits, and the whole of each is shown. */
function limitingPaths(read: Operands, paths: readonly string[], isPath: (text: string) => boolean): string[] {
  const isWhole = hasOptionOrAbbreviation(read, "--full-diff");
  return isWhole ? [] : [...paths, ...[...read.operands, ...tracedFiles(read)].filter(isPath)];
}

/** Words of this command are never revisions. */
function removedTrees(pathspecs: readonly string[]): Tree[] {
  const trees = pathspecs.length === 0 ? [treeAt(".")] : pathspecs.map((each) => treeOfPathspec(each));
  return trees.map((tree) => ({ ...tree, access: "write", git: "tracked" }));
}

/** Files that git does not track. `skipsIgnored`: without those it is told to ignore. */
function untrackedOnly(skipsIgnored: boolean): Partial<Tree> {
  return { git: "untracked", skips: gitSkips(skipsIgnored) };
}

const skipsOfIgnored: Skips = { ignoreFiles: gitIgnoreFiles, hidden: false };
const noSkips: Skips = { ignoreFiles: [], hidden: false };

function gitSkips(skipsIgnored: boolean): Skips {
  return skipsIgnored ? skipsOfIgnored : noSkips;
}

/** A glob of git's matches at any depth below its fixed beginning; it may restrict how names of files or folders end. */
export function treeOfPathspec(pathspec: string): Tree {
  if (/^:|\\/u.test(pathspec) || hasHole(pathspec)) return treeAt(repositoryTop);
  if (!/[*?[]/u.test(pathspec)) return treeAt(pathspec);
  const folder = pathspec.slice(0, pathspec.search(/[*?[]/u)).replace(/[^/]*$/u, "");
  const end = /\*([^*?[\]/]*)$/u.exec(pathspec)?.[1] ?? "";
  return treeAt(folder === "" ? "." : folder, {
    reaches: (name, above) => [...above, name].some((each) => each.endsWith(end)),
  });
}

/** A pathspec that is more than a path may match any file. */
function pathspecPlace(path: string): string {
  return /^:|[*?[]/u.test(path) || hasHole(path) ? repositoryTop : path;
}

/** Whether it shows objects that are named by no file, or by its input. */
function showsObjects(read: Operands): boolean {
  const isShown = hasOption(read, "-p", "--textconv", "--filters") || read.operands[0] === "blob";
  return isShown && read.operands.some((word) => !word.includes(":"));
}

/** Creating a branch here changes no files. */
function switchesBranch(read: Operands, ...makes: readonly string[]): boolean {
  return !hasOption(read, ...makes) || read.operands.length > 0;
}

function treesOfGitGrep(read: Operands, paths: readonly string[], isPath: (text: string) => boolean): Tree[] {
  const hasPattern = hasOption(read, "-e", "-f", "--regexp");
  const places = [...paths, ...(hasPattern ? read.operands : read.operands.slice(1)).filter(isPath)].map(pathspecPlace);
  const isLoose = hasOptionOrAbbreviation(read, "--no-index", "--untracked");
  const skipsIgnored =
    hasOption(read, "--exclude-standard") || !hasOptionOrAbbreviation(read, "--no-index", "--no-exclude-standard");
  const properties: Partial<Tree> = isLoose ? { skips: gitSkips(skipsIgnored) } : { git: "tracked" };
  return (places.length === 0 ? ["."] : places).map((place) => treeAt(place, properties));
}
