/** Glob: files by name, newest first. */
import { stat } from "node:fs/promises";
import type { Tool, ToolContext, ToolInput, ToolResult } from "../protocol/tool.ts";
import { environmentFlag, environmentNumber, type ToolDependencies } from "./dependencies.ts";
import { settle, ToolError } from "./failure.ts";
import { checkPath, describeCall, resolvePath, showPath } from "./paths.ts";
import { absoluteFound, showFound } from "./search/found-path.ts";
import { planGlob, type GlobPlan } from "./search/glob-pattern.ts";
import { listMatching, listVisible } from "./search/list-files.ts";
import { newestFirst } from "./search/newest.ts";
import type { SearchScope } from "./search/ripgrep.ts";

interface GlobInput {
  pattern: string;
  path?: string;
}

const mostShown = 100;

export async function assertDirectory(path: string, cwd: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined)
    throw new ToolError(`Directory not found: ${showPath(path, cwd)}. The working directory is ${showPath(cwd, "")}.`);
  if (!found.isDirectory()) throw new ToolError(`${showPath(path, cwd)} is not a directory.`);
}

interface Ordered {
  paths: Buffer[];
  total: number;
  ended?: "timeout" | "output";
  /** Ignored files were put after the others. */
  isSplit: boolean;
}

/** Where not all can be shown, files that git ignores come last: few people look for those. */
async function order(plan: GlobPlan, scope: SearchScope, dependencies: ToolDependencies): Promise<Ordered> {
  const { environment } = dependencies;
  const options = { includesHidden: environmentFlag(environment, "CLAUDE_CODE_GLOB_HIDDEN", true) };
  const includesIgnored = environmentFlag(environment, "CLAUDE_CODE_GLOB_NO_IGNORE", true);
  const { paths, ended } = await listMatching(plan, scope, options, dependencies);
  const late = ended === undefined ? {} : { ended };
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

async function glob(input: GlobInput, context: ToolContext, dependencies: ToolDependencies): Promise<ToolResult> {
  const { clock, environment, home } = dependencies;
  const started = clock.now();
  const plan = planGlob(input.pattern, input.path);
  const directory = resolvePath(plan.base, context.cwd, home);
  await assertDirectory(directory, context.cwd);
  const limitMs = environmentNumber(environment, "CLAUDE_CODE_GLOB_TIMEOUT_SECONDS", 20) * 1000;
  const found = await order(plan, { directory, signal: context.signal, clock, limitMs }, dependencies);
  const shown = found.paths.slice(0, mostShown);
  const truncated = found.total > shown.length || found.ended !== undefined;
  const lines = shown.map((path) => showFound(path, directory, context.cwd));
  if (shown.length === 0) lines.push("No files found");
  if (found.ended === "timeout")
    lines.push(`[The search was ended after ${limitMs / 1000} s: there may be more. Name a folder in path.]`);
  else if (truncated) {
    const how = found.isSplit ? "; those that git ignores come last" : "";
    lines.push(
      `[${shown.length} of ${found.ended === undefined ? "" : "at least "}${found.total} files, newest first${how}. Narrow the pattern to see others.]`,
    );
  }
  return {
    content: lines.join("\n"),
    output: {
      durationMs: clock.now() - started,
      numFiles: shown.length,
      filenames: shown.map((path) => absoluteFound(path, directory)),
      truncated,
      totalMatches: found.total,
      countIsComplete: found.ended === undefined,
      ...(found.ended === "timeout" ? { timedOut: true } : {}),
    },
  };
}

export function createGlobTool(dependencies: ToolDependencies): Tool {
  const baseOf = (input: ToolInput, cwd: string): string =>
    resolvePath(planGlob(String(input["pattern"]), input["path"] as string | undefined).base, cwd, dependencies.home);
  return {
    name: "Glob",
    description:
      "Finds files by a pattern such as **/*.ts or src/**/*.{js,jsx}, newest first, 100 at most. Ignored and hidden files are found too.",
    inputSchema: {
      type: "object",
      properties: {
        pattern: { type: "string" },
        path: { type: "string", description: "Folder to search; default: the working directory" },
      },
      required: ["pattern"],
    },
    replay: "safe",
    maxResultSizeChars: 50_000,
    isConcurrencySafe: () => true,
    isReadOnly: () => true,
    permissionSubjects: (input, cwd) => [{ kind: "read", path: baseOf(input, cwd) }],
    describe: (input) => describeCall("Glob", input["pattern"]),
    observableInput: (input, cwd) =>
      typeof input["path"] === "string"
        ? { ...input, path: resolvePath(input["path"], cwd, dependencies.home) }
        : input,
    async validateInput(input) {
      const pattern = checkPath(input["pattern"], "pattern");
      return pattern.ok && input["path"] !== undefined ? checkPath(input["path"], "path") : pattern;
    },
    async call(input, context) {
      const attempt = {
        action: "search",
        name: showPath(baseOf(input, context.cwd), context.cwd),
        signal: context.signal,
      };
      return await settle(attempt, () => glob(input as unknown as GlobInput, context, dependencies));
    },
  };
}
