/** The work of NotebookEdit: changes only the cell's part of the JSON text and no other byte. */
import { randomBytes } from "node:crypto";
import { applyEdits, modify, type JSONPath } from "jsonc-parser";
import type { FileBefore } from "./change-file.ts";
import { createChangingWork } from "./changing-work.ts";
import { ToolError } from "./failure.ts";
import { cellName, parseNotebook, type Notebook } from "./notebook.ts";
import { originalForOutput } from "./patch.ts";
import { missingFileText } from "./missing-file.ts";

export interface NotebookEditInput {
  notebook_path: string;
  new_source: string;
  cell_id?: string;
  cell_type?: "code" | "markdown";
  edit_mode?: "replace" | "insert" | "delete";
}

interface CellEdit {
  text: string;
  cellId: string;
  cellType: string;
  /** The first cell that is named by its position and whose position has changed. */
  movedFrom?: number;
}

/** nbformat stores a source as a list of lines, each with its line end. */
function sourceLines(source: string): string[] {
  return source === "" ? [] : source.split(/(?<=\n)/);
}

/** `movedFrom`: the first position that no longer tells which cell the model means. */
function findCell(notebook: Notebook, id: string, name: string, movedFrom = Infinity): number {
  const index = notebook.cells.findIndex((cell, at) => cellName(cell, at) === id);
  if (index >= movedFrom && notebook.cells[index]?.id === undefined)
    throw new ToolError(
      `${id} of ${name} is a different cell now, because a cell before it was added or removed. Read the notebook again, then try again.`,
    );
  if (index !== -1) return index;
  const known = notebook.cells.slice(0, 20).map((cell, at) => cellName(cell, at));
  throw new ToolError(`${name} has no cell ${JSON.stringify(id)}. It has: ${known.join(", ") || "none"}.`);
}

function createCell(input: NotebookEditInput, notebook: Notebook): { cell: Record<string, unknown>; id?: string } {
  const { nbformat, nbformat_minor: minor } = notebook.document;
  // Cells have ids from format 4.5 on.
  const hasIds = typeof nbformat === "number" && typeof minor === "number" && (nbformat > 4 || minor >= 5);
  const id = hasIds ? randomBytes(4).toString("hex") : undefined;
  const code = input.cell_type === "code" ? { execution_count: null, outputs: [] } : {};
  const cell = {
    ...(id === undefined ? {} : { id }),
    cell_type: input.cell_type,
    metadata: {},
    source: sourceLines(input.new_source),
    ...code,
  };
  return id === undefined ? { cell } : { cell, id };
}

/** Notes that cells from `at` on have moved if any of them is named by its position. Cells that moved before stay moved. */
function movedFromAfterShift(notebook: Notebook, at: number, first: number, before = Infinity): { movedFrom?: number } {
  const isMoved = notebook.cells.slice(at).some(({ id }) => id === undefined);
  return isMoved ? { movedFrom: at > before ? before : first } : {};
}

function editCell(
  { decoded: { text }, movedFrom }: FileBefore,
  notebook: Notebook,
  input: NotebookEditInput,
  name: string,
): CellEdit {
  const indent = /^\{\r?\n([ \t]+)/.exec(text)?.[1] ?? " ";
  const formattingOptions = {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
  const setValue = (before: string, path: JSONPath, value: unknown, isArrayInsertion = false): string =>
    applyEdits(before, modify(before, path, value, { formattingOptions, isArrayInsertion }));
  if (input.edit_mode === "insert") {
    const at = input.cell_id === undefined ? 0 : findCell(notebook, input.cell_id, name, movedFrom) + 1;
    const { cell, id } = createCell(input, notebook);
    return {
      text: setValue(text, ["cells", at], cell, true),
      cellId: id ?? `cell-${at}`,
      cellType: input.cell_type ?? "code",
      ...movedFromAfterShift(notebook, at, at + 1, movedFrom),
    };
  }
  const cellId = input.cell_id ?? "";
  const at = findCell(notebook, cellId, name, movedFrom);
  const oldType = notebook.cells[at]?.cell_type ?? "code";
  if (input.edit_mode === "delete")
    return {
      text: setValue(text, ["cells", at], undefined),
      cellId,
      cellType: oldType,
      ...movedFromAfterShift(notebook, at + 1, at, movedFrom),
    };
  const cellType = input.cell_type ?? oldType;
  let changed = setValue(text, ["cells", at, "source"], sourceLines(input.new_source));
  if (cellType !== oldType) changed = setValue(changed, ["cells", at, "cell_type"], cellType);
  const isCode = cellType === "code";
  // The old outputs do not belong to the new source; and only code cells have outputs.
  if (isCode || oldType === "code") {
    changed = setValue(changed, ["cells", at, "outputs"], isCode ? [] : undefined);
    changed = setValue(changed, ["cells", at, "execution_count"], isCode ? null : undefined);
    // Only cells that are not code have attachments (embedded pictures).
    if (isCode) changed = setValue(changed, ["cells", at, "attachments"], undefined);
  }
  return { text: changed, cellId, cellType };
}

/** Added to the result because the deleted cell's name may now be the next cell's name. */
const movedCellsNote = " The cells after it that are named by their position have different names now.";

const editVerbs = { replace: "Replaced", insert: "Inserted", delete: "Deleted" };

export const notebookWork = createChangingWork<NotebookEditInput>("edit", (input, { path, name }, { cwd }) => {
  let edit: CellEdit = { text: "", cellId: "", cellType: "" };
  let language = "";
  const mode = input.edit_mode ?? "replace";
  return {
    needs: "read",
    async compute(before) {
      if (before === undefined) throw new ToolError(await missingFileText(path, cwd));
      const notebook = parseNotebook(before.decoded.text, name);
      if (notebook.isOld)
        throw new ToolError(
          `${name} is a notebook in an old format, which can be read but not edited. Convert it first, with jupyter nbconvert in Bash.`,
        );
      edit = editCell(before, notebook, input, name);
      language = notebook.language;
      return { text: edit.text, format: before.decoded.format, movedFrom: edit.movedFrom };
    },
    buildResult: ({ before, text }) => ({
      content: `${editVerbs[mode]} cell ${edit.cellId} of ${name}.${edit.movedFrom === undefined ? "" : movedCellsNote}`,
      output: {
        new_source: input.new_source,
        cell_id: edit.cellId,
        cell_type: edit.cellType,
        language,
        edit_mode: mode,
        error: "",
        notebook_path: path,
        original_file: originalForOutput(before?.decoded.text ?? ""),
        updated_file: originalForOutput(text),
      },
    }),
  };
});
