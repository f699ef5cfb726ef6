/** Glob: finds files by name, newest first. */
import { loadOnce } from "../lib/load-once.ts";
import type { Tool, ToolInput, ToolInputSchema } from "../protocol/tool.ts";
import { hitsContent } from "./output-content.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { checkPath, describeCall, resolvePath } from "./paths.ts";
import { planGlob } from "./search/glob-pattern.ts";
import type { GlobInput } from "./search/run-glob.ts";

const loadWork = loadOnce(() => import("./search/run-glob.ts"));

const inputSchema: ToolInputSchema = {
  type: "object",
  properties: {
    pattern: { type: "string" },
    path: { type: "string", description: "default: the working directory" },
  },
  required: ["pattern"],
};

export function createGlobTool(dependencies: ToolDependencies): Tool {
  const baseOf = (input: ToolInput, cwd: string): string =>
    resolvePath(planGlob(String(input["pattern"]), input["path"] as string | undefined).base, cwd, dependencies.home);
  return {
    name: "Glob",
    description:
      "Finds files by a pattern such as **/*.ts or src/**/*.{js,jsx}, newest first, 100 at most. Ignored and hidden files are found too.",
    inputSchema,
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
    validateInput(input) {
      const pattern = checkPath(input["pattern"], "pattern");
      // An empty path means the same as no path.
      return pattern.ok && (input["path"] ?? "") !== "" ? checkPath(input["path"], "path") : pattern;
    },
    contentOf: hitsContent,
    async call(input, context) {
      const { runGlob } = await loadWork();
      return await runGlob(input as unknown as GlobInput, context, dependencies);
    },
  };
}
