/** What Write does once it is called. */
import type { ToolContext, ToolResult } from "../protocol/tool.ts";
import { changeFile, foreseenRefusal, type FileBefore, type FileChange } from "./change-file.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { judgedPlace } from "./judged-place.ts";
import { settle } from "./failure.ts";
import { originalForOutput, structuredPatch } from "./patch.ts";
import { showNewPath, showPath } from "./paths.ts";
import { asShownText, type TextFormat } from "./text-file.ts";

export interface WriteInput {
  file_path: string;
  content: string;
}

const plainFormat: TextFormat = { encoding: "utf8", byteOrderMark: false };

/** The content in the dress of the file it replaces: encoding, byte order mark, and CRLF or CR where all its lines have that and none of ours does. */
function dressed(content: string, before: FileBefore | undefined): { text: string; format: TextFormat } {
  if (before === undefined) return { text: content, format: plainFormat };
  const { text: old, format } = before.decoded;
  // Bytes that were no UTF-8 cannot be part of the content, which is.
  const { encoding, byteOrderMark, endsWithCr } = format;
  const kept: TextFormat = { encoding: encoding === "bytes" ? "utf8" : encoding, byteOrderMark };
  if (endsWithCr === true && !content.includes("\r")) kept.endsWithCr = true;
  const text = format.byteOrderMark && content.startsWith("\ufeff") ? content.slice(1) : content;
  const isCrlf = old.includes("\r\n") && !/(?<!\r)\n/.test(old) && !content.includes("\r\n");
  return { text: isCrlf ? text.replaceAll("\n", "\r\n") : text, format: kept };
}

function changeOf(input: WriteInput, path: string, context: ToolContext): FileChange {
  return {
    path,
    name: showPath(path, context.cwd),
    signal: context.signal,
    place: judgedPlace(path, context),
    needs: "read-whole",
    compute: async (before) => dressed(input.content, before),
  };
}

/** Undefined where nothing speaks against it yet. */
export async function foreseenOfWrite(
  path: string,
  input: WriteInput,
  context: ToolContext,
  dependencies: ToolDependencies,
): Promise<string | undefined> {
  return await foreseenRefusal(changeOf(input, path, context), dependencies);
}

async function write(
  input: WriteInput,
  path: string,
  context: ToolContext,
  dependencies: ToolDependencies,
): Promise<ToolResult> {
  const change = changeOf(input, path, context);
  const { name } = change;
  const changed = await changeFile(change, dependencies);
  const { before } = changed;
  const old = before === undefined ? null : asShownText(before.decoded.text, before.decoded.format);
  return {
    content:
      before === undefined ? `Created ${showNewPath(path, dependencies.cwd)}.` : `Replaced the content of ${name}.`,
    output: {
      type: before === undefined ? "create" : "update",
      filePath: path,
      content: input.content,
      structuredPatch: old === null ? [] : await structuredPatch(old, changed.text),
      originalFile: old === null ? null : originalForOutput(old),
    },
  };
}

/** `path` is absolute. */
export async function writeWholeFile(
  path: string,
  input: WriteInput,
  context: ToolContext,
  dependencies: ToolDependencies,
): Promise<ToolResult> {
  const attempt = { action: "write", name: showPath(path, context.cwd), signal: context.signal };
  return await settle(attempt, () => write(input, path, context, dependencies));
}
