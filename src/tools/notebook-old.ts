/** Converts the cells of notebooks in nbformat 3 and earlier to nbformat 4. https://nbformat.readthedocs.io/en/latest/changelog.html */
import { isRecord } from "../lib/is-record.ts";
import { withoutPrototype } from "../lib/without-prototype.ts";

/** Returns the cells; undefined if the document is not in the old format. */
export function convertOldCells(document: Record<string, unknown>): Record<string, unknown>[] | undefined {
  const sheets = document["worksheets"];
  if (!Array.isArray(sheets)) return undefined;
  return sheets.flatMap((sheet: unknown) => {
    const cells = isRecord(sheet) ? sheet["cells"] : [];
    return Array.isArray(cells) ? cells.filter(isRecord).map(convertCell) : [];
  });
}

function convertCell(cell: Record<string, unknown>): Record<string, unknown> {
  const { cell_type: kind, input, source, outputs, prompt_number: count, level } = cell;
  if (kind === "heading") {
    const marks = "#".repeat(typeof level === "number" ? Math.min(Math.max(level, 1), 6) : 1);
    return { cell_type: "markdown", source: [`${marks} `, ...[source].flat()] };
  }
  if (kind !== "code") return { cell_type: kind, source };
  const now = Array.isArray(outputs) ? outputs.map(convertOutput) : [];
  return { cell_type: kind, source: input, outputs: now, execution_count: count };
}

const mediaTypes = withoutPrototype({
  text: "text/plain",
  html: "text/html",
  latex: "text/latex",
  svg: "image/svg+xml",
  png: "image/png",
  jpeg: "image/jpeg",
  json: "application/json",
  javascript: "application/javascript",
});

function convertOutput(output: unknown): unknown {
  if (!isRecord(output) || output["output_type"] === "stream") return output;
  if (output["output_type"] === "pyerr") return { ...output, output_type: "error" };
  const data = Object.entries(output).flatMap(([key, value]) => {
    const kind = mediaTypes[key];
    return kind === undefined ? [] : [[kind, value] as const];
  });
  return { output_type: "display_data", data: Object.fromEntries(data) };
}
