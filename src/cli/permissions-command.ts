/** `pawl permissions explain`: shows how a tool call would be decided, by which rule, and why. For people, editors and tests. */
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import { isRecord } from "../lib/is-record.ts";
import { tryParseJson } from "../lib/try-parse-json.ts";
import { jsonLine } from "../lib/json-line.ts";
import { withoutPrototype } from "../lib/without-prototype.ts";
import { UsageError } from "../lib/usage-error.ts";
import { sanitizeLine } from "../lib/sanitize.ts";
import type { PermissionMode } from "../protocol/permission.ts";
import type { Confinement } from "../protocol/sandbox.ts";
import type { Explain } from "../session/desk/explain.ts";
import type { EngineOptions } from "../session/options/options.ts";
import { LineSplitter, type SplitLine } from "../surface/stdio/line-splitter.ts";

export interface ExplainArguments {
  /** `Tool(specifier)`, such as `Bash(git status)`. */
  calls: string[];
  json: boolean;
  stdin: boolean;
  settings?: string;
  permissionMode?: PermissionMode;
  allowedTools: string[];
  disallowedTools: string[];
  addDirs: string[];
}

/** The input field of each tool that the text in parentheses sets. */
const primaryInputFields = withoutPrototype({
  Bash: "command",
  Read: "file_path",
  Write: "file_path",
  Edit: "file_path",
  NotebookEdit: "notebook_path",
  Glob: "path",
  Grep: "path",
  WebFetch: "url",
  Agent: "subagent_type",
  Skill: "skill",
});
/** Tools whose call makes sense without that field. */
const toolsWithOptionalInput: ReadonlySet<string> = new Set(["Glob", "Grep", "Agent", "Skill"]);

interface Call {
  tool: string;
  input: Record<string, unknown>;
}

/** Returns the exit code: 0, or 2 if a line was not a call. */
export async function runExplain(
  { calls, json, stdin, addDirs, ...rules }: ExplainArguments,
  context: Pick<EngineOptions, "cwd" | "env" | "onNotice">,
  input: Readable,
  print: (text: string) => Promise<unknown>,
): Promise<number> {
  if (calls.length === 0 && !stdin)
    throw new UsageError("pawl permissions explain needs a call, such as 'Bash(git push)', or --stdin.");
  const { openExplainer } = await import("../session/desk/explain.ts");
  const folders = addDirs.map((folder) => resolve(context.cwd ?? "", folder));
  const explain = await openExplainer({ ...context, ...rules, addDirs: folders });
  for (const text of calls) await print(await explainCall(explain, parseCall(text), json));
  return stdin ? await explainLines(explain, input, json, print) : 0;
}

async function explainLines(
  explain: Explain,
  input: Readable,
  json: boolean,
  print: (text: string) => Promise<unknown>,
): Promise<number> {
  let code = 0;
  let number = 0;
  for await (const line of readLines(input)) {
    number += 1;
    if ("text" in line && line.text.trim() === "") continue;
    const call = "text" in line ? parseCallLine(line.text) : `it is longer than ${maxLineBytes} bytes`;
    if (typeof call === "string") {
      code = 2;
      await print(`${jsonLine({ error: `line ${number}: ${call}` })}\n`);
    } else await print(await explainCall(explain, call, json));
  }
  return code;
}

const maxLineBytes = 32 * 1024 * 1024;

/** Splits at line feeds only: JSON may contain other characters that readline takes for the end of a line. */
async function* readLines(input: Readable): AsyncGenerator<SplitLine> {
  const lines = new LineSplitter(maxLineBytes);
  for await (const chunk of input as AsyncIterable<Buffer | string>) yield* lines.push(Buffer.from(chunk));
  yield* lines.end();
}

function parseCallLine(line: string): Call | string {
  const value = tryParseJson(line);
  if (value === undefined) return "it is not JSON";
  const { tool, input = {} } = isRecord(value) ? value : {};
  if (typeof tool !== "string") return 'it should be an object such as {"tool":"Bash","input":{"command":"ls"}}';
  if (typeof input === "string") return { tool, input: inputFromSpecifier(tool, input) };
  if (!isRecord(input)) return '"input" should be an object';
  return { tool, input };
}

function parseCall(text: string): Call {
  const match = /^([A-Za-z_][\w*-]*)(?:\(([^]*)\))?$/u.exec(text.trim());
  const [, tool = "", specifier] = match ?? [];
  const field = Object.keys(primaryInputFields).find(
    (name) => name !== tool && name.toLowerCase() === tool.toLowerCase(),
  );
  if (field !== undefined) throw new UsageError(`There is no tool ${tool}; did you mean ${field}?`);
  // A single lowercase word is a shell command, not a tool's name, just as several words are.
  if (match === null || (specifier === undefined && /^(?!mcp__)[a-z]/u.test(tool)))
    throw new UsageError(`"${text}" is not a tool call such as 'Bash(git push)'.`);
  if (specifier === undefined && primaryInputFields[tool] !== undefined && !toolsWithOptionalInput.has(tool))
    throw new UsageError(
      `"${tool}" alone is not a call: add its input, such as '${tool}(${primaryInputFields[tool]})'.`,
    );
  return { tool, input: specifier === undefined ? {} : inputFromSpecifier(tool, specifier) };
}

function inputFromSpecifier(tool: string, specifier: string): Record<string, unknown> {
  const name = primaryInputFields[tool];
  return name === undefined ? {} : { [name]: specifier };
}

const sandboxNotes: Record<Confinement["kind"], string> = {
  confined: "it would run in the sandbox",
  excluded: "it would run outside the sandbox: sandbox.excludedCommands names it",
  leaving: "it would run outside the sandbox",
  refused: "it may not leave the sandbox",
};

async function explainCall(explain: Explain, { tool, input }: Call, json: boolean): Promise<string> {
  const { decision, rule, reason, sandbox } = await explain(tool, input);
  if (json) return `${jsonLine({ decision, rule, reason, sandbox })}\n`;
  const by = rule === null ? "" : ` by the rule ${rule}`;
  const where = sandbox === undefined ? "" : ` (${sandboxNotes[sandbox]})`;
  return `${decision}${by}: ${sanitizeLine(reason)}${where}\n`;
}
