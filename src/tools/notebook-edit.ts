/** NotebookEdit: one cell of a Jupyter notebook replaced, inserted or deleted. */
import { loadOnce } from "../lib/load-once.ts";
import type { InputVerdict, Tool, ToolContext, ToolInput } from "../protocol/tool.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { foreseenVerdict } from "./foreseen.ts";
import type { NotebookEditInput } from "./notebook-edit-file.ts";
import { checkPath, describeCall, resolvePath } from "./paths.ts";

const loadWork = loadOnce(() => import("./notebook-edit-file.ts"));

export function createNotebookEditTool(dependencies: ToolDependencies): Tool {
  const pathOf = (input: ToolInput, cwd: string): string =>
    resolvePath(String(input["notebook_path"]), cwd, dependencies.home);
  const foreseen = (input: ToolInput, context: ToolContext): Promise<InputVerdict> => {
    const path = pathOf(input, context.cwd);
    return foreseenVerdict(dependencies, "NotebookEdit", { ...input, notebook_path: path }, context, async () => {
      const { foreseenOfNotebook } = await loadWork();
      return await foreseenOfNotebook(path, input as unknown as NotebookEditInput, context, dependencies);
    });
  };
  return {
    name: "NotebookEdit",
    description:
      "Changes one cell of a Jupyter notebook you have read. insert puts a new cell after cell_id, or first without one; it needs cell_type.",
    inputSchema: {
      type: "object",
      properties: {
        notebook_path: { type: "string", description: "Absolute path" },
        cell_id: { type: "string", description: "As Read shows it" },
        new_source: { type: "string" },
        cell_type: { type: "string", enum: ["code", "markdown"] },
        edit_mode: { type: "string", enum: ["replace", "insert", "delete"], default: "replace" },
      },
      required: ["notebook_path", "new_source"],
    },
    replay: "never",
    maxResultSizeChars: 20_000,
    isConcurrencySafe: () => false,
    isReadOnly: () => false,
    interruptBehavior: "block",
    permissionSubjects: (input, cwd) => [{ kind: "write", path: pathOf(input, cwd) }],
    describe: (input) => describeCall("NotebookEdit", input["notebook_path"]),
    observableInput: (input, cwd) => ({ ...input, notebook_path: pathOf(input, cwd) }),
    validateInput(input, context) {
      const mode = typeof input["edit_mode"] === "string" ? input["edit_mode"] : "replace";
      if (mode === "insert" && input["cell_type"] === undefined)
        return { ok: false, message: "insert needs cell_type." };
      if (mode !== "insert" && input["cell_id"] === undefined) return { ok: false, message: `${mode} needs cell_id.` };
      const verdict = checkPath(input["notebook_path"], "notebook_path");
      return verdict.ok && dependencies.asksPerson !== undefined ? foreseen(input, context) : verdict;
    },
    async call(input, context) {
      const { editNotebook } = await loadWork();
      return await editNotebook(
        pathOf(input, context.cwd),
        input as unknown as NotebookEditInput,
        context,
        dependencies,
      );
    },
  };
}
