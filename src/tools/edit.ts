/** Edit: one exact replacement in a file, or all of them. */
import { loadOnce } from "../lib/load-once.ts";
import type { InputVerdict, Tool, ToolContext, ToolInput, ToolInputSchema } from "../protocol/tool.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { foreseenVerdict } from "./foreseen.ts";
import type { EditInput } from "./edit-file.ts";
import { checkPath, checkText, describeCall, resolvePath } from "./paths.ts";

const loadWork = loadOnce(() => import("./edit-file.ts"));

const inputSchema: ToolInputSchema = {
  type: "object",
  properties: {
    file_path: { type: "string", description: "Absolute path" },
    old_string: { type: "string" },
    new_string: { type: "string" },
    replace_all: { type: "boolean", default: false },
  },
  required: ["file_path", "old_string", "new_string"],
};

export function createEditTool(dependencies: ToolDependencies): Tool {
  const pathOf = (input: ToolInput, cwd: string): string =>
    resolvePath(String(input["file_path"]), cwd, dependencies.home);
  const foreseen = (input: ToolInput, context: ToolContext): Promise<InputVerdict> => {
    const path = pathOf(input, context.cwd);
    return foreseenVerdict(dependencies, "Edit", { ...input, file_path: path }, context, async () => {
      const { foreseenOfEdit } = await loadWork();
      return await foreseenOfEdit(path, input as unknown as EditInput, context, dependencies);
    });
  };
  return {
    name: "Edit",
    description:
      "Replaces old_string in a file you have read. It must match exactly (blanks too, without Read's line numbers) and be unique, unless replace_all. An empty old_string creates a file.",
    inputSchema,
    replay: "never",
    maxResultSizeChars: 20_000,
    isConcurrencySafe: () => false,
    isReadOnly: () => false,
    interruptBehavior: "block",
    permissionSubjects: (input, cwd) => [{ kind: "write", path: pathOf(input, cwd) }],
    describe: (input) => describeCall("Edit", input["file_path"]),
    observableInput: (input, cwd) => ({ ...input, file_path: pathOf(input, cwd) }),
    validateInput(input, context) {
      if (input["old_string"] === input["new_string"]) {
        return { ok: false, message: "old_string and new_string are identical: nothing would change." };
      }
      for (const field of ["old_string", "new_string"]) {
        const verdict = checkText(input[field], field);
        if (!verdict.ok) return verdict;
      }
      const verdict = checkPath(input["file_path"], "file_path");
      return verdict.ok && dependencies.asksPerson !== undefined ? foreseen(input, context) : verdict;
    },
    async call(input, context) {
      const { editFile } = await loadWork();
      return await editFile(pathOf(input, context.cwd), input as unknown as EditInput, context, dependencies);
    },
  };
}
