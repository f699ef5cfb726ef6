/**
 * Fetches the commits of a pull request for a work tree that starts at them. They are fetched into a repository of pawl's own, so that
 * only the user's git configuration decides how servers are reached, and nothing that this repository's configuration names is run; the
 * repository supplies only the address.
 */
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { findGitFolder } from "../../knowledge/git-folder.ts";
import { runGitResult, type GitPlace } from "../../knowledge/run-git.ts";
import { commonGitFolder } from "../../lib/git-repository.ts";
import { sanitize } from "../../lib/sanitize.ts";
import { temporaryFolder } from "../../lib/temporary-folder.ts";
import { UsageError } from "../../lib/usage-error.ts";
import { nodeProcesses } from "../../transcript/process-table.ts";
import { systemClock } from "../../lib/system-clock.ts";
import { makeOwnedFolder, removeAbandonedFolders } from "../surroundings/owned-folder.ts";
import { quietOptions } from "./worktree.ts";

export interface PullRequest {
  /** As it was requested: `#12`, or its address. */
  reference: string;
  number: string;
  /** The repository that the address names: `host/owner/name` in lower case. Undefined: the one of `origin`. */
  repository?: string;
}

/** The name of a remote, and the URL from which git fetches. */
export interface Remote {
  name: string;
  url: string;
}

/** Returns undefined if the text does not mean a pull request. Throws `UsageError` for an address that is not a pull request's. */
export function parsePullRequest(reference: string): PullRequest | undefined {
  const [, number] = /^#([1-9]\d{0,9})$/u.exec(reference) ?? [];
  if (number !== undefined) return { reference, number };
  if (!/^https?:/iu.test(reference)) return undefined;
  const [, path, at] = /^([^?#]+)\/pull\/([1-9]\d{0,9})(?:[/?#].*)?$/iu.exec(reference) ?? [];
  const repository = path === undefined ? undefined : repositoryAt(path);
  if (at === undefined || repository === undefined)
    throw new UsageError(
      `--worktree ${withoutCredentials(reference)} is not the address of a pull request: it should end with /pull/ and a number.`,
    );
  return { reference, number: at, repository };
}

/** Returns `host/owner/name`, however the URL is written; undefined for a folder. */
function repositoryAt(url: string): string | undefined {
  const [, host, path] =
    /^[a-z][a-z+]*:\/\/(?:[^/@]*@)?([^/:@]+)(?::\d+)?\/(.+)$/iu.exec(url) ??
    /^(?:[^/@:]+@)?([^/:@]+):(?!\/\/)(.+)$/u.exec(url) ??
    [];
  const name = path
    ?.replace(/\/+$/u, "")
    .replace(/\.git$/iu, "")
    .replace(/^\/+/u, "");
  return host === undefined || name === undefined || name === "" ? undefined : `${host}/${name}`.toLowerCase();
}

/** `place`: the repository. Throws `UsageError` if it has no such remote. */
export async function remoteOf({ reference, repository }: PullRequest, place: GitPlace): Promise<Remote> {
  const listed = await runGitResult(["config", "-z", "--get-regexp", String.raw`^remote\..*\.url$`], place);
  const remotes = (listed.ok ? listed.output.split("\0") : []).flatMap((entry): Remote[] => {
    const [, name, url] = /^remote\.([^\n]+)\.url\n([^]+)$/u.exec(entry) ?? [];
    return name === undefined || url === undefined ? [] : [{ name, url }];
  });
  const isRequestedRemote = ({ name, url }: Remote): boolean =>
    repository === undefined ? name === "origin" : repositoryAt(url) === repository;
  const found = remotes.find(isRequestedRemote);
  if (found !== undefined) return { ...found, url: resolveUrl(found.url, place.top) };
  const what = repository === undefined ? 'no remote "origin"' : `no remote that is ${sanitize(repository)}`;
  throw new UsageError(
    `--worktree ${withoutCredentials(reference)}: the repository ${place.top} has ${what}: add it with "git remote add", or fetch the branch yourself and name a work tree.`,
  );
}

/** Resolves a folder the way git does: relative to the top of the repository. */
function resolveUrl(url: string, top: string): string {
  const isFolder = !isAbsolute(url) && !/^[^/]*:/u.test(url);
  return isFolder ? resolve(top, url) : url;
}

const folderPrefix = "pawl-pull-";

/** Returns the pull request's commit, which is then in the repository. Throws `UsageError`. */
export async function fetchPullRequest(
  { number }: PullRequest,
  { url }: Remote,
  place: Omit<GitPlace, "reach">,
): Promise<string> {
  const temporary = realpathSync(temporaryFolder(place.env));
  removeAbandonedFolders(temporary, folderPrefix, nodeProcesses, systemClock.now());
  const folder = makeOwnedFolder(temporary, folderPrefix, nodeProcesses);
  const refuse = (why: string): UsageError =>
    new UsageError(
      `Pull request ${number} could not be fetched from ${withoutCredentials(url)}: ${withoutCredentials(why.replace(/\.+$/u, ""))}.`,
    );
  try {
    createSharedRepository(folder, place);
    const how = ["--quiet", "--no-tags", "--no-auto-gc", "--no-recurse-submodules", "--no-write-fetch-head"];
    const own: GitPlace = { ...place, cwd: folder, gitFolder: folder, reach: "network" };
    const wanted = `+refs/pull/${number}/head:refs/heads/pull`;
    const fetched = await runGitResult(["fetch", ...how, "--", url, wanted], own);
    if (!fetched.ok) throw refuse(fetched.why);
    const tip = await runGitResult(["rev-parse", "--verify", "refs/heads/pull^{commit}"], own);
    if (!tip.ok) throw refuse(tip.why);
    const commit = tip.output.trim();
    const take = ["fetch", ...how, "--", folder, "refs/heads/pull"];
    const copied = await runGitResult(take, { ...place, reach: "disk" }, await quietOptions(place));
    const there = await runGitResult(["rev-parse", "--verify", "--quiet", `${commit}^{commit}`], place);
    if (!there.ok) throw refuse(copied.ok ? "it did not arrive" : copied.why);
    return commit;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Creates a repository that shares the objects of the other one, so that only new commits are fetched. */
function createSharedRepository(folder: string, { top }: GitPlace): void {
  const gitFolder = findGitFolder(top);
  const common = gitFolder === undefined ? undefined : commonGitFolder(gitFolder);
  if (common === undefined) throw new UsageError(`The repository of ${top} could not be found.`);
  mkdirSync(join(folder, "objects/info"), { recursive: true });
  mkdirSync(join(folder, "refs"));
  writeFileSync(join(folder, "HEAD"), "ref: refs/heads/none\n");
  writeFileSync(join(folder, "config"), "[core]\n\trepositoryformatversion = 0\n\tbare = true\n");
  writeFileSync(join(folder, "objects/info/alternates"), `${join(common, "objects")}\n`);
  const shallow = join(common, "shallow");
  if (existsSync(shallow)) writeFileSync(join(folder, "shallow"), readFileSync(shallow));
}

/** Removes the user name and password from URLs. */
function withoutCredentials(text: string): string {
  return sanitize(text)
    .replaceAll(/:\/\/[^/\s@]*@/gu, "://")
    .slice(0, 300);
}
