/** Edit: replaces one exact occurrence of a string in a file, or all of them. */
import { loadOnce } from "../lib/load-once.ts";
import type { InputVerdict, Tool, ToolInput, ToolInputSchema } from "../protocol/tool.ts";
import { createChangingTool } from "./changing-tool.ts";
import type { ToolDependencies } from "./dependencies.ts";
import type { EditInput } from "./edit-file.ts";
import { checkText } from "./paths.ts";

const loadWork = loadOnce(() => import("./edit-file.ts").then((file) => file.editWork));

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
  return createChangingTool<EditInput>(dependencies, {
    name: "Edit",
    description:
      "Replaces old_string in a file you have read. It must match exactly (blanks too, without Read's line numbers) and be unique, unless replace_all. An empty old_string creates a file.",
    inputSchema,
    field: "file_path",
    check: checkEdit,
    loadWork,
  });
}

function checkEdit(input: ToolInput): InputVerdict {
  if (input["old_string"] === input["new_string"])
    return { ok: false, message: "old_string and new_string are identical: nothing would change." };
  const old = checkText(input["old_string"], "old_string");
  return old.ok ? checkText(input["new_string"], "new_string") : old;
}
