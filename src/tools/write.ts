/** Write: writes a file's whole content, creating or replacing the file. */
import { loadOnce } from "../lib/load-once.ts";
import type { Tool, ToolInputSchema } from "../protocol/tool.ts";
import { createChangingTool } from "./changing-tool.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { checkText } from "./paths.ts";
import type { WriteInput } from "./write-file.ts";

const loadWork = loadOnce(() => import("./write-file.ts").then((file) => file.writeWork));

const inputSchema: ToolInputSchema = {
  type: "object",
  properties: { file_path: { type: "string", description: "Absolute path" }, content: { type: "string" } },
  required: ["file_path", "content"],
};

export function createWriteTool(dependencies: ToolDependencies): Tool {
  return createChangingTool<WriteInput>(dependencies, {
    name: "Write",
    description:
      "Writes a whole file and the folders it needs. A file that exists must have been read first; to change part of it use Edit.",
    inputSchema,
    field: "file_path",
    check: (input) => checkText(input["content"], "content"),
    loadWork,
  });
}
