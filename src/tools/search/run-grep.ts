/** The work of the Grep tool. */
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { ToolContext, ToolInput, ToolResult } from "../../protocol/tool.ts";
import type { ToolDependencies } from "../dependencies.ts";
import { failure, settle } from "../failure.ts";
import { assertUnmoved } from "../judged-place.ts";
import { showPath } from "../paths.ts";
import { missingFileText } from "../suggest.ts";
import { absoluteFound, showFound, withoutDot } from "./found-path.ts";
import { fromFolder, readQuery, type GrepQuery } from "./grep-query.ts";
import { byPath, contentLines, type FileHits, type SearchHits } from "./hits.ts";
import { newestFirst } from "./newest.ts";
import { noMatchHints, pathHint } from "./no-matches.ts";
import { byRipgrepOr, type SearchScope } from "./ripgrep.ts";

const limitMs = 20_000;

interface Target {
  scope: SearchScope;
  /** Undefined: the whole folder. */
  file?: string;
}

async function search(query: GrepQuery, { scope, file }: Target, dependencies: ToolDependencies): Promise<SearchHits> {
  const byHand = async (): Promise<SearchHits> => {
    const { searchByHand } = await import("./grep-by-hand.ts");
    return await searchByHand(query, scope, file, dependencies);
  };
  return await byRipgrepOr(byHand, dependencies, async (program) => {
    const { searchWithRipgrep } = await import("./grep-rg.ts");
    return await searchWithRipgrep(program, query, `./${file ?? ""}`, scope);
  });
}

async function ordered(files: FileHits[], query: GrepQuery, scope: SearchScope): Promise<FileHits[]> {
  if (query.mode !== "files_with_matches") return files.toSorted(byPath);
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

function pageOf<Item>(items: readonly Item[], { limit, offset }: GrepQuery): Page<Item> {
  const applied: Page<Item>["applied"] = {};
  if (items.length > offset + limit) applied.appliedLimit = limit;
  if (offset > 0) applied.appliedOffset = offset;
  return { items: items.slice(offset, offset + limit), total: items.length, applied };
}

interface Presented {
  lines: string[];
  total: number;
  unit: string;
  output: Record<string, unknown>;
}

function present(files: readonly FileHits[], query: GrepQuery, { scope, file }: Target, cwd: string): Presented {
  const { directory } = scope;
  if (query.mode === "content") {
    const view = {
      directory,
      cwd,
      isSingleFile: file !== undefined,
      hasNumbers: query.lineNumbers,
      hasContext: query.before + query.after > 0,
    };
    const page = pageOf(contentLines(files, view), query);
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
  const page = pageOf(files, query);
  const filenames = page.items.map(({ path }) => absoluteFound(path, directory));
  const common = { mode: query.mode, numFiles: page.items.length, filenames, totalFiles: page.total, ...page.applied };
  const names = page.items.map(({ path }) => showFound(path, directory, cwd));
  if (query.mode === "files_with_matches") return { lines: names, total: page.total, unit: "files", output: common };
  const numMatches = page.items.reduce((sum, { count }) => sum + count, 0);
  const lines = page.items.map(({ count }, index) => `${names[index] ?? ""}:${count}`);
  return { lines, total: page.total, unit: "files", output: { ...common, content: lines.join("\n"), numMatches } };
}

function notices(hits: SearchHits, shown: Presented, query: GrepQuery): string[] {
  const found: string[] = [];
  if (shown.lines.length === 0)
    found.push(shown.total === 0 ? "No matches found" : `[No more: there are ${shown.total} ${shown.unit}.]`);
  if (query.offset + shown.lines.length < shown.total && shown.lines.length > 0) {
    const next = query.offset + shown.lines.length;
    found.push(
      `[${shown.unit} ${query.offset + 1} to ${next} of ${shown.total}. Go on with offset ${next}, or narrow the search.]`,
    );
  }
  if (hits.ended === "timeout")
    found.push(
      `[The search was ended after ${limitMs / 1000} s: there may be more. Name a folder in path, or narrow the pattern.]`,
    );
  if (hits.ended === "output") found.push("[There are far more matches than could be read: narrow the search.]");
  if (hits.hasLarge === true)
    found.push("[Some files are larger than 8 MB, and were not searched: there is no ripgrep here. Use grep in Bash.]");
  if (hits.hasUnread === true) found.push("[Some files or folders could not be read, and were not searched.]");
  return found;
}

/** A single named file was judged with the call. Files that are left out are not counted either: a count would reveal a match. */
async function shownOf(
  files: readonly FileHits[],
  { scope, file }: Target,
  { mayShow = () => true, heldBack }: ToolDependencies,
): Promise<FileHits[]> {
  const shown: FileHits[] = [];
  const isHeldBack = file === undefined ? heldBack?.() : undefined;
  for (const each of files) {
    const path = absoluteFound(withoutDot(each.path), scope.directory);
    if (mayShow(path) && (await isHeldBack?.(path)) !== true) shown.push(each);
  }
  return shown;
}

async function grep(
  query: GrepQuery,
  path: string,
  context: ToolContext,
  dependencies: ToolDependencies,
): Promise<ToolResult> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return failure((await missingFileText(path, dependencies.cwd)) + pathHint(path));
  const isFolder = found.isDirectory();
  if (!isFolder && !found.isFile()) return failure(`${showPath(path, context.cwd)} is neither a file nor a folder.`);
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
  const asked = glob === undefined ? query : { ...query, glob: fromFolder(glob, scope.directory) };
  const hits = await search(asked, target, dependencies);
  const allowed = await shownOf(hits.files, target, dependencies);
  const shown = present(await ordered(allowed, query, scope), query, target, context.cwd);
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
  return await settle(attempt, () => grep(readQuery(input), path, context, dependencies));
}
