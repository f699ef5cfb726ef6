/** Lists the files that match a glob, with ripgrep or by hand. */
import type { ToolDependencies } from "../dependencies.ts";
import { ToolError } from "../failure.ts";
import { splitAtNul, withoutDotSlash } from "./found-path.ts";
import { createGlobMatch } from "./glob-filter.ts";
import type { GlobPlan } from "./glob-pattern.ts";
import type { ProgramResult } from "../run-program.ts";
import { globOptions, withRipgrepOr, runRipgrep, type SearchScope } from "./ripgrep.ts";
import { walk } from "./walk.ts";

export interface FileList {
  /** Relative to the scope's folder. */
  paths: Buffer[];
  /** Why the list may be incomplete. */
  endReason?: "timeout" | "output";
  /** Some folders could not be read. */
  hasUnread?: true;
}

/** The most files that the search by hand collects. */
const mostFiles = 200_000;

export interface ListOptions {
  includesHidden: boolean;
}

/** Lists matching files, including ignored ones. Throws a `ToolError` for an invalid pattern. */
export async function listMatching(
  plan: GlobPlan,
  scope: SearchScope,
  options: ListOptions,
  dependencies: ToolDependencies,
): Promise<FileList> {
  // The pattern ends with a slash: no file name does.
  if (plan.pattern === "") return { paths: [] };
  const byHand = async (): Promise<FileList> => await walkMatching(plan, scope, options, dependencies);
  return await withRipgrepOr(
    byHand,
    dependencies,
    async (program) => await listWithRipgrep(program, plan, scope, options),
  );
}

async function listWithRipgrep(
  program: string,
  plan: GlobPlan,
  scope: SearchScope,
  options: ListOptions,
): Promise<FileList> {
  // A leading slash anchors the pattern to the searched folder; a pattern without a slash matches names at any depth.
  const glob = plan.isName ? plan.pattern.replace(/^!/, "\\!") : `/${plan.pattern}`;
  // For all files, pass no glob: with one, older versions of ripgrep miss names that contain a line feed.
  const globs = plan.pattern === "**" ? [] : globOptions(glob);
  const hidden = options.includesHidden ? ["--hidden"] : [];
  const args = ["--files", "--null", "--no-ignore", ...hidden, ...globs];
  const result = await runRipgrep(program, args, "./", scope);
  // Exit code 2 without a message means that something could not be read.
  if (result.code === 2 && result.stdout.length === 0 && result.stderr !== "")
    throw new ToolError(`The pattern ${JSON.stringify(plan.pattern)} does not work: ${result.stderr}`);
  return toFileList(result);
}

/** Lists files that no .gitignore excludes. */
export async function listVisible(
  scope: SearchScope,
  options: ListOptions,
  dependencies: ToolDependencies,
): Promise<FileList> {
  const byHand = async (): Promise<FileList> =>
    await collectFiles(scope, { ...options, respectsIgnore: true }, dependencies, () => true);
  const hidden = options.includesHidden ? ["--hidden"] : [];
  const args = ["--files", "--null", ...hidden];
  return await withRipgrepOr(byHand, dependencies, async (program) =>
    toFileList(await runRipgrep(program, args, "./", scope)),
  );
}

function toFileList({ stdout, code, endReason }: ProgramResult): FileList {
  if (endReason === "aborted") throw new ToolError("The search was cancelled before it finished.");
  const paths = splitAtNul(stdout).map(withoutDotSlash);
  if (endReason !== undefined) return { paths, endReason };
  return code === 2 ? { paths, hasUnread: true } : { paths };
}

async function walkMatching(
  plan: GlobPlan,
  scope: SearchScope,
  options: ListOptions,
  dependencies: ToolDependencies,
): Promise<FileList> {
  const isMatch = await createGlobMatch(plan.pattern, { ...plan, ...options });
  return await collectFiles(scope, { ...options, respectsIgnore: false }, dependencies, isMatch);
}

async function collectFiles(
  scope: SearchScope,
  options: ListOptions & { respectsIgnore: boolean },
  { clock }: ToolDependencies,
  isMatch: (path: Buffer) => boolean,
): Promise<FileList> {
  const end = clock.elapsed() + scope.limitMs;
  const paths: Buffer[] = [];
  let isLate = false;
  const isOver = (): boolean => (isLate ||= clock.elapsed() > end);
  let hasUnread = false;
  const onUnread = (): void => void (hasUnread = true);
  for await (const path of walk({ ...options, directory: scope.directory, signal: scope.signal, isOver, onUnread })) {
    if (isMatch(path)) paths.push(path);
    if (paths.length >= mostFiles) return { paths, endReason: "output" };
  }
  if (isLate) return { paths, endReason: "timeout" };
  return hasUnread ? { paths, hasUnread } : { paths };
}
