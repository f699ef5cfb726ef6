/** Grep: files by content. */
import { stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { Tool, ToolContext, ToolInput, ToolResult } from "../protocol/tool.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { failure, settle } from "./failure.ts";
import { checkPath, describeCall, resolvePath, showPath } from "./paths.ts";
import { absoluteFound, showFound } from "./search/found-path.ts";
import { readQuery, type GrepQuery } from "./search/grep-query.ts";
import { byPath, contentLines, type FileHits, type SearchHits } from "./search/hits.ts";
import { newestFirst } from "./search/newest.ts";
import { findRipgrep, type SearchScope } from "./search/ripgrep.ts";
import { missingFileText } from "./suggest.ts";

const limitMs = 20_000;

interface Target {
  scope: SearchScope;
  /** Undefined: the whole folder. */
  file?: string;
}

async function search(query: GrepQuery, { scope, file }: Target, dependencies: ToolDependencies): Promise<SearchHits> {
  const program = await findRipgrep(dependencies);
  if (program !== null) {
    const { searchWithRipgrep } = await import("./search/grep-rg.ts");
    return await searchWithRipgrep(program, query, `./${file ?? ""}`, scope);
  }
  const { searchByHand } = await import("./search/grep-by-hand.ts");
  return await searchByHand(query, scope, file, dependencies);
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
  if (hits.ended === "output") found.push("[There is far more than could be taken in: narrow the search.]");
  if (shown.total === 0 && query.glob !== undefined && /[,\s]/.test(query.glob.replace(/\{[^}]*\}/g, ""))) {
    found.push("[glob takes one pattern: for several use braces, such as *.{ts,tsx}.]");
  }
  return found;
}

async function grep(
  query: GrepQuery,
  path: string,
  context: ToolContext,
  dependencies: ToolDependencies,
): Promise<ToolResult> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return failure(await missingFileText(path, context.cwd));
  const isFolder = found.isDirectory();
  if (!isFolder && !found.isFile()) return failure(`${showPath(path, context.cwd)} is neither a file nor a folder.`);
  const scope: SearchScope = {
    directory: isFolder ? path : dirname(path),
    signal: context.signal,
    clock: dependencies.clock,
    limitMs,
  };
  const target: Target = isFolder ? { scope } : { scope, file: basename(path) };
  const hits = await search(query, target, dependencies);
  const shown = present(await ordered(hits.files, query, scope), query, target, context.cwd);
  return { content: [...shown.lines, ...notices(hits, shown, query)].join("\n"), output: shown.output };
}

export function createGrepTool(dependencies: ToolDependencies): Tool {
  const pathOf = (input: ToolInput, cwd: string): string =>
    typeof input["path"] === "string" ? resolvePath(input["path"], cwd, dependencies.home) : cwd;
  const count = { type: "integer", minimum: 0 };
  const flag = { type: "boolean" };
  return {
    name: "Grep",
    description:
      "Searches file contents with a regular expression (ripgrep); files that git ignores are left out. Literal brackets need a backslash.",
    inputSchema: {
      type: "object",
      properties: {
        pattern: { type: "string" },
        path: { type: "string", description: "File or folder; default: the working directory" },
        glob: { type: "string", description: "Only these files: *.{ts,tsx}" },
        type: { type: "string", description: "Only this file type: js, py, rust" },
        output_mode: {
          type: "string",
          enum: ["content", "files_with_matches", "count"],
          default: "files_with_matches",
        },
        "-A": { ...count, description: "Lines after a match (content mode, as -B, -C, -n, -o)" },
        "-B": count,
        "-C": count,
        context: { ...count, description: "Same as -C" },
        "-n": { ...flag, default: true },
        "-i": flag,
        "-o": flag,
        multiline: { ...flag, description: "Matches may span lines; . matches line ends" },
        head_limit: { ...count, description: "Lines or files shown; default 250, 0 for all" },
        offset: count,
      },
      required: ["pattern"],
    },
    replay: "safe",
    maxResultSizeChars: 20_000,
    isConcurrencySafe: () => true,
    isReadOnly: () => true,
    permissionSubjects: (input, cwd) => [{ kind: "read", path: pathOf(input, cwd) }],
    describe: (input) => describeCall("Grep", input["pattern"]),
    observableInput: (input, cwd) =>
      typeof input["path"] === "string" ? { ...input, path: pathOf(input, cwd) } : input,
    async validateInput(input) {
      const pattern = checkPath(input["pattern"], "pattern");
      if (!pattern.ok) return pattern;
      for (const field of ["path", "glob", "type"]) {
        const verdict = input[field] === undefined ? pattern : checkPath(input[field], field);
        if (!verdict.ok && (field === "path" || !verdict.message.includes("empty"))) return verdict;
      }
      return { ok: true };
    },
    async call(input, context) {
      const path = pathOf(input, context.cwd);
      const attempt = { action: "search", name: showPath(path, context.cwd), signal: context.signal };
      return await settle(attempt, () => grep(readQuery(input), path, context, dependencies));
    },
  };
}
