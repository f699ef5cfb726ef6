/**
 * The content search without ripgrep: JavaScript regular expressions in a worker thread, which can be ended if a pattern never finishes.
 */
import { errorText } from "../../lib/error-text.ts";
import { onAbort } from "../../lib/on-abort.ts";
import { Worker } from "node:worker_threads";
import { ToolError } from "../failure.ts";
import { toJsRegExp } from "./js-pattern.ts";
import type { GrepQuery } from "./grep-query.ts";
import type { FileHits, SearchHits } from "./hits.ts";
import type { SearchScope } from "./ripgrep.ts";

interface WorkerTask {
  /** Absolute. */
  directory: string;
  /** Relative paths, one character per byte. */
  paths: string[];
  query: GrepQuery;
  expression: RegExp;
}

interface WorkerHit {
  path: string;
  /** Line number from 0, and the text that matched in it. */
  matches: [line: number, text: string][];
  /** All lines of the file; empty unless lines are to be shown. */
  lines: string[];
}

type WorkerMessage = { kind: "hit"; hit: WorkerHit } | { kind: "done"; hasUnread: boolean; hasLarge: boolean };

/** The most bytes of hits that are collected. */
const maxBytes = 16 << 20;
const mostColumns = 500;

/** Returns the file's text; undefined if it is not text. Also runs in the worker thread. */
function decode(bytes: Buffer): string | undefined {
  const mark = bytes.toString("latin1", 0, 3);
  if (mark.startsWith("\xff\xfe")) return bytes.toString("utf16le", 2);
  if (mark.startsWith("\xfe\xff") && bytes.length % 2 === 0) return bytes.swap16().toString("utf16le", 2);
  return bytes.subarray(0, 8192).includes(0) ? undefined : bytes.toString("utf8", mark === "\xef\xbb\xbf" ? 3 : 0);
}

/**
 * Runs in the worker thread from its source text, so it must not use anything around it. Its helpers are methods, because bundlers that
 * preserve function names wrap other functions in a helper of the bundle.
 */
function workerMain(decodeFile: typeof decode): void {
  const { workerData, parentPort } = process.getBuiltinModule("node:worker_threads");
  const { closeSync, openSync, readFileSync, readSync, statSync } = process.getBuiltinModule("node:fs");
  const { directory, paths, query, expression } = workerData as WorkerTask;
  const mostFileBytes = 8 << 20;
  let hasUnread = false;
  let hasLarge = false;
  const search = {
    read(path: string): string | undefined {
      try {
        const file = Buffer.concat([Buffer.from(`${directory}/`), Buffer.from(path, "latin1")]);
        if (statSync(file).size > mostFileBytes) {
          hasLarge ||= search.isText(file);
          return undefined;
        }
        return decodeFile(readFileSync(file));
      } catch (error) {
        // The file may also have gone since it was listed.
        hasUnread ||= (error as NodeJS.ErrnoException).code !== "ENOENT";
        return undefined;
      }
    },
    /** Asked only for a file that is too large to search: a large binary file is skipped silently, like any other. */
    isText(file: Buffer): boolean {
      const descriptor = openSync(file, "r");
      try {
        const head = Buffer.alloc(8192);
        return decodeFile(head.subarray(0, readSync(descriptor, head))) !== undefined;
      } finally {
        closeSync(descriptor);
      }
    },
    find(text: string, lines: readonly string[]): [number, string][] {
      if (!query.multiline) {
        return lines.flatMap((line, index) =>
          Array.from(line.matchAll(expression), (match): [number, string] => [index, match[0]]),
        );
      }
      // Continue counting lines from the previous match: counting from the beginning would take quadratic time.
      let [first, counted] = [0, 0];
      return Array.from(text.matchAll(expression)).flatMap((match) => {
        const line = first + text.slice(counted, match.index).split("\n").length - 1;
        [first, counted] = [line, match.index];
        const parts = match[0].replace(/\n$/, "").split("\n");
        return parts.map((part, index): [number, string] => [line + index, part]);
      });
    },
  };
  for (const path of paths) {
    const read = search.read(path);
    if (read === undefined) continue;
    const text = query.pattern.includes("\\r") ? read : read.replaceAll("\r\n", "\n");
    const lines = text.split("\n");
    if (lines.at(-1) === "") lines.pop();
    const matches = search.find(text, lines);
    if (matches.length === 0) continue;
    const hit = { path, matches, lines: query.mode === "content" ? lines : [] };
    parentPort?.postMessage({ kind: "hit", hit } satisfies WorkerMessage);
  }
  parentPort?.postMessage({ kind: "done", hasUnread, hasLarge } satisfies WorkerMessage);
}

function clip(line: string): string {
  const shown = line.endsWith("\r") ? line.slice(0, -1) : line;
  return shown.length > mostColumns ? `${shown.slice(0, mostColumns)} [… cut]` : shown;
}

/** Formats the lines as ripgrep prints them, without the path. */
function formatHitLines({ matches, lines }: WorkerHit, query: GrepQuery): string[] {
  const label = (index: number, mark: string): string => (query.lineNumbers ? `${index + 1}${mark}` : "");
  if (query.onlyMatching) return matches.map(([index, text]) => label(index, ":") + clip(text));
  const matching = new Set(matches.map(([index]) => index));
  const wanted = new Set<number>();
  for (const index of matching) {
    for (let near = index - query.before; near <= index + query.after; near += 1)
      if (near >= 0 && near < lines.length) wanted.add(near);
  }
  const shown: string[] = [];
  let last: number | undefined;
  for (const index of Array.from(wanted).toSorted((one, other) => one - other)) {
    if (last !== undefined && index > last + 1 && query.before + query.after > 0) shown.push("--");
    shown.push(label(index, matching.has(index) ? ":" : "-") + clip(lines[index] ?? ""));
    last = index;
  }
  return shown;
}

/** Searches the files; when time runs out, returns what was found so far. Throws a `ToolError` for an invalid pattern. */
export async function searchInWorker(
  query: GrepQuery,
  paths: readonly Buffer[],
  scope: SearchScope,
): Promise<SearchHits> {
  const expression = compileExpression(query);
  const { directory } = scope;
  const task: WorkerTask = { directory, paths: paths.map((path) => path.toString("latin1")), query, expression };
  const worker = new Worker(`(${workerMain.toString()})(${decode.toString()})`, {
    eval: true,
    workerData: task,
    env: {},
    stdin: false,
  });
  const files: FileHits[] = [];
  let bytes = 0;
  let unsearched: Pick<SearchHits, "hasUnread" | "hasLarge"> = {};
  const { promise, resolve, reject } = Promise.withResolvers<"done" | "timeout" | "output" | "aborted">();
  const cancel = scope.clock.timer(scope.limitMs, () => resolve("timeout"));
  const stopListening = onAbort(scope.signal, () => resolve("aborted"));
  worker.on("message", (message: WorkerMessage) => {
    if (message.kind === "done") {
      unsearched = {
        ...(message.hasUnread ? { hasUnread: true } : {}),
        ...(message.hasLarge ? { hasLarge: true } : {}),
      };
      return resolve("done");
    }
    const lines = query.mode === "content" ? formatHitLines(message.hit, query) : [];
    const count = new Set(message.hit.matches.map(([line]) => line)).size;
    files.push({ path: Buffer.from(message.hit.path, "latin1"), lines, count });
    bytes += message.hit.path.length + lines.reduce((sum, line) => sum + line.length, 0);
    if (bytes > maxBytes) resolve("output");
  });
  worker.on("error", reject);
  try {
    const end = await promise;
    if (end === "aborted") throw new ToolError("The search was cancelled before it finished.");
    if (end !== "done") return { files, endReason: end };
    return { files, ...unsearched };
  } finally {
    cancel();
    stopListening();
    await worker.terminate();
  }
}

function compileExpression({ pattern, type, ignoreCase, multiline }: GrepQuery): RegExp {
  if (type !== undefined)
    throw new ToolError("type needs ripgrep, which is not installed. Use glob instead, such as *.ts.");
  try {
    // Compiling is quick for any pattern; only matching can take forever.
    return toJsRegExp(pattern, `g${ignoreCase ? "i" : ""}${multiline ? "ms" : ""}`);
  } catch (error) {
    throw new ToolError(`The pattern is not a valid regular expression: ${errorText(error)}`);
  }
}
