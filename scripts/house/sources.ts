// Reads the sources with a real parser: every import and every comment of a file, with its line.
import { readFileSync, readdirSync } from "node:fs";
import { join, sep } from "node:path";
import { parseSync, type ParseResult } from "rolldown/utils";

export interface Problem {
  file: string;
  line: number;
  rule: string;
  /** What is wrong and what to do about it. */
  message: string;
}

export interface ImportReference {
  specifier: string;
  line: number;
  /** `type` imports do not exist at run time; `dynamic` is an `import()` expression. */
  kind: "value" | "type" | "dynamic";
}

export interface Source {
  /** Relative to the root, with forward slashes. */
  file: string;
  imports: ImportReference[];
  comments: { text: string; line: number }[];
  /** True if the file begins with a comment. */
  opensWithComment: boolean;
}

const sourceFile = /\.(ts|mts|js|mjs)$/;
const foreignFolders = new Set(["node_modules", "dist", "dist.next", "coverage", ".git", "sample"]);

/** Returns the sorted paths, relative to `root`, of the source files below `folder`. */
export function listSources(root: string, folder: string): string[] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile() && sourceFile.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((path) => !path.split(sep).some((part) => foreignFolders.has(part)))
    .map((path) => path.split(sep).join("/"))
    .toSorted();
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

function stringLiteralValue(text: string): string | undefined {
  return /^(["'`])([^$\\]*)\1$/.exec(text)?.[2];
}

function importsOf(text: string, module: ParseResult["module"]): ImportReference[] {
  const found: ImportReference[] = [];
  for (const { moduleRequest, entries } of module.staticImports) {
    const onlyTypes = entries.length > 0 && entries.every((entry) => entry.isType);
    const line = lineAt(text, moduleRequest.start);
    found.push({ specifier: moduleRequest.value, line, kind: onlyTypes ? "type" : "value" });
  }
  for (const statement of module.staticExports) {
    const request = statement.entries.find((entry) => entry.moduleRequest)?.moduleRequest;
    if (!request) continue;
    const kind = statement.entries.every((entry) => entry.isType) ? "type" : "value";
    found.push({ specifier: request.value, line: lineAt(text, request.start), kind });
  }
  for (const { moduleRequest } of module.dynamicImports) {
    const specifier = stringLiteralValue(text.slice(moduleRequest.start, moduleRequest.end));
    if (specifier !== undefined) found.push({ specifier, line: lineAt(text, moduleRequest.start), kind: "dynamic" });
  }
  return found.toSorted((left, right) => left.line - right.line);
}

/** Parses one file. Throws an error with the file's name if that fails. */
export function readSource(root: string, file: string): Source {
  const text = readFileSync(join(root, file), "utf8");
  const parsed = parseSync(file, text);
  const [error] = parsed.errors;
  if (error) throw new Error(`${file} does not parse: ${error.message}`);
  const first = parsed.comments[0]?.start ?? Number.POSITIVE_INFINITY;
  return {
    file,
    imports: importsOf(text, parsed.module),
    comments: parsed.comments.map((comment) => ({ text: comment.value, line: lineAt(text, comment.start) })),
    opensWithComment: first <= text.search(/\S/),
  };
}
