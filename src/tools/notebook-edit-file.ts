/** What NotebookEdit does once it is called: changes the cell's part of the JSON text and no other byte. */
import { randomBytes } from "node:crypto";
import { applyEdits, modify, type JSONPath } from "jsonc-parser";
import type { ToolContext, ToolResult } from "../protocol/tool.ts";
import { changeFile, foreseenRefusal, type FileChange } from "./change-file.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { judgedPlace } from "./judged-place.ts";
import { settle, ToolError } from "./failure.ts";
import { cellName, parseNotebook, type Notebook } from "./notebook.ts";
import { originalForOutput } from "./patch.ts";
import { showPath } from "./paths.ts";
import { missingFileText } from "./suggest.ts";

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
}

/** nbformat keeps a source as lines, each with its line end. */
function sourceLines(source: string): string[] {
  return source === "" ? [] : source.split(/(?<=\n)/);
}

function findCell(notebook: Notebook, id: string, name: string): number {
  const index = notebook.cells.findIndex((cell, at) => cellName(cell, at) === id);
  if (index !== -1) return index;
  const known = notebook.cells.slice(0, 20).map((cell, at) => cellName(cell, at));
  throw new ToolError(`${name} has no cell ${JSON.stringify(id)}. It has: ${known.join(", ") || "none"}.`);
}

function newCell(input: NotebookEditInput, notebook: Notebook): { cell: Record<string, unknown>; id?: string } {
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

function editCell(text: string, notebook: Notebook, input: NotebookEditInput, name: string): CellEdit {
  const indent = /^\{\r?\n([ \t]+)/.exec(text)?.[1] ?? " ";
  const formattingOptions = {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
  const put = (before: string, path: JSONPath, value: unknown, isArrayInsertion = false): string =>
    applyEdits(before, modify(before, path, value, { formattingOptions, isArrayInsertion }));
  if (input.edit_mode === "insert") {
    const at = input.cell_id === undefined ? 0 : findCell(notebook, input.cell_id, name) + 1;
    const { cell, id } = newCell(input, notebook);
    return {
      text: put(text, ["cells", at], cell, true),
      cellId: id ?? `cell-${at}`,
      cellType: input.cell_type ?? "code",
    };
  }
  const cellId = input.cell_id ?? "";
  const at = findCell(notebook, cellId, name);
  const oldType = notebook.cells[at]?.cell_type ?? "code";
  if (input.edit_mode === "delete") return { text: put(text, ["cells", at], undefined), cellId, cellType: oldType };
  const cellType = input.cell_type ?? oldType;
  let changed = put(text, ["cells", at, "source"], sourceLines(input.new_source));
  if (cellType !== oldType) changed = put(changed, ["cells", at, "cell_type"], cellType);
  const isCode = cellType === "code";
  // What the old source printed is not what the new one prints; and only code has outputs.
  if (isCode || oldType === "code") {
    changed = put(changed, ["cells", at, "outputs"], isCode ? [] : undefined);
    changed = put(changed, ["cells", at, "execution_count"], isCode ? null : undefined);
  }
  return { text: changed, cellId, cellType };
}

const done = { replace: "Replaced", insert: "Inserted", delete: "Deleted" };

interface Edited {
  edit: CellEdit;
  language: string;
}

function changeOf(
  input: NotebookEditInput,
  path: string,
  context: ToolContext,
  { cwd }: ToolDependencies,
): { change: FileChange; edited: () => Edited } {
  const name = showPath(path, context.cwd);
  let edited: Edited = { edit: { text: "", cellId: "", cellType: "" }, language: "" };
  const change: FileChange = {
    path,
    name,
    signal: context.signal,
    place: judgedPlace(path, context),
    needs: "read",
    async compute(before) {
      if (before === undefined) throw new ToolError(await missingFileText(path, cwd));
      const { text, format } = before.decoded;
      const notebook = parseNotebook(text, name);
      if (notebook.isOld)
        throw new ToolError(
          `${name} is a notebook of an old format, which is read and not edited. Convert it first, with jupyter nbconvert in Bash.`,
        );
      edited = { edit: editCell(text, notebook, input, name), language: notebook.language };
      return { text: edited.edit.text, format };
    },
  };
  return { change, edited: () => edited };
}

/** Undefined where nothing speaks against it yet. */
export async function foreseenOfNotebook(
  path: string,
  input: NotebookEditInput,
  context: ToolContext,
  dependencies: ToolDependencies,
): Promise<string | undefined> {
  return await foreseenRefusal(changeOf(input, path, context, dependencies).change, dependencies);
}

/** `path` is absolute. */
export async function editNotebook(
  path: string,
  input: NotebookEditInput,
  context: ToolContext,
  dependencies: ToolDependencies,
): Promise<ToolResult> {
  const { change, edited } = changeOf(input, path, context, dependencies);
  const { name } = change;
  const mode = input.edit_mode ?? "replace";
  return await settle({ action: "edit", name, signal: context.signal }, async () => {
    const changed = await changeFile(change, dependencies);
    const { edit, language } = edited();
    return {
      content: `${done[mode]} cell ${edit.cellId} of ${name}.`,
      output: {
        new_source: input.new_source,
        cell_id: edit.cellId,
        cell_type: edit.cellType,
        language,
        edit_mode: mode,
        error: "",
        notebook_path: path,
        original_file: originalForOutput(changed.before?.decoded.text ?? ""),
        updated_file: originalForOutput(changed.text),
      },
    };
  });
}
