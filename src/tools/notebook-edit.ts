/** NotebookEdit: replaces, inserts or deletes one cell of a Jupyter notebook. */
import { loadOnce } from "../lib/load-once.ts";
import type { InputVerdict, Tool, ToolInput, ToolInputSchema } from "../protocol/tool.ts";
import { createChangingTool } from "./changing-tool.ts";
import type { ToolDependencies } from "./dependencies.ts";
import type { NotebookEditInput } from "./notebook-edit-file.ts";

const loadWork = loadOnce(() => import("./notebook-edit-file.ts").then((file) => file.notebookWork));

const inputSchema: ToolInputSchema = {
  type: "object",
  properties: {
    notebook_path: { type: "string", description: "Absolute path" },
    cell_id: { type: "string", description: "As Read shows it" },
    new_source: { type: "string" },
    cell_type: { type: "string", enum: ["code", "markdown"] },
    edit_mode: { type: "string", enum: ["replace", "insert", "delete"], default: "replace" },
  },
  required: ["notebook_path", "new_source"],
};

export function createNotebookEditTool(dependencies: ToolDependencies): Tool {
  return createChangingTool<NotebookEditInput>(dependencies, {
    name: "NotebookEdit",
    description:
      "Changes one cell of a Jupyter notebook you have read. insert puts a new cell after cell_id, or first without one; it needs cell_type.",
    inputSchema,
    field: "notebook_path",
    check: checkNotebookEdit,
    loadWork,
  });
}

function checkNotebookEdit(input: ToolInput): InputVerdict {
  const mode = typeof input["edit_mode"] === "string" ? input["edit_mode"] : "replace";
  if (mode === "insert" && input["cell_type"] === undefined) return { ok: false, message: "insert needs cell_type." };
  if (mode !== "insert" && input["cell_id"] === undefined) return { ok: false, message: `${mode} needs cell_id.` };
  return { ok: true };
}
