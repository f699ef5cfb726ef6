/** A snapshot of the repository for the system prompt, taken without letting the repository run anything. */
import {
  hasEmbeddedRepository,
  isOfOtherFolder,
  readBranch,
  readMainBranch,
  readOperation,
  readSettingNames,
} from "./git-folder.ts";
import type { Environment } from "../lib/environment.ts";
import { findRepository } from "../lib/git-repository.ts";
import { withoutInvisible } from "../lib/invisible-characters.ts";
import { listsFilteredFile } from "./filtered-files.ts";
import { runGitResult, findGit, runGit, type GitResult, type GitPlace } from "./run-git.ts";

export interface GitStatusOptions {
  /** Absolute. */
  cwd: string;
  env: Environment;
  /** The time limit of one command, ms. Default 2,000. */
  timeoutMs?: number;
  /** Aborting it ends git. */
  signal?: AbortSignal;
}

const maxStatusCharacters = 2_000;

/** Returns undefined outside a repository, if the repository is another folder's, without git, or if git refuses the folder. */
export async function gitStatus({
  cwd,
  env,
  timeoutMs = 2_000,
  signal,
}: GitStatusOptions): Promise<string | undefined> {
  const top = findRepository(cwd);
  if (top === undefined || hasEmbeddedRepository(cwd, top) || isOfOtherFolder(top)) return undefined;
  const program = findGit(env, top);
  if (program === undefined) return undefined;
  const place: GitPlace = { cwd, top, program, env, limitMs: timeoutMs, ...(signal && { signal }) };
  const main = readMainBranch(cwd);
  const [status, log, refs] = await Promise.all([
    statusOf(place),
    runGit(logCommand, place),
    main === undefined ? runGit(["for-each-ref", "--format=%(refname) %(symref)", ...mainRefs], place) : undefined,
  ]);
  // Git refuses the folder.
  if (!status.ok && log === undefined) return undefined;
  return render({
    branch: readBranch(cwd),
    operation: readOperation(cwd),
    main: main === undefined ? mainBranch(refs ?? "") : (main ?? undefined),
    status,
    log,
  });
}

async function statusOf(place: GitPlace): Promise<GitResult> {
  const known = readSettingNames(place.cwd, place.program, place.env);
  const names: GitResult =
    known === undefined
      ? await runGitResult(["config", "--list", "--name-only", "-z"], place)
      : { ok: true, output: known };
  if (!names.ok) return names;
  const quiet = disablingSettings(names.output);
  if (quiet === null) return { ok: false, why: "the repository configures a filter or hook that would run a program" };
  // With quoted octal codes, the model could not tell which file is meant.
  const end = await runGitResult(statusCommand, { ...place, mayBeCut: true }, [...quiet, "core.quotePath=false"]);
  const hasFilters = quiet.some((setting) => setting.startsWith("filter."));
  if (!end.ok || !hasFilters || !(await listsFilteredFile(end.output, place))) return end;
  return { ok: true, output: `${filterWarning}\n${end.output}` };
}

const filterWarning = "(Files with a filter, as LFS has one, may be unchanged: only git status itself can tell.)";

/** In UTF-8, whatever `i18n.logOutputEncoding` says: it may be GBK for some consoles. */
const logCommand = [
  "log",
  "-n",
  "5",
  "--encoding=UTF-8",
  "--no-show-signature",
  "--no-color",
  "--no-decorate",
  "--format=%h %s",
];

const mainRefs = ["refs/remotes/origin/HEAD", "refs/heads/main", "refs/heads/master"];

/** Comparing a file would run its filter; a submodule would run its own git with its own configuration. */
const statusCommand = [
  "status",
  "--porcelain=v1",
  "--untracked-files=normal",
  "--ignore-submodules=all",
  "--no-renames",
];

/** Returns settings that disable every filter and hook in the configuration; null if one has a name that cannot be used in a setting. */
export function disablingSettings(names: string): string[] | null {
  const filters = new Set<string>();
  const hooks = new Set<string>();
  for (const name of names.split("\0")) {
    const filter = /^filter\.([^]*)\.(?:clean|smudge|process|required)$/i.exec(name)?.[1];
    if (filter !== undefined) filters.add(filter);
    const hook = /^hook\.([^]*)\.(?:command|event)$/i.exec(name)?.[1];
    if (hook !== undefined) hooks.add(hook);
  }
  // Bytes that are not UTF-8 are lost in a name, and "=" would end it.
  if ([...filters, ...hooks].some((name) => /[=\n\ufffd]/u.test(name))) return null;
  const off = [...filters].flatMap((name) => [
    `filter.${name}.clean=`,
    `filter.${name}.smudge=`,
    `filter.${name}.process=`,
    `filter.${name}.required=false`,
  ]);
  // Since git 2.54. `core.hooksPath` does not affect these hooks.
  return [...off, ...[...hooks].flatMap((name) => [`hook.${name}.enabled=false`, `hook.${name}.event=`])];
}

/** Returns the remote's default branch, or else the first of the usual names that exists. */
function mainBranch(refs: string): string | undefined {
  const lines = refs.split("\n").map((line) => line.split(" "));
  const remote = lines.find(([name]) => name === mainRefs[0])?.[1]?.replace("refs/remotes/origin/", "");
  if (remote !== undefined && remote !== "") return remote;
  return lines.find(([name]) => name?.startsWith("refs/heads/"))?.[0]?.replace("refs/heads/", "");
}

interface Facts {
  branch: string | undefined;
  operation: string | undefined;
  main: string | undefined;
  status: GitResult;
  log: string | undefined;
}

function render({ branch, operation, main, status, log }: Facts): string {
  const lines = ["Git, as it was when the session began:", `Branch: ${visible(branch ?? "detached")}`];
  if (operation !== undefined) lines.push(`In progress: git ${operation}`);
  if (main !== undefined && main !== branch) lines.push(`Main branch: ${visible(main)}`);
  if (!status.ok) lines.push(`Status: not taken (${visible(status.why)}).`);
  else if (status.output.trim() === "") lines.push("Status: clean");
  else lines.push(`Status:\n${visible(cut(status.output.trimEnd()))}`);
  if (log !== undefined && log.trim() !== "") lines.push(`Last commits:\n${visible(cut(log.trimEnd()))}`);
  return lines.join("\n");
}

function cut(text: string): string {
  return text.length <= maxStatusCharacters ? text : `${text.slice(0, maxStatusCharacters)}\n… (cut)`;
}

/** Names and subjects are data: no control character, and nothing that only the model would see, may reach the prompt. */
function visible(text: string): string {
  return withoutInvisible(text.replaceAll("\t", "\ufffd"), () => "\ufffd");
}
