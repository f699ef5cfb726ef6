/** Jupyter notebooks, parsed defensively: anyone may have written the file. */
import { errorText } from "../lib/error-text.ts";
import { ToolError } from "./failure.ts";
import { isRecord } from "../lib/is-record.ts";
import { convertOldCells } from "./notebook-old.ts";
import { isSameJson } from "../lib/is-same-json.ts";

export interface NotebookCell {
  cell_type: string;
  id?: string;
  source: string;
  outputs: unknown[];
  execution_count: number | null;
}

export interface Notebook {
  /** The whole document as parsed, for writing it back. */
  document: Record<string, unknown> & { cells: Record<string, unknown>[] };
  cells: NotebookCell[];
  language: string;
  /** The notebook is in nbformat 3 or earlier; writing it back would have to keep that format. */
  isOld: boolean;
}

/** Joins a text field: nbformat allows a string or a list of strings to be joined. */
export function joinText(value: unknown): string {
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.filter((part) => typeof part === "string").join("") : "";
}

/** Throws a `ToolError` if the text is not a notebook. `name` is for the error message. */
export function parseNotebook(text: string, name: string): Notebook {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw new ToolError(`${name} is not a notebook: its JSON is broken (${errorText(error)}).`);
  }
  const old = isRecord(document) ? convertOldCells(document) : undefined;
  const cells: unknown = isRecord(document) ? (old ?? document["cells"]) : undefined;
  if (!isRecord(document) || !Array.isArray(cells))
    throw new ToolError(`${name} is not a notebook: it has no list of cells.`);
  const raw = cells.filter(isRecord);
  if (raw.length !== cells.length) throw new ToolError(`${name} is not a notebook: a cell is not an object.`);
  const language = languageOf(document["metadata"]);
  return { document: { ...document, cells: raw }, cells: readCells(raw), language, isOld: old !== undefined };
}

/** Reads the cells. If several share an id, as copied cells do, only the first keeps it: every cell needs its own name. */
function readCells(raw: readonly Record<string, unknown>[]): NotebookCell[] {
  const usedIds = new Set<string>();
  return raw.map((each) => {
    const { id, ...cell } = readCell(each);
    if (id === undefined || usedIds.has(id)) return cell;
    usedIds.add(id);
    return { ...cell, id };
  });
}

function languageOf(metadata: unknown): string {
  const { language_info: info, kernelspec: kernel } = isRecord(metadata) ? metadata : {};
  const languageNames = [isRecord(info) ? info["name"] : undefined, isRecord(kernel) ? kernel["language"] : undefined];
  return languageNames.find((name) => typeof name === "string") ?? "python";
}

function readCell(cell: Record<string, unknown>): NotebookCell {
  const read: NotebookCell = {
    cell_type: typeof cell["cell_type"] === "string" ? cell["cell_type"] : "raw",
    source: joinText(cell["source"]),
    outputs: Array.isArray(cell["outputs"]) ? cell["outputs"] : [],
    execution_count: typeof cell["execution_count"] === "number" ? cell["execution_count"] : null,
  };
  if (typeof cell["id"] === "string") read.id = cell["id"];
  return read;
}

/** The name of a cell towards the model: its own id, or `cell-3` (from 0) if it has no unique id. */
export function cellName(cell: NotebookCell, index: number): string {
  return cell.id ?? `cell-${index}`;
}

/** Returns the first position that holds a different cell after cells were added or removed; undefined if no cell moved. */
export function firstMovedCell(before: string, after: string): number | undefined {
  const [old, now] = [before, after].map(rawCells);
  if (old === undefined || old.length === now?.length) return undefined;
  const at = old.findIndex((cell, index) => !isSameJson(cell, now?.[index]));
  return at === -1 ? undefined : at;
}

/** Undefined if the text is not a notebook. */
function rawCells(text: string): unknown[] | undefined {
  try {
    return parseNotebook(text, "").document.cells;
  } catch {
    return undefined;
  }
}

const maxOutputLength = 10_000;

/** If an output has several of these, the first is shown. */
export const pictureKinds: readonly string[] = ["image/png", "image/jpeg", "image/webp", "image/gif"];
const textKinds = ["text/plain", "text/markdown", "text/latex", "text/html"];

/** One output as text. Media types are named, and marked as shown below if they are. */
function outputText(output: unknown, isShown: boolean): string {
  if (!isRecord(output)) return "";
  if (output["output_type"] === "stream") return joinText(output["text"]);
  if (output["output_type"] === "error")
    return `${joinText(output["ename"])}: ${joinText(output["evalue"])}\n${joinText(output["traceback"])}`;
  const data = isRecord(output["data"]) ? output["data"] : {};
  // Take only one text kind: all of them represent the same content.
  const kind = textKinds.find((type) => joinText(data[type]) !== "");
  const plain = kind === undefined ? "" : joinText(data[kind]);
  const media = Object.keys(data).filter((type) => !type.startsWith("text/"));
  const picture = isShown ? pictureKinds.find((type) => media.includes(type)) : undefined;
  const mediaNotes = media.map((type) => `[${type} ${type === picture ? "is shown below" : "not shown"}]`);
  return [plain, ...mediaNotes].filter((part) => part !== "").join("\n");
}

/** Keeps both ends of a long output: an error is at the end, after whatever the cell printed before. */
function keepBothEnds(text: string): string {
  if (text.length <= maxOutputLength) return text;
  const half = maxOutputLength / 2;
  return `${text.slice(0, half)}… [${text.length - maxOutputLength} more characters] …${text.slice(-half)}`.toWellFormed();
}

/** A cell and its outputs, limited in length. `shown`: the outputs whose picture follows. */
export function cellText(
  cell: NotebookCell,
  index: number,
  language: string,
  shown: ReadonlySet<unknown> = new Set(),
): string {
  const kind = cell.cell_type === "code" ? language : cell.cell_type;
  const outputs = cell.outputs
    .map((output) => outputText(output, shown.has(output)))
    .join("\n")
    .trim();
  const output = outputs === "" ? "" : `\n<output>\n${keepBothEnds(outputs)}\n</output>`;
  return `<cell id="${cellName(cell, index)}" type="${kind}">\n${cell.source}\n</cell>${output}`;
}
