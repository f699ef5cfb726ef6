/** Read: shows a file in a form the model accepts. Text, images, PDF and notebooks; anything else is refused with a reason. */
import { loadOnce } from "../lib/load-once.ts";
import type { Tool, ToolInput, ToolInputSchema } from "../protocol/tool.ts";
import { fileContent } from "./output-content.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { checkPath, describeCall, resolvePath } from "./paths.ts";
import type { ReadInput } from "./read-path.ts";

const loadWork = loadOnce(() => import("./read-path.ts"));

const inputSchema: ToolInputSchema = {
  type: "object",
  properties: {
    file_path: { type: "string", description: "Absolute path" },
    offset: { type: "integer", minimum: 0, description: "First line, from 1" },
    limit: { type: "integer", minimum: 1, description: "Number of lines" },
    pages: { type: "string", description: 'PDF pages, such as "1-5"; 20 at most' },
  },
  required: ["file_path"],
};

export function createReadTool(dependencies: ToolDependencies): Tool {
  const pathOf = (input: ToolInput, cwd: string): string =>
    resolvePath(String(input["file_path"]), cwd, dependencies.home);
  return {
    name: "Read",
    description:
      "Reads a file: text with line numbers (number, tab, line), images, PDF files, notebooks. Up to 2000 lines unless limit says otherwise.",
    inputSchema,
    replay: "safe",
    // Read limits its own results; the model would have to read a spilled result again.
    maxResultSizeChars: Infinity,
    isConcurrencySafe: () => true,
    isReadOnly: () => true,
    permissionSubjects: (input, cwd) => [{ kind: "read", path: pathOf(input, cwd) }],
    describe: (input) => describeCall("Read", input["file_path"]),
    observableInput: (input, cwd) => ({ ...input, file_path: pathOf(input, cwd) }),
    validateInput: (input) => checkPath(input["file_path"], "file_path"),
    contentOf: fileContent,
    async call(input, context) {
      const { readPath } = await loadWork();
      return await readPath(pathOf(input, context.cwd), input as unknown as ReadInput, context, dependencies);
    },
  };
}
