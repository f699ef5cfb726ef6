/**
 * Front matter: the fields between two `---` lines at the head of a file, and the text below. What is not YAML is read line by line as well
 * as possible, and reported. Never throws.
 */
import { loadOnce } from "../lib/load-once.ts";
import { codePointName, withoutInvisible } from "../lib/invisible-characters.ts";
import { plainFields } from "./plain-fields.ts";

export interface LineProblem {
  /** From 1, in the file. */
  line: number;
  /** One clause, without a full stop. */
  reason: string;
}

export interface FrontMatter {
  /** Without a prototype. Empty if there is no front matter. */
  fields: Readonly<Record<string, unknown>>;
  /** What follows the front matter, unchanged. */
  body: string;
  /** The line of the body's first character, from 1. */
  bodyLine: number;
  problems: LineProblem[];
  /** Returns the line of a field, from 1; for an absent field, the first line. */
  lineOf(field: string): number;
  /** Fields that occur twice; the last one counts. */
  repeated: ReadonlySet<string>;
  /** Blank lines or comments precede it. For strict readers it is then no front matter, so it should permit nothing. */
  isLate?: true;
}

const yaml = loadOnce(() => import("js-yaml"));
type Yaml = Awaited<ReturnType<typeof yaml>>;

const maxCharacters = 64 * 1024;

/** Fields that are only shown to people. By convention their text may be `[first] [second]`, which is not YAML and means what it says. */
const displayedFields = new Set(["argument-hint"]);

/**
 * Reads the front matter and removes characters that only the model would see, because the texts are given to it as instructions. A name
 * with such characters is left for the reader to refuse.
 */
export async function readFrontMatter(text: string, options: { mayBeLate?: boolean } = {}): Promise<FrontMatter> {
  const whole = text.replace(/^\ufeff/u, "").replaceAll(/\r\n?/gu, "\n");
  const before = options.mayBeLate === true ? countLeadingLines(whole.split("\n")) : 0;
  const read = before === 0 ? await readFromFirstLine(whole) : await readLate(whole, before);
  const hidden = new Set<string>();
  let line: number | undefined;
  const withoutHidden = (part: string, lineAt: (offset: number) => number): string =>
    withoutInvisible(part, (character, offset) => {
      hidden.add(codePointName(character));
      line ??= lineAt(offset);
      return "";
    });
  const fields = emptyFields();
  for (const [name, value] of Object.entries(read.fields))
    fields[name] = typeof value === "string" && name !== "name" ? withoutHidden(value, () => read.lineOf(name)) : value;
  const body = withoutHidden(read.body, (offset) => read.bodyLine + read.body.slice(0, offset).split("\n").length - 1);
  if (line === undefined) return read;
  const reason = `it contains invisible characters (${[...hidden].slice(0, 8).join(", ")}), which were removed`;
  return { ...read, fields, body, problems: [...read.problems, { line, reason }] };
}

/** Returns how many blank and comment lines precede text whose first field shows that it is front matter; 0 if it is not. */
export function countLeadingLines(lines: readonly string[]): number {
  let isComment = false;
  for (const [at, line] of lines.entries()) {
    isComment ||= line.startsWith("<!--");
    if (isComment) {
      isComment = !line.includes("-->");
      if (!isComment && !line.trimEnd().endsWith("-->")) return 0;
    } else if (line.trim() !== "")
      return line.trimEnd() === "---" && /^["']?[A-Za-z_][\w-]*["']?\s*:/u.test(lines[at + 1] ?? "") ? at : 0;
  }
  return 0;
}

async function readLate(text: string, before: number): Promise<FrontMatter> {
  const read = await readFromFirstLine(text.split("\n").slice(before).join("\n"));
  return {
    ...read,
    bodyLine: read.bodyLine + before,
    problems: read.problems.map((problem) => ({ ...problem, line: problem.line + before })),
    lineOf: (field) => read.lineOf(field) + before,
    isLate: true,
  };
}

async function readFromFirstLine(text: string): Promise<FrontMatter> {
  const lines = text.split("\n");
  const none = (problems: LineProblem[]): FrontMatter => ({
    fields: emptyFields(),
    body: text,
    bodyLine: 1,
    problems,
    lineOf: () => 1,
    repeated: new Set(),
  });
  if (lines[0]?.trimEnd() !== "---") return none([]);
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === "---");
  if (end < 0) return none([{ line: 1, reason: "its front matter is never closed with ---" }]);
  const head = lines.slice(1, end);
  const again = repeatedFields(head);
  const repeated = new Set(again.map(({ name }) => name));
  const below = { body: lines.slice(end + 1).join("\n"), bodyLine: end + 2, lineOf: lineFinder(head), repeated };
  if (head.join("\n").length > maxCharacters)
    return { ...none([{ line: 1, reason: "its front matter is longer than 64 KiB and was left out" }]), ...below };
  const plain = plainFields(head);
  if (plain !== undefined) return { fields: plain, problems: [], ...below };
  const { fields, problems } = readYaml(head, await yaml());
  // In text that is not YAML, such as a dialogue in an example, the same word may begin many lines.
  const reported = problems.length > 0 ? again.filter(({ name }) => /tools$/iu.test(name)) : again;
  return { fields, problems: [...problems, ...reported.map(({ problem }) => problem)], ...below };
}

function repeatedFields(head: readonly string[]): { name: string; problem: LineProblem }[] {
  const seen = new Set<string>();
  return head.flatMap((line, at) => {
    const [, name] = /^(?=(["']?))\1([\w-]+)\1\s*:(?:\s|$)/u.exec(line)?.slice(1) ?? [];
    if (name === undefined || !seen.has(name)) {
      if (name !== undefined) seen.add(name);
      return [];
    }
    return [{ name, problem: { line: at + 2, reason: `"${name}" appears twice; the last one counts` } }];
  });
}

function lineFinder(head: readonly string[]): (field: string) => number {
  return (field) => {
    const at = head.findIndex((line) => line.startsWith(`${field}:`) || line.startsWith(`"${field}":`));
    return at < 0 ? 1 : at + 2;
  };
}

function readYaml(written: readonly string[], library: Yaml): Pick<FrontMatter, "fields" | "problems"> {
  // YAML requires a blank before a closing bracket at the start of a line, and hardly anybody writes one.
  const head = written.map((line) => (/^[\]}]/u.test(line) ? ` ${line}` : line));
  const read = load(head.join("\n"), library);
  if (read.ok) return { fields: read.fields, problems: [] };
  const { fields, misread, hasOtherLines } = readFieldByField(head, library);
  const reported = misread.filter(({ name }) => !displayedFields.has(name));
  if (reported.length === 0 && misread.length > 0 && !hasOtherLines) return { fields, problems: [] };
  const [{ name, line, text } = { name: "", line: read.line, text: "" }] = reported;
  const cause = /:(?: |$)/mu.test(text) ? 'text with ": " in it needs quotes' : read.reason;
  const reason =
    name === "" || hasOtherLines
      ? `its front matter is not YAML (${read.reason}), so each field was read on its own`
      : `"${name}" is not YAML (${cause}), so it was read as plain text`;
  return { fields, problems: [{ line: line + 2, reason }] };
}

type Loaded = { ok: true; fields: Record<string, unknown> } | { ok: false; line: number; reason: string };

/** Core schema: no dates, no binary, no code. Aliases are off: one could make a small file a huge value, and nobody needs them here. */
function load(text: string, { load: parse, YAMLException, CORE_SCHEMA }: Yaml): Loaded {
  if (text.split("\n").every(isBlank)) return { ok: true, fields: emptyFields() };
  try {
    const value = parse(text, { schema: CORE_SCHEMA, json: true, maxAliases: 0, maxDepth: 30 });
    if (value === null) return { ok: true, fields: emptyFields() };
    if (typeof value !== "object" || Array.isArray(value))
      return { ok: false, line: 0, reason: "it is not a list of fields" };
    return { ok: true, fields: Object.assign(emptyFields(), value) };
  } catch (error) {
    if (!(error instanceof YAMLException)) return { ok: false, line: 0, reason: "it cannot be read" };
    return { ok: false, line: error.mark?.line ?? 0, reason: error.reason };
  }
}

/** Whether a line is blank or a comment. */
function isBlank(line: string): boolean {
  const trimmedLine = line.trim();
  return trimmedLine === "" || trimmedLine.startsWith("#");
}

interface FieldLines {
  name: string;
  /** The text behind the name, in its first line. */
  value: string;
  lines: string[];
  /** The place of its first line in the front matter, from 0. */
  line: number;
}

interface ReadFields {
  fields: Record<string, unknown>;
  /** The fields that are not valid YAML and were taken as plain text. */
  misread: { name: string; line: number; text: string }[];
  /** Whether there are lines that belong to no field. */
  hasOtherLines: boolean;
}

/** Reads each field on its own: a field that is not valid YAML is taken as plain text. */
function readFieldByField(head: readonly string[], library: Yaml): ReadFields {
  const fields = emptyFields();
  const misread: ReadFields["misread"] = [];
  const { found, hasOtherLines } = splitFields(head);
  for (const { name, value, lines, line } of found) {
    const read = load(lines.join("\n"), library);
    const known = read.ok ? read.fields[name] : undefined;
    const text = [value, ...lines.slice(1).map((each) => each.trim())].join(" ").trim();
    fields[name] = known === undefined ? text : known;
    if (!read.ok) misread.push({ name, line, text });
  }
  return { fields, misread, hasOtherLines };
}

function splitFields(head: readonly string[]): { found: FieldLines[]; hasOtherLines: boolean } {
  const found: FieldLines[] = [];
  let hasOtherLines = false;
  for (const [at, line] of head.entries()) {
    const [, name, value = ""] = /^([A-Za-z_][\w-]*):(?:\s+(.*))?$/u.exec(line) ?? [];
    const last = found.at(-1);
    if (name !== undefined) found.push({ name, value, lines: [line], line: at });
    else if (last !== undefined && /^\s+\S|^- /u.test(line)) last.lines.push(line);
    else hasOtherLines ||= !isBlank(line);
  }
  return { found, hasOtherLines };
}

function emptyFields(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>;
}
