/** Searches file contents with ripgrep. */
import { readdir } from "node:fs/promises";
import { ToolError } from "../failure.ts";
import { withoutDotSlash } from "./found-path.ts";
import { createGlobFilter } from "./glob-filter.ts";
import type { GrepQuery } from "./grep-query.ts";
import { parseHits, type OutputMode, type SearchHits } from "./hits.ts";
import { globOptions, runRipgrep, type SearchScope } from "./ripgrep.ts";
import { leavingOutUnselected } from "./unselected-files.ts";

const modeOptions: Record<OutputMode, readonly string[]> = {
  content: ["--with-filename", "--no-heading", "--max-columns=500", "--max-columns-preview"],
  files_with_matches: ["--files-with-matches"],
  count: ["--count", "--with-filename"],
};

const carriageReturn = /\r|\\r|\\x(?:0d|\{0*d\})/i;

/**
 * Makes a line end in the pattern match CR LF as well, unless the pattern itself mentions CR. Leaves the pattern alone if it contains a
 * lookbehind, whose length must be known, or the x flag, under which line ends are only layout.
 */
function allowCrLf(pattern: string): string {
  if (carriageReturn.test(pattern) || /\(\?(?:<|\w*x)/.test(pattern)) return pattern;
  let classes = 0;
  return pattern.replaceAll(/\\[^]|\[:\^?\w{1,20}:\]|\[\^?\]?|[\]\n]/g, (text) => {
    if (text.startsWith("[")) classes += text.startsWith("[:") ? 0 : 1;
    else if (text === "]") classes = Math.max(0, classes - 1);
    else if (classes === 0 && (text === "\n" || text === "\\n")) return "(?:\\r?\\n)";
    return text;
  });
}

/** Every value from the model is joined to its option by `=`, or comes after `--`, so that it cannot be read as an option. */
function argumentsFor(query: GrepQuery): string[] {
  const pattern = query.multiline ? allowCrLf(query.pattern) : query.pattern;
  const args = [...modeOptions[query.mode], "--null", "--hidden", `--regexp=${pattern}`];
  if (query.ignoreCase) args.push("--ignore-case");
  if (query.multiline) args.push("--multiline", "--multiline-dotall");
  // With CR LF, `$` must match before both characters, unless the pattern itself mentions CR.
  if (query.pattern.includes("$") && !carriageReturn.test(query.pattern)) args.push("--crlf");
  if (query.type !== undefined) args.push(`--type=${query.type}`);
  if (query.glob !== undefined) args.push(...globOptions(query.glob));
  if (query.mode !== "content") return args;
  args.push(query.lineNumbers ? "--line-number" : "--no-line-number");
  if (query.onlyMatching) args.push("--only-matching");
  if (query.before > 0) args.push(`--before-context=${query.before}`);
  if (query.after > 0) args.push(`--after-context=${query.after}`);
  return args;
}

/**
 * Whether the last name in the glob stands for any name: `src/**`, `*.*`. Such a glob matches folders too, and ripgrep searches a
 * matching folder or file even if git ignores it.
 */
function endsInAnyName(glob: string): boolean {
  return /^(?!!)(?:[^]*\/)?[*.,{}]*\*[*.,{}]*$/.test(glob);
}

const mostLeftOut = 1000;

/** Options that leave out what lies beside the folders with which the glob begins. */
async function leaveOutOthers(glob: string, directory: string): Promise<string[]> {
  const [fixed = ""] = /^\/?(?:(?!\.{1,2}\/)[^*?[\]{}\\/]+\/)*/.exec(glob) ?? [];
  const others: string[] = [];
  let folder = "";
  for (const name of fixed.split("/").filter((each) => each !== "")) {
    const names = await readdir(`${directory}${folder}`).catch(() => []);
    if (others.length + names.length > mostLeftOut) break;
    for (const other of names) if (other !== name) others.push(`${folder}/${other}`);
    folder += `/${name}`;
  }
  // ripgrep cuts off a tab or CR at the end, as of the name `Icon\r` that macOS gives to files, even behind a backslash.
  return others.map((path) => `--glob=!${path.replaceAll(/[*?[\]{}\\]/g, String.raw`\$&`).replace(/\s$/, "[$&]")}`);
}

/**
 * `target`: `./`, or one file in the folder, which is searched whatever the glob says. `temporary`: a folder for files that last no longer
 * than the search. Throws a `ToolError` for a pattern, type or glob that ripgrep refuses.
 */
export async function searchWithRipgrep(
  program: string,
  query: GrepQuery,
  target: string,
  scope: SearchScope,
  temporary: string,
): Promise<SearchHits> {
  const { glob = "" } = query;
  if (target !== "./" || !endsInAnyName(glob))
    return await runSearch(program, argumentsFor(query), { query, target, scope });
  const args = [...argumentsFor({ ...query, glob: undefined }), ...(await leaveOutOthers(glob, scope.directory))];
  const hits = await leavingOutUnselected(glob, temporary, (options) =>
    runSearch(program, [...args, ...options], { query, target, scope }),
  );
  const isMatch = await createGlobFilter(glob);
  return { ...hits, files: hits.files.filter(({ path }) => isMatch(path)) };
}

interface SearchRun {
  query: GrepQuery;
  target: string;
  scope: SearchScope;
}

async function runSearch(
  program: string,
  args: readonly string[],
  { query, target, scope }: SearchRun,
): Promise<SearchHits> {
  const first = await runRipgrep(program, args, target, scope);
  // ripgrep's default engine has no look-around and no backreferences; PCRE2 has, but may not be built in and is slower.
  const { stdout, stderr, code, endReason } = /--pcre2/.test(first.stderr)
    ? await runRipgrep(program, ["--pcre2", ...args], target, scope)
    : first;
  if (endReason === "aborted") throw new ToolError("The search was cancelled before it finished.");
  // Exit code 2 with results means that some files could not be read.
  if (endReason === undefined && code === 2 && stdout.length === 0 && stderr !== "")
    throw new ToolError(explainRipgrepError(stderr));
  const files = parseHits(stdout, query.mode).map((file) => ({ ...file, path: withoutDotSlash(file.path) }));
  if (endReason !== undefined) return { files, endReason };
  return code === 2 ? { files, hasUnread: true } : { files };
}

function explainRipgrepError(stderr: string): string {
  const text = stderr.replace(/^rg: /, "");
  if (text.includes("unrecognized file type")) return `${text}. Use glob instead, such as *.ts.`;
  if (text.includes("PCRE2 is not available"))
    return "This ripgrep supports neither look-around nor backreferences: use a broader pattern, or grep -P in Bash.";
  if (text.includes("multiline mode")) return "The pattern spans lines: set multiline to true.";
  if (text.includes("regex parse error"))
    return `The pattern is not a valid regular expression (escape brackets that are meant literally): ${text}`;
  return `The search failed: ${text}`;
}
