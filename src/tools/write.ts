/** Write: a file's whole content, new or in place of what was there. */
import { loadOnce } from "../lib/load-once.ts";
import type { InputVerdict, Tool, ToolContext, ToolInput, ToolInputSchema } from "../protocol/tool.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { foreseenVerdict } from "./foreseen.ts";
import { checkPath, checkText, describeCall, resolvePath } from "./paths.ts";
import type { WriteInput } from "./write-file.ts";

const loadWork = loadOnce(() => import("./write-file.ts"));

const inputSchema: ToolInputSchema = {
  type: "object",
  properties: { file_path: { type: "string", description: "Absolute path" }, content: { type: "string" } },
  required: ["file_path", "content"],
};

export function createWriteTool(dependencies: ToolDependencies): Tool {
  const pathOf = (input: ToolInput, cwd: string): string =>
    resolvePath(String(input["file_path"]), cwd, dependencies.home);
  const foreseen = (input: ToolInput, context: ToolContext): Promise<InputVerdict> => {
    const path = pathOf(input, context.cwd);
    return foreseenVerdict(dependencies, "Write", { ...input, file_path: path }, context, async () => {
      const { foreseenOfWrite } = await loadWork();
      return await foreseenOfWrite(path, input as unknown as WriteInput, context, dependencies);
    });
  };
  return {
    name: "Write",
    description:
      "Writes a whole file and the folders it needs. A file that exists must have been read first; to change part of it use Edit.",
    inputSchema,
    replay: "never",
    maxResultSizeChars: 20_000,
    isConcurrencySafe: () => false,
    isReadOnly: () => false,
    interruptBehavior: "block",
    permissionSubjects: (input, cwd) => [{ kind: "write", path: pathOf(input, cwd) }],
    describe: (input) => describeCall("Write", input["file_path"]),
    observableInput: (input, cwd) => ({ ...input, file_path: pathOf(input, cwd) }),
    validateInput(input, context) {
      const text = checkText(input["content"], "content");
      const verdict = text.ok ? checkPath(input["file_path"], "file_path") : text;
      return verdict.ok && dependencies.asksPerson !== undefined ? foreseen(input, context) : verdict;
    },
    async call(input, context) {
      const { writeWholeFile } = await loadWork();
      return await writeWholeFile(pathOf(input, context.cwd), input as unknown as WriteInput, context, dependencies);
    },
  };
}
