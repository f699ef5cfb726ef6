/** A git work tree for an agent or a session: created, inspected and removed by git, which can run nothing from the repository. */
import { existsSync, lstatSync, realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { hasEmbeddedRepository } from "../../knowledge/git-folder.ts";
import { findRepository } from "../../lib/git-repository.ts";
import { disablingSettings } from "../../knowledge/git-status.ts";
import { runGitResult, findGit, type GitPlace } from "../../knowledge/run-git.ts";
import { KeyedLock } from "../../lib/keyed-lock.ts";
import { makeFolders } from "../../lib/make-folders.ts";
import { readRegularFile } from "../../lib/regular-file.ts";
import { reasonOf, systemCode } from "../../lib/system-reason.ts";
import { UsageError } from "../../lib/usage-error.ts";
import { type Worktree, worktreesFolder } from "./marker.ts";
import { excludeSharedArgs } from "./shared-folders.ts";

export interface WorktreePlaces {
  /** A folder in the tree that it is made from. Absolute. */
  cwd: string;
  env: GitPlace["env"];
  pawlHome: string;
}

/** `none`: the tree is as it was made. `unknown`: git could not tell. */
export type WorktreeChange =
  | { kind: "none" | "unknown" }
  /** `awayAt`: the commit that is checked out, if it is not its branch's. */
  | { kind: "some"; files: number; hasCommits: boolean; awayAt?: string };

/** Enough for a large repository on a slow disk. */
export const makeTimeoutMs = 10 * 60_000;
const checkTimeoutMs = 60_000;
/** `--force` twice: a tree whose creation was interrupted is locked. */
const removeArguments = ["worktree", "remove", "--force", "--force"];
/** Git locks the repository for each of these operations, so they run one at a time. */
const gitLock = new KeyedLock();

/** Plans a work tree without making it. Throws `UsageError` if there is nothing to make it from. */
export async function planWorktree(name: string, places: WorktreePlaces, signal: AbortSignal): Promise<Worktree> {
  const { cwd } = places;
  const found = findRepository(cwd);
  if (found === undefined || hasEmbeddedRepository(cwd, found))
    throw new UsageError(`${cwd} is not in a git repository, so no work tree can be made of it.`);
  const top = realpathSync(found);
  const place = { ...placeOf(top, places.env), signal };
  const head = await runGitResult(["rev-parse", "--verify", "HEAD^{commit}"], place);
  if (!head.ok)
    throw new UsageError(
      head.why === "Needed a single revision"
        ? `The repository ${top} has no commit that a work tree could begin with.`
        : `No work tree can be made of the repository ${top}: ${head.why}.`,
    );
  const folder = worktreesFolder(places.pawlHome, top);
  try {
    makeFolders(folder, 0o700);
  } catch (error) {
    throw toUsageError(folder, error);
  }
  const path = join(realpathSync(places.pawlHome), relative(places.pawlHome, join(folder, name)));
  // A link in the path would put the tree somewhere else.
  if (realpathSync(folder) !== join(path, ".."))
    throw new UsageError(`${folder} is reached through a link: no work tree is made there.`);
  const branch = `worktree-${name}`;
  const known = await runGitResult(["rev-parse", "--verify", "--quiet", `refs/heads/${branch}^{commit}`], place);
  if (known.ok) return { path, top, branch, base: known.output.trim(), keepsBranch: true };
  return { path, top, branch, base: head.output.trim() };
}

/** Converts an error of the system to a sentence; returns others unchanged. */
export function toUsageError(folder: string, error: unknown): unknown {
  if (systemCode(error) === undefined) return error;
  const way = "Set PAWL_HOME to a folder that can be written.";
  return new UsageError(`No work tree can be made in ${folder}: ${reasonOf(error)}. ${way}`, { cause: error });
}

/** Makes the tree, or continues its kept branch. Throws `UsageError`, leaving nothing behind. */
export async function addWorktree(plan: Worktree, { env }: WorktreePlaces, signal: AbortSignal): Promise<Worktree> {
  const { path, top, branch, base, keepsBranch } = plan;
  const place = { ...placeOf(top, env), limitMs: makeTimeoutMs, signal };
  return await gitLock.run(top, async () => {
    const quiet = await quietOptions(place);
    const way = keepsBranch === true ? [path, branch] : ["-b", branch, path, base];
    const add = () => runGitResult(["worktree", "add", "--no-guess-remote", ...way], place, quiet);
    let result = await add();
    if (!result.ok && (await forgetMissing(path, place, quiet))) result = await add();
    if (result.ok) {
      const gitFolder = gitFolderOf(path, top);
      if (gitFolder !== undefined) return { ...plan, gitFolder };
    }
    await dropNow(plan, env);
    throw new UsageError(
      `Git could not make the work tree ${path} (${result.ok ? "the result is not a work tree" : result.why}).`,
    );
  });
}

/** Git still knows a folder that was removed without it, and cannot create it again. Returns true if that was the case. */
async function forgetMissing(path: string, place: GitPlace, quiet: string[]): Promise<boolean> {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return false;
  return (await runGitResult([...removeArguments, path], place, quiet)).ok;
}

/** Expects an existing work tree as `addWorktree` left it. */
export async function findChanges(tree: Worktree, env: GitPlace["env"]): Promise<WorktreeChange> {
  const { path, top, branch, base, gitFolder } = tree;
  if (gitFolder === undefined || !existsSync(path)) return { kind: "none" };
  const own: GitPlace = { ...placeOf(top, env), cwd: path, top: path, gitFolder, limitMs: checkTimeoutMs };
  try {
    const quiet = await quietOptions(placeOf(top, env));
    const looked = ["status", "--porcelain=v1", "--untracked-files=normal", "--ignore-submodules=all", "--no-renames"];
    const [status, head, tip, modules] = await Promise.all([
      runGitResult([...looked, ...excludeSharedArgs(tree)], own, quiet),
      runGitResult(["rev-parse", "HEAD"], own),
      // The branch of a tree that a hook made is unknown.
      runGitResult(["rev-parse", branch === "" ? "HEAD" : `refs/heads/${branch}`], own),
      runGitResult(["ls-files", "--stage", "-z"], own),
    ]);
    if (!status.ok || !head.ok || !tip.ok) return { kind: "unknown" };
    // Git does not look into submodules here, so a fetched submodule counts as somebody's work.
    const fetched = modules.ok && submodulesIn(modules.output).some((name) => existsSync(join(path, name, ".git")));
    const files = status.output.split("\n").filter((line) => line !== "").length;
    const [at, ofBranch] = [head.output.trim(), tip.output.trim()];
    const hasCommits = at !== base || ofBranch !== base;
    if (!fetched && files === 0 && !hasCommits) return { kind: "none" };
    return { kind: "some", files, hasCommits, ...(at === ofBranch ? {} : { awayAt: at }) };
  } catch (error) {
    if (error instanceof UsageError) return { kind: "unknown" };
    throw error;
  }
}

function submodulesIn(listing: string): string[] {
  return listing.split("\0").flatMap((entry) => /^160000 [^\t]*\t([^]+)$/u.exec(entry)?.[1] ?? []);
}

/** Returns undefined if the folder is in no repository, or the repository has no commit. */
export async function headCommit(folder: string, env: GitPlace["env"]): Promise<string | undefined> {
  const top = findRepository(folder);
  const program = top === undefined ? undefined : findGit(env, top);
  if (top === undefined || program === undefined || hasEmbeddedRepository(folder, top)) return undefined;
  const head = await runGitResult(["rev-parse", "HEAD"], { cwd: folder, top, program, env, limitMs: checkTimeoutMs });
  return head.ok ? head.output.trim() : undefined;
}

/** Removes the tree, and its branch if that is still at the start commit. */
export async function dropWorktree(tree: Worktree, env: GitPlace["env"]): Promise<void> {
  await gitLock.run(tree.top, () => dropNow(tree, env));
}

async function dropNow({ path, top, branch, base, keepsBranch }: Worktree, env: GitPlace["env"]): Promise<void> {
  const place = { ...placeOf(top, env), limitMs: makeTimeoutMs };
  const quiet = await readQuietOptions(place);
  const remove = [...removeArguments, path];
  const removed = await runGitResult(remove, place, quiet ?? []);
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) await rm(path, { recursive: true, force: true });
  // Repeated once the folder is gone, so that git forgets it: the name could not be reused otherwise.
  if (!removed.ok) await runGitResult(remove, place, quiet ?? []);
  if (keepsBranch !== true && quiet !== null)
    await runGitResult(["update-ref", "-d", `refs/heads/${branch}`, base], place, quiet);
}

/** Returns the place for commands about the repository itself. Throws `UsageError` if git is not found. */
export function placeOf(top: string, env: GitPlace["env"]): GitPlace {
  const program = findGit(env, top);
  if (program === undefined) throw new UsageError("Git was not found, so no work tree can be made.");
  return { cwd: top, top, program, env, limitMs: checkTimeoutMs };
}

/** Returns git options that keep checkouts, comparisons and branch updates from running filters and hooks. Throws `UsageError`. */
export async function quietOptions(place: GitPlace): Promise<string[]> {
  const quiet = await readQuietOptions(place);
  if (quiet === null)
    throw new UsageError(
      `The repository ${place.top} configures a filter or a hook that cannot be switched off, so no work tree is made of it.`,
    );
  return quiet;
}

async function readQuietOptions(place: GitPlace): Promise<string[] | null> {
  const config = await runGitResult(["config", "--list", "--name-only", "-z"], place);
  return config.ok ? disablingSettings(config.output) : null;
}

/** Returns the path that git has just written into the new tree, if it belongs to this repository. */
function gitFolderOf(path: string, top: string): string | undefined {
  const read = readRegularFile(join(path, ".git"), 64 * 1024);
  const gitFolder = read.ok ? /^gitdir: (.+)$/mu.exec(read.text)?.[1]?.trim() : undefined;
  if (gitFolder === undefined || !existsSync(join(gitFolder, "commondir")) || !existsSync(join(top, ".git")))
    return undefined;
  return gitFolder;
}
