/** A notebook's cells with their outputs, as text. */
import { stripControls } from "../lib/sanitize.ts";
import type { ToolResult } from "../protocol/tool.ts";
import { ToolError } from "./failure.ts";
import { cellName, cellText, parseNotebook, type NotebookCell } from "./notebook.ts";
import { readWhole, type OpenedFile } from "./open-file.ts";
import type { ReadFileState } from "./read-state.ts";
import { decodeText, hashBytes, showSize } from "./text-file.ts";

/** With its outputs; beyond this, parsing alone would hurt. */
const mostBytes = 100_000_000;

const shownOfCell = 10_000;

export async function readNotebook(
  file: OpenedFile,
  state: ReadFileState,
  request: { maxTokens: number; signal: AbortSignal; toolUseId: string },
): Promise<ToolResult> {
  if (file.stats.size > mostBytes) {
    throw new ToolError(
      `${file.name} is too large for a notebook: ${showSize(file.stats.size)}. Use jq in Bash to pick cells from it.`,
    );
  }
  const bytes = await readWhole(file, request.signal);
  const notebook = parseNotebook(decodeText(bytes).text, file.name);
  const texts: string[] = [];
  let cut: string | undefined;
  let left = request.maxTokens * 4;
  for (const [index, cell] of notebook.cells.entries()) {
    const text = stripControls(cellText(cell, index, notebook.language));
    left -= Buffer.byteLength(text) + 1;
    if (left < 0) {
      // Of one that is too long by itself something is better than nothing.
      if (texts.length === 0) cut = text.slice(0, shownOfCell).toWellFormed();
      break;
    }
    texts.push(text);
  }
  const whole = texts.length;
  const isPartial = whole < notebook.cells.length;
  if (cut !== undefined) texts.push(`${cut}\n… [cell cut here]`);
  if (isPartial) {
    texts.push(
      `[PARTIAL view: ${whole} of ${notebook.cells.length} cells (one read may have ${request.maxTokens} tokens). Use jq in Bash for the others.]`,
    );
  }
  const { mtimeMs, size } = file.stats;
  state.set(file.path, { mtimeMs, size, hash: hashBytes(bytes), partial: isPartial || undefined }, request.toolUseId);
  return {
    content: texts.length === 0 ? "The notebook has no cells." : texts.join("\n"),
    output: { type: "notebook", file: { filePath: file.path, cells: notebook.cells.map(cellOutput) } },
  };
}

/** Outputs stay in the file: a client that wants them has the path. */
function cellOutput(cell: NotebookCell, index: number): unknown {
  return {
    cellType: cell.cell_type,
    cell_id: cellName(cell, index),
    source: cell.source,
    execution_count: cell.execution_count,
  };
}
