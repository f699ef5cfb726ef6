/** A notebook's cells and their outputs, as text and pictures. */
import { stripControls } from "../lib/sanitize.ts";
import type { ImageBlock } from "../protocol/message.ts";
import type { ToolResult } from "../protocol/tool.ts";
import type { MediaContent, ToolDependencies } from "./dependencies.ts";
import { ToolError } from "./failure.ts";
import { cellName, cellText, parseNotebook, type Notebook, type NotebookCell } from "./notebook.ts";
import { outputPicture, type OutputPicture } from "./notebook-pictures.ts";
import { readWhole, type OpenedFile } from "./open-file.ts";
import type { ReadFileState } from "./read-state.ts";
import { decodeText, hashBytes, formatSize } from "./text-file.ts";

/** Size limit of the file including its outputs; parsing a larger file would already take too long. */
const mostBytes = 100_000_000;

const shownCellLength = 10_000;
const mostPictures = 10;
/** An estimate, as for text files. */
const bytesPerToken = 4;

interface NotebookRequest {
  maxTokens: number;
  signal: AbortSignal;
  toolUseId: string;
  fitMedia: ToolDependencies["fitMedia"];
}

export async function readNotebook(
  file: OpenedFile,
  state: ReadFileState,
  request: NotebookRequest,
): Promise<ToolResult> {
  if (file.stats.size > mostBytes) {
    throw new ToolError(
      `${file.name} is too large for a notebook: ${formatSize(file.stats.size)}. Use jq in Bash to pick cells from it.`,
    );
  }
  const bytes = await readWhole(file, request.signal);
  const notebook = parseNotebook(decodeText(bytes).text, file.name);
  const { parts, wholeCount } = shownCells(notebook, request.maxTokens);
  const isPartial = wholeCount < notebook.cells.length;
  if (isPartial) {
    parts.push(
      `[PARTIAL view: ${wholeCount} of ${notebook.cells.length} cells (a read returns at most ${request.maxTokens} tokens). Use jq in Bash for the others.]`,
    );
  }
  const { mtimeMs, size } = file.stats;
  const record = { mtimeMs, size, hash: hashBytes(bytes), partial: isPartial || undefined };
  state.set(file.path, record, { toolUseId: request.toolUseId, place: file.place });
  return {
    content: await buildContent(parts, file, request),
    output: { type: "notebook", file: { filePath: file.path, cells: notebook.cells.map(cellOutput) } },
  };
}

type Part = string | ImageBlock;

/** Returns the text and pictures of the cells that fit, and the number of cells that are shown in full. */
function shownCells({ cells, language }: Notebook, maxTokens: number): { parts: Part[]; wholeCount: number } {
  const parts: Part[] = [];
  let wholeCount = 0;
  let pictures = 0;
  let left = maxTokens * bytesPerToken;
  for (const [index, cell] of cells.entries()) {
    const shown = new Map<unknown, OutputPicture>();
    let room = left - Buffer.byteLength(cell.source);
    for (const output of cell.outputs) {
      const picture = pictures + shown.size < mostPictures ? outputPicture(output) : undefined;
      if (picture === undefined || picture.tokens * bytesPerToken > room) continue;
      room -= picture.tokens * bytesPerToken;
      shown.set(output, picture);
    }
    const text = stripControls(cellText(cell, index, language, new Set(shown.keys())));
    left -= Buffer.byteLength(text) + 1;
    if (left < 0) {
      // If the first cell alone is too long, its beginning is better than nothing.
      const plain = wholeCount === 0 ? stripControls(cellText(cell, index, language)) : "";
      if (plain !== "") parts.push(`${plain.slice(0, shownCellLength).toWellFormed()}\n… [cell cut here]`);
      break;
    }
    parts.push(text);
    for (const { block, tokens } of shown.values()) {
      parts.push(block);
      left -= tokens * bytesPerToken;
    }
    pictures += shown.size;
    wholeCount++;
  }
  return { parts, wholeCount };
}

async function buildContent(
  parts: readonly Part[],
  { path }: OpenedFile,
  { fitMedia, signal }: NotebookRequest,
): Promise<ToolResult["content"]> {
  if (parts.length === 0) return "The notebook has no cells.";
  if (parts.every((part) => typeof part === "string")) return parts.join("\n");
  const blocks: MediaContent[] = [];
  for (const part of parts) {
    const last = blocks.at(-1);
    if (typeof part !== "string") blocks.push(part);
    else if (last?.type === "text") last.text += `\n${part}`;
    else blocks.push({ type: "text", text: part });
  }
  return (await fitMedia?.(blocks, { path, signal })) ?? blocks;
}

/** Outputs are not included: a client that wants them has the path of the file. */
function cellOutput(cell: NotebookCell, index: number): unknown {
  return {
    cellType: cell.cell_type,
    cell_id: cellName(cell, index),
    source: cell.source,
    execution_count: cell.execution_count,
  };
}
