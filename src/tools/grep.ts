/** Grep: finds files by content. */
import { loadOnce } from "../lib/load-once.ts";
import type { Tool, ToolInput, ToolInputSchema } from "../protocol/tool.ts";
import { hitsContent } from "./output-content.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { checkPath, describeCall, resolvePath } from "./paths.ts";

const loadWork = loadOnce(() => import("./search/run-grep.ts"));

const count = { type: "integer", minimum: 0 };
const flag = { type: "boolean" };
const inputSchema: ToolInputSchema = {
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
};

export function createGrepTool(dependencies: ToolDependencies): Tool {
  const pathOf = (input: ToolInput, cwd: string): string =>
    typeof input["path"] === "string" ? resolvePath(input["path"], cwd, dependencies.home) : cwd;
  return {
    name: "Grep",
    description:
      "Searches file contents with a regular expression (ripgrep); files that git ignores are left out. Literal brackets need a backslash.",
    inputSchema,
    replay: "safe",
    maxResultSizeChars: 20_000,
    isConcurrencySafe: () => true,
    isReadOnly: () => true,
    permissionSubjects: (input, cwd) => [{ kind: "read", path: pathOf(input, cwd) }],
    describe: (input) => describeCall("Grep", input["pattern"]),
    observableInput: (input, cwd) =>
      typeof input["path"] === "string" ? { ...input, path: pathOf(input, cwd) } : input,
    validateInput(input) {
      const pattern = checkPath(input["pattern"], "pattern");
      if (!pattern.ok) return pattern;
      for (const field of ["path", "glob", "type"]) {
        // An empty value means the same as no value.
        const verdict = (input[field] ?? "") === "" ? pattern : checkPath(input[field], field);
        if (!verdict.ok) return verdict;
      }
      return { ok: true };
    },
    contentOf: hitsContent,
    async call(input, context) {
      const { runGrep } = await loadWork();
      return await runGrep(pathOf(input, context.cwd), input, context, dependencies);
    },
  };
}
