/** The work of the Read tool: finds out what kind of file it is and shows it accordingly. */
import { closeSync } from "node:fs";
import { extname } from "node:path";
import { hasErrorCode } from "../lib/error-text.ts";
import { pictureType } from "../lib/image-header.ts";
import type { ToolContext, ToolResult } from "../protocol/tool.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { environmentNumber } from "./variables.ts";
import { failureResult, failureFromError } from "./failure.ts";
import { judgedPlace } from "./judged-place.ts";
import { openRegularFile, readHead, smallFileBytes, type OpenedFile } from "./open-file.ts";
import { showPath } from "./paths.ts";
import { readText } from "./read-text.ts";
import { missingFileText } from "./missing-file.ts";

export interface ReadInput {
  file_path: string;
  offset?: number;
  limit?: number;
  pages?: string;
}

async function readByKind(
  file: OpenedFile,
  input: ReadInput,
  context: ToolContext,
  dependencies: ToolDependencies,
): Promise<ToolResult> {
  const { environment, readState, clock } = dependencies;
  const maxTokens = environmentNumber(environment, "CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS", 25_000);
  const { signal, toolUseId } = context;
  const head = readHead(file, smallFileBytes);
  const image = pictureType(head);
  if (image !== undefined)
    return await (await import("./read-media.ts")).readImage(file, image, dependencies.fitMedia, signal);
  if (head.subarray(0, 8).includes("%PDF-")) {
    const request = { pages: input.pages, signal, environment, folder: dependencies.cwd.get(), clock };
    return await (await import("./read-media.ts")).readPdf(file, request);
  }
  if (extname(file.path).toLowerCase() === ".ipynb" && input.offset === undefined && head.length > 0) {
    return await (
      await import("./read-notebook.ts")
    ).readNotebook(file, readState, {
      maxTokens,
      signal,
      toolUseId,
      fitMedia: dependencies.fitMedia,
    });
  }
  const { offset, limit } = input;
  return await readText(file, head, readState, { offset, limit, maxTokens, signal, toolUseId });
}

/** `path` is absolute. */
export async function readPath(
  path: string,
  input: ReadInput,
  context: ToolContext,
  dependencies: ToolDependencies,
): Promise<ToolResult> {
  const name = showPath(path, context.cwd);
  const attempt = { action: "read", name, signal: context.signal };
  try {
    const file = openRegularFile({ path, name, place: judgedPlace(path, context) });
    try {
      return await readByKind(file, input, context, dependencies);
    } finally {
      closeSync(file.descriptor);
    }
  } catch (error) {
    return hasErrorCode(error, "ENOENT")
      ? failureResult(await missingFileText(path, dependencies.cwd))
      : failureFromError(attempt, error);
  }
}
