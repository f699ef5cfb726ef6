/** The work of the Grep tool. */
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { ToolContext, ToolInput, ToolResult } from "../../protocol/tool.ts";
import type { ToolDependencies } from "../dependencies.ts";
import { failureResult, settleAttempt } from "../failure.ts";
import { temporaryFolder } from "../../lib/temporary-folder.ts";
import { assertUnmoved } from "../judged-place.ts";
import { showPath } from "../paths.ts";
import { missingFileText } from "../missing-file.ts";
import { absoluteFoundPath, showFoundPath, withoutDotSlash } from "./found-path.ts";
import { globRelativeToFolder, readQuery, type GrepQuery } from "./grep-query.ts";
import { compareByPath, contentLines, type FileHits, type SearchHits } from "./hits.ts";
import { newestFirst } from "./newest-first.ts";
import { noMatchHints, missingPathHint } from "./no-match-hints.ts";
import { withRipgrepOr, type SearchScope } from "./ripgrep.ts";

const limitMs = 20_000;

interface Target {
  scope: SearchScope;
  /** Undefined: the whole folder. */
  file?: string;
}

async function search(query: GrepQuery, { scope, file }: Target, dependencies: ToolDependencies): Promise<SearchHits> {
  const byHand = async (): Promise<SearchHits> => {
    const { searchWithoutRipgrep } = await import("./grep-without-ripgrep.ts");
    return await searchWithoutRipgrep(query, scope, file, dependencies);
  };
  return await withRipgrepOr(byHand, dependencies, async (program) => {
    const { searchWithRipgrep } = await import("./grep-with-ripgrep.ts");
    const temporary = temporaryFolder(dependencies.environment);
    return await searchWithRipgrep(program, query, `./${file ?? ""}`, scope, temporary);
  });
}

async function sortHits(files: FileHits[], query: GrepQuery, scope: SearchScope): Promise<FileHits[]> {
  if (query.mode !== "files_with_matches") return files.toSorted(compareByPath);
  const paths = await newestFirst(
    files.map(({ path }) => path),
    scope.directory,
    scope.signal,
  );
  return paths.map((path) => ({ path, lines: [], count: 0 }));
}

interface Page<Item> {
  items: Item[];
  total: number;
  applied: { appliedLimit?: number; appliedOffset?: number };
}

function cutPage<Item>(items: readonly Item[], { limit, offset }: GrepQuery): Page<Item> {
  const applied: Page<Item>["applied"] = {};
  if (items.length > offset + limit) applied.appliedLimit = limit;
  if (offset > 0) applied.appliedOffset = offset;
  return { items: items.slice(offset, offset + limit), total: items.length, applied };
}

interface GrepPresentation {
  lines: string[];
  total: number;
  unit: string;
  output: Record<string, unknown>;
}

function presentHits(
  files: readonly FileHits[],
  query: GrepQuery,
  { scope, file }: Target,
  cwd: string,
): GrepPresentation {
  const { directory } = scope;
  if (query.mode === "content") {
    const view = {
      directory,
      cwd,
      isSingleFile: file !== undefined,
      hasNumbers: query.lineNumbers,
      hasContext: query.before + query.after > 0,
    };
    const page = cutPage(contentLines(files, view), query);
    const output = {
      mode: query.mode,
      numFiles: files.length,
      filenames: [],
      content: page.items.join("\n"),
      numLines: page.items.length,
      totalLines: page.total,
    };
    return { lines: page.items, total: page.total, unit: "lines", output: { ...output, ...page.applied } };
  }
  const page = cutPage(files, query);
  const filenames = page.items.map(({ path }) => absoluteFoundPath(path, directory));
  const common = { mode: query.mode, numFiles: page.items.length, filenames, totalFiles: page.total, ...page.applied };
  const names = page.items.map(({ path }) => showFoundPath(path, directory, cwd));
  if (query.mode === "files_with_matches") return { lines: names, total: page.total, unit: "files", output: common };
  const numMatches = page.items.reduce((sum, { count }) => sum + count, 0);
  const lines = page.items.map(({ count }, index) => `${names[index] ?? ""}:${count}`);
  return { lines, total: page.total, unit: "files", output: { ...common, content: lines.join("\n"), numMatches } };
}

function notices(hits: SearchHits, presentation: GrepPresentation, query: GrepQuery): string[] {
  const found: string[] = [];
  if (presentation.lines.length === 0)
    found.push(
      presentation.total === 0
        ? "No matches found"
        : `[No more: there are ${presentation.total} ${presentation.unit}.]`,
    );
  if (query.offset + presentation.lines.length < presentation.total && presentation.lines.length > 0) {
    const next = query.offset + presentation.lines.length;
    found.push(
      `[${presentation.unit} ${query.offset + 1} to ${next} of ${presentation.total}. Go on with offset ${next}, or narrow the search.]`,
    );
  }
  if (hits.endReason === "timeout")
    found.push(
      `[The search was ended after ${limitMs / 1000} s: there may be more. Name a folder in path, or narrow the pattern.]`,
    );
  if (hits.endReason === "output") found.push("[There are far more matches than could be read: narrow the search.]");
  if (hits.hasLarge === true)
    found.push("[Some files are larger than 8 MB, and were not searched: there is no ripgrep here. Use grep in Bash.]");
  if (hits.hasUnread === true) found.push("[Some files or folders could not be read, and were not searched.]");
  return found;
}

/** A single named file was judged with the call. Files that are left out are not counted either: a count would reveal a match. */
async function visibleHits(
  files: readonly FileHits[],
  { scope, file }: Target,
  { mayShow = () => true, createPermissionCheck }: ToolDependencies,
): Promise<FileHits[]> {
  const shown: FileHits[] = [];
  const needsPermission = file === undefined ? createPermissionCheck?.() : undefined;
  for (const each of files) {
    const path = absoluteFoundPath(withoutDotSlash(each.path), scope.directory);
    if (mayShow(path) && (await needsPermission?.(path)) !== true) shown.push(each);
  }
  return shown;
}

async function grepFiles(
  query: GrepQuery,
  path: string,
  context: ToolContext,
  dependencies: ToolDependencies,
): Promise<ToolResult> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined)
    return failureResult((await missingFileText(path, dependencies.cwd)) + missingPathHint(path));
  const isFolder = found.isDirectory();
  if (!isFolder && !found.isFile())
    return failureResult(`${showPath(path, context.cwd)} is neither a file nor a folder.`);
  // ripgrep would report no match for a path that cannot be read.
  await access(path, constants.R_OK);
  assertUnmoved(path, context);
  const scope: SearchScope = {
    directory: isFolder ? path : dirname(path),
    signal: context.signal,
    clock: dependencies.clock,
    limitMs,
  };
  const target: Target = isFolder ? { scope } : { scope, file: basename(path) };
  const { glob } = query;
  const folderQuery = glob === undefined ? query : { ...query, glob: globRelativeToFolder(glob, scope.directory) };
  const hits = await search(folderQuery, target, dependencies);
  const allowed = await visibleHits(hits.files, target, dependencies);
  const shown = presentHits(await sortHits(allowed, query, scope), query, target, context.cwd);
  const hints = shown.total === 0 ? await noMatchHints(query, scope.directory, dependencies) : [];
  return { content: [...shown.lines, ...notices(hits, shown, query), ...hints].join("\n"), output: shown.output };
}

/** `path` is absolute. */
export async function runGrep(
  path: string,
  input: ToolInput,
  context: ToolContext,
  dependencies: ToolDependencies,
): Promise<ToolResult> {
  const attempt = { action: "search", name: showPath(path, context.cwd), signal: context.signal };
  return await settleAttempt(attempt, () => grepFiles(readQuery(input), path, context, dependencies));
}
