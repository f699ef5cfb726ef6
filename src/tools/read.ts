/** Read: a file as the model can take it. Text, images, PDF and notebooks; all else is refused with a reason. */
import { extname } from "node:path";
import type { Tool, ToolContext, ToolInput, ToolResult } from "../protocol/tool.ts";
import { environmentNumber, type ToolDependencies } from "./dependencies.ts";
import { failure, hasCode, settle } from "./failure.ts";
import { imageMediaType } from "./image-header.ts";
import { withFile, type OpenedFile } from "./open-file.ts";
import { checkPath, describeCall, resolvePath, showPath } from "./paths.ts";
import { readStart, readText } from "./read-text.ts";
import { missingFileText } from "./suggest.ts";

interface ReadInput {
  file_path: string;
  offset?: number;
  limit?: number;
  pages?: string;
}

async function readAny(
  file: OpenedFile,
  input: ReadInput,
  context: ToolContext,
  dependencies: ToolDependencies,
): Promise<ToolResult> {
  const { environment, readState, clock } = dependencies;
  const maxTokens = environmentNumber(environment, "CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS", 25_000);
  const { signal } = context;
  const head = readStart(file);
  const image = imageMediaType(head);
  if (image !== undefined) return await (await import("./read-media.ts")).readImage(file, image, signal);
  if (head.subarray(0, 8).includes("%PDF-")) {
    const request = { pages: input.pages, signal, searchPath: environment["PATH"], clock };
    return await (await import("./read-media.ts")).readPdf(file, request);
  }
  if (extname(file.path).toLowerCase() === ".ipynb" && input.offset === undefined && head.length > 0) {
    return await (await import("./read-notebook.ts")).readNotebook(file, readState, { maxTokens, signal });
  }
  return await readText(file, head, readState, { offset: input.offset, limit: input.limit, maxTokens, signal });
}

export function createReadTool(dependencies: ToolDependencies): Tool {
  const pathOf = (input: ToolInput, cwd: string): string =>
    resolvePath(String(input["file_path"]), cwd, dependencies.home);
  return {
    name: "Read",
    description:
      "Reads a file: text with line numbers (number, tab, line), images, PDF files, notebooks. Up to 2000 lines unless limit says otherwise. Read what you will edit; read several files in one turn where you can.",
    inputSchema: {
      type: "object",
      properties: {
        file_path: { type: "string", description: "Absolute path" },
        offset: { type: "integer", minimum: 0, description: "First line, from 1" },
        limit: { type: "integer", minimum: 1, description: "Number of lines" },
        pages: { type: "string", description: 'PDF pages, such as "1-5"; 20 at most' },
      },
      required: ["file_path"],
    },
    replay: "safe",
    // It bounds its own results; a spilled one would only be read again.
    maxResultSizeChars: Infinity,
    isConcurrencySafe: () => true,
    isReadOnly: () => true,
    permissionSubjects: (input, cwd) => [{ kind: "read", path: pathOf(input, cwd) }],
    describe: (input) => describeCall("Read", input["file_path"]),
    observableInput: (input, cwd) => ({ ...input, file_path: pathOf(input, cwd) }),
    validateInput: async (input) => checkPath(input["file_path"], "file_path"),
    async call(rawInput, context) {
      const path = pathOf(rawInput, context.cwd);
      const name = showPath(path, context.cwd);
      const input = rawInput as unknown as ReadInput;
      const read = async (file: OpenedFile): Promise<ToolResult> => await readAny(file, input, context, dependencies);
      return await settle({ action: "read", name, signal: context.signal }, async () => {
        try {
          return await withFile(path, name, read);
        } catch (error) {
          if (!hasCode(error, "ENOENT")) throw error;
          return failure(await missingFileText(path, context.cwd));
        }
      });
    },
  };
}
