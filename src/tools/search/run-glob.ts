/** The work of the Glob tool. */
import { lstat, stat } from "node:fs/promises";
import { join } from "node:path";
import { isWithin } from "../../lib/is-within.ts";
import { quoteName } from "../../lib/quote-name.ts";
import type { ToolContext, ToolResult } from "../../protocol/tool.ts";
import type { ToolDependencies } from "../dependencies.ts";
import { environmentFlag, environmentNumber } from "../variables.ts";
import { settleAttempt, ToolError } from "../failure.ts";
import { assertUnmoved } from "../judged-place.ts";
import { resolvePath, showPath } from "../paths.ts";
import { otherSpelling } from "../missing-file.ts";
import { absoluteFoundPath, showFoundPath } from "./found-path.ts";
import { planGlob, type GlobPlan } from "./glob-pattern.ts";
import { listMatching, listVisible } from "./list-files.ts";
import { newestFirst } from "./newest-first.ts";
import type { SearchScope } from "./ripgrep.ts";

export interface GlobInput {
  pattern: string;
  path?: string;
}

const mostShown = 100;

async function assertDirectory(path: string, cwd: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) {
    const hint = otherSpelling(path) ?? `The working directory is ${quoteName(cwd)}.`;
    throw new ToolError(`Directory not found: ${showPath(path, cwd)}. ${hint}`);
  }
  if (!found.isDirectory()) throw new ToolError(`${showPath(path, cwd)} is not a directory.`);
}

interface OrderedFiles {
  paths: Buffer[];
  total: number;
  endReason?: "timeout" | "output";
  hasUnread?: true;
  /** Ignored files come after the others. */
  isSplit: boolean;
}

/** If not all files can be shown, files that git ignores come last: they are rarely wanted. */
async function findOrdered(plan: GlobPlan, scope: SearchScope, dependencies: ToolDependencies): Promise<OrderedFiles> {
  const { environment } = dependencies;
  const options = { includesHidden: environmentFlag(environment, "CLAUDE_CODE_GLOB_HIDDEN", true) };
  const includesIgnored = environmentFlag(environment, "CLAUDE_CODE_GLOB_NO_IGNORE", true);
  const { paths, ...late } = await listMatching(plan, scope, options, dependencies);
  if (includesIgnored && paths.length <= mostShown) {
    return {
      paths: await newestFirst(paths, scope.directory, scope.signal),
      total: paths.length,
      isSplit: false,
      ...late,
    };
  }
  const visible = new Set(
    (await listVisible(scope, options, dependencies)).paths.map((path) => path.toString("latin1")),
  );
  const isVisible = (path: Buffer): boolean => visible.has(path.toString("latin1"));
  const seen = await newestFirst(paths.filter(isVisible), scope.directory, scope.signal);
  if (!includesIgnored) return { paths: seen, total: seen.length, isSplit: false, ...late };
  const ignored = paths.filter((path) => !isVisible(path));
  const rest = seen.length >= mostShown ? ignored : await newestFirst(ignored, scope.directory, scope.signal);
  return { paths: [...seen, ...rest], total: paths.length, isSplit: ignored.length > 0, ...late };
}

/** Removes files that may not be read: their names are not revealed either. */
function withoutForbidden(files: OrderedFiles, directory: string, { mayShow }: ToolDependencies): OrderedFiles {
  if (mayShow === undefined) return files;
  const paths = files.paths.filter((path) => mayShow(absoluteFoundPath(path, directory)));
  return { ...files, paths, total: files.total - (files.paths.length - paths.length) };
}

/** The hint for a pattern that is the exact name of something it does not match. */
async function literalHint(
  { pattern }: GlobPlan,
  directory: string,
  { mayShow = () => true }: ToolDependencies,
): Promise<string[]> {
  const path = join(directory, pattern);
  const found = isWithin(path, directory) && mayShow(path) ? await lstat(path).catch(() => undefined) : undefined;
  if (found === undefined) return [];
  const name = quoteName(pattern === "" ? directory : pattern);
  if (found.isDirectory())
    return [`[${name} is a folder, and only files are found: add **/* to find the files in it.]`];
  if (found.isSymbolicLink()) return [`[${name} exists, but is a symbolic link, which Glob does not list.]`];
  if (!/[[\]{}]/.test(pattern)) return [];
  return [`[${name} exists: put a backslash before brackets and braces that are meant literally.]`];
}

async function globFiles(
  plan: GlobPlan,
  directory: string,
  context: ToolContext,
  dependencies: ToolDependencies,
): Promise<ToolResult> {
  const { clock, environment } = dependencies;
  const started = clock.elapsed();
  await assertDirectory(directory, context.cwd);
  assertUnmoved(directory, context);
  const limitMs = environmentNumber(environment, "CLAUDE_CODE_GLOB_TIMEOUT_SECONDS", 20) * 1000;
  const scope = { directory, signal: context.signal, clock, limitMs };
  const composed = withoutForbidden(await findOrdered(plan, scope, dependencies), directory, dependencies);
  // Archives made on a Mac store an accent as a separate character, so try the decomposed pattern too.
  const pattern = plan.pattern.normalize("NFD");
  const isDone = composed.total > 0 || composed.endReason !== undefined || pattern === plan.pattern;
  const found = isDone
    ? composed
    : withoutForbidden(await findOrdered({ ...plan, pattern }, scope, dependencies), directory, dependencies);
  const shown = found.paths.slice(0, mostShown);
  const truncated = found.total > shown.length || found.endReason !== undefined;
  const lines = shown.map((path) => showFoundPath(path, directory, context.cwd));
  if (shown.length === 0) lines.push("No files found", ...(await literalHint(plan, directory, dependencies)));
  if (found.endReason === "timeout")
    lines.push(`[The search was ended after ${limitMs / 1000} s: there may be more. Name a folder in path.]`);
  else if (truncated) {
    const how = found.isSplit ? "; those that git ignores come last" : "";
    lines.push(
      `[${shown.length} of ${found.endReason === undefined ? "" : "at least "}${found.total} files, newest first${how}. Narrow the pattern to see others.]`,
    );
  }
  if (found.hasUnread === true) lines.push("[Some folders could not be read, and were not searched.]");
  return {
    content: lines.join("\n"),
    output: {
      durationMs: Math.round(clock.elapsed() - started),
      numFiles: shown.length,
      filenames: shown.map((path) => absoluteFoundPath(path, directory)),
      truncated,
      totalMatches: found.total,
      countIsComplete: found.endReason === undefined,
      ...(found.endReason === "timeout" ? { timedOut: true } : {}),
    },
  };
}

export async function runGlob(
  input: GlobInput,
  context: ToolContext,
  dependencies: ToolDependencies,
): Promise<ToolResult> {
  const plan = planGlob(input.pattern, input.path);
  const directory = resolvePath(plan.base, context.cwd, dependencies.home);
  const attempt = { action: "search", name: showPath(directory, context.cwd), signal: context.signal };
  return await settleAttempt(attempt, () => globFiles(plan, directory, context, dependencies));
}
