/** Single pages of a PDF as text, extracted by poppler's pdftotext if it is installed. */
import { handlePathForChild } from "../lib/held-folder.ts";
import type { ToolResult } from "../protocol/tool.ts";
import type { ToolClock } from "./tool-clock.ts";
import { ToolError } from "./failure.ts";
import type { OpenedFile } from "./open-file.ts";
import { findProgram, runProgram } from "./run-program.ts";
import type { Environment } from "../lib/environment.ts";

const mostPages = 20;
const limitMs = 30_000;
const maxBytes = 400_000;

export interface PagesRequest {
  signal: AbortSignal;
  /** The user's environment. */
  environment: Environment;
  /** The working directory. */
  folder: string;
  clock: ToolClock;
}

export async function pdfPagesText(file: OpenedFile, pages: string, request: PagesRequest): Promise<ToolResult> {
  const [first, last] = parsePages(pages);
  const program = findProgram("pdftotext", request.environment, request.folder);
  if (program === undefined) {
    throw new ToolError(
      "pages needs the program pdftotext (package poppler-utils), which is not installed. Up to 10 pages can be read without pages; for a longer file have it installed, or use another program in Bash.",
    );
  }
  const result = await runProgram({
    file: program,
    args: [
      "-f",
      String(first),
      "-l",
      String(last),
      "-layout",
      "-enc",
      "UTF-8",
      "--",
      handlePathForChild(file.descriptor) ?? file.path,
      "-",
    ],
    signal: request.signal,
    maxBytes,
    limit: (onExpired) => request.clock.timer(limitMs, onExpired),
  });
  if (result.code !== 0 && result.endReason !== "output") {
    throw new ToolError(
      `pdftotext could not read ${file.name}: ${result.stderr || result.endReason || `exit code ${result.code}`}`,
    );
  }
  const text = result.stdout.toString().trimEnd();
  const cut = result.endReason === "output" ? "\n[Cut here: ask for fewer pages.]" : "";
  return {
    content: text === "" ? "These pages hold no text (or do not exist); they may be images." : `${text}${cut}`,
    output: { type: "text", file: { filePath: file.path, content: text, numLines: 0, startLine: 1, totalLines: 0 } },
  };
}

function parsePages(pages: string): [first: number, last: number] {
  const match = /^\s*([1-9]\d{0,5})\s*(?:-\s*([1-9]\d{0,5})\s*)?$/.exec(pages);
  const first = Number(match?.[1]);
  const last = Number(match?.[2] ?? match?.[1]);
  if (match === null || last < first)
    throw new ToolError(`pages must look like "3" or "1-5", not ${JSON.stringify(pages)}.`);
  if (last - first >= mostPages) throw new ToolError(`pages may span ${mostPages} pages at most.`);
  return [first, last];
}
