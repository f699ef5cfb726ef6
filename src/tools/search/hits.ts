/** The results of a content search, file by file, and their text for the model. */
import { showFoundPath } from "./found-path.ts";

export interface FileHits {
  /** Relative to the searched folder. */
  path: Buffer;
  /** Content mode: `12:text` for a match, `12-text` for context, `--` between groups; without numbers only the text. */
  lines: string[];
  /** The number of matching lines, in count mode. */
  count: number;
}

export interface SearchHits {
  files: FileHits[];
  /** Why the results may be incomplete. */
  endReason?: "timeout" | "output";
  /** Some files or folders could not be read. */
  hasUnread?: true;
  /** Some files are too large to be searched without ripgrep. */
  hasLarge?: true;
}

export type OutputMode = "content" | "files_with_matches" | "count";

const newline = 0x0a;
/** The second with `--crlf`. If missed, it would become part of the next path and hide that a rule forbids that. */
const separators = [Buffer.from("--\n"), Buffer.from("--\r\n")];
/** ripgrep's remark about a file in which it found a NUL: a line with no NUL after the path. */
const binaryRemark = /^([^]*?): (warning: stopped searching )?binary file (?:after match|matches) \(found [^\n]*\n/i;
/** Longest remark, with the longest path a system allows. */
const longestRemark = 8192;

/**
 * Parses ripgrep's `--null` output: one `path<NUL>rest<LF>` per line. A path may contain newlines but starts with `./`, so it cannot be
 * confused with the `--` lines between groups. An unfinished last line is left out.
 */
export function parseHits(stdout: Buffer, mode: OutputMode): FileHits[] {
  const files: FileHits[] = [];
  let current: FileHits | undefined;
  let isNewGroup = false;
  // Find each NUL once and look no further than it: scanning to the end for every path takes minutes for a hundred thousand paths.
  let nul = -1;
  for (let at = 0; at < stdout.length;) {
    if (nul < at) nul = indexOrEnd(stdout.indexOf(0, at), stdout);
    const separator = separators.find((each) => stdout.subarray(at, at + each.length).equals(each));
    if (separator !== undefined) {
      isNewGroup = true;
      at += separator.length;
      continue;
    }
    const remark = parseRemarkAt(stdout, at, nul);
    if (remark !== undefined) {
      if (current?.path.equals(remark.path) !== true)
        files.push((current = { path: remark.path, lines: [], count: 0 }));
      current.lines.push(remark.text);
      at = remark.end;
      continue;
    }
    if (nul === stdout.length) break;
    const path = stdout.subarray(at, nul);
    const end = mode === "files_with_matches" ? nul : stdout.indexOf(newline, nul);
    if (end === -1) break;
    if (current === undefined || !current.path.equals(path)) {
      current = { path, lines: [], count: 0 };
      files.push(current);
    } else if (isNewGroup) current.lines.push("--");
    isNewGroup = false;
    const rest = stdout.toString("utf8", nul + 1, end);
    if (mode === "content") current.lines.push(rest.endsWith("\r") ? rest.slice(0, -1) : rest);
    else if (mode === "count") current.count = Number(rest);
    at = end + 1;
  }
  return files;
}

function indexOrEnd(found: number, { length }: Buffer): number {
  return found === -1 ? length : found;
}

/** Parses a remark at `at`. If missed, it would become part of the next path and hide that a rule forbids that. `nul`: the next NUL. */
function parseRemarkAt(
  stdout: Buffer,
  at: number,
  nul: number,
): { path: Buffer; text: string; end: number } | undefined {
  const before = stdout.subarray(at, Math.min(nul, at + longestRemark));
  if (!before.includes(newline)) return undefined;
  const match = binaryRemark.exec(before.toString("latin1"));
  if (match === null) return undefined;
  const [whole, path = "", stopped] = match;
  const text =
    stopped === undefined
      ? "[The match is in binary data, which is not shown. grep -a in Bash shows it.]"
      : "[The search of this file ended here, where binary data begins. grep -a in Bash searches on.]";
  return { path: Buffer.from(path, "latin1"), text, end: at + whole.length };
}

export function compareByPath(one: FileHits, other: FileHits): number {
  return Buffer.compare(one.path, other.path);
}

export interface HitsView {
  directory: string;
  cwd: string;
  /** A single file was searched: its name is not repeated. */
  isSingleFile: boolean;
  hasNumbers: boolean;
  hasContext: boolean;
}

/** The lines of content mode, ordered by path. */
export function contentLines(files: readonly FileHits[], view: HitsView): string[] {
  const shown: string[] = [];
  for (const [index, { path, lines }] of files.entries()) {
    if (index > 0 && view.hasContext) shown.push("--");
    const name = view.isSingleFile ? "" : showFoundPath(path, view.directory, view.cwd);
    for (const line of lines) {
      if (line === "--" || view.isSingleFile) shown.push(line);
      else shown.push(`${name}${view.hasNumbers && /^\d+-/.test(line) ? "-" : ":"}${line}`);
    }
  }
  return shown;
}
