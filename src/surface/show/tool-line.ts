/** Formats a tool call and its result as a line each. Names and input come from the model, so everything is made safe to show. */
import { oneLine, revealLine } from "../../lib/sanitize.ts";
import { questionHeaders } from "../../tools/questions.ts";
import { noOutput } from "../../tools/shell/no-output.ts";

/** Input fields that describe a call, the most telling first. */
const describingFields = [
  "file_path",
  "notebook_path",
  "command",
  "pattern",
  "query",
  "url",
  "path",
  "task_id",
  "bash_id",
  "shell_id",
  "uri",
  "description",
  "prompt",
];

/** Returns a line such as `Read src/a.ts`. `cwd` is removed from the front of a path. */
export function toolUseLine(
  name: string,
  input: Readonly<Record<string, unknown>>,
  width: number,
  cwd?: string,
): string {
  const title = oneLine(name, 60);
  return oneLine(`${title} ${describeInput(name, input, width, cwd)}`, width);
}

function describeInput(
  name: string,
  input: Readonly<Record<string, unknown>>,
  width: number,
  cwd: string | undefined,
): string {
  const { todos } = input;
  if (name === "TodoWrite" && Array.isArray(todos)) return `${todos.length} ${todos.length === 1 ? "item" : "items"}`;
  const knownText = describeKnownTool(name, input);
  if (knownText !== undefined) return knownText;
  const field = describingFields.find((key) => typeof input[key] === "string" && input[key] !== "");
  if (field === undefined) return firstTextField(input);
  const value = String(input[field]);
  const shown = cwd !== undefined && value.startsWith(`${cwd}/`) ? value.slice(cwd.length + 1) : value;
  if (field === "command") return revealLine(shown, width);
  const place = field === "pattern" && typeof input["path"] === "string" ? ` in ${input["path"]}` : "";
  return `${shown}${place}`;
}

/** Describes a call of a tool with unknown fields. */
function firstTextField(input: Readonly<Record<string, unknown>>): string {
  const [name, value] = Object.entries(input).find(([, each]) => typeof each === "string" && each !== "") ?? [];
  return name === undefined ? "" : `${name}: ${String(value)}`;
}

/** Describes calls about tasks, skills, questions, plans and messages. */
function describeKnownTool(name: string, input: Readonly<Record<string, unknown>>): string | undefined {
  const text = (field: string): string => {
    const value = input[field];
    return typeof value === "string" ? value : "";
  };
  switch (name) {
    case "TaskCreate":
      return text("subject");
    case "TaskGet":
    case "TaskUpdate":
      return `#${text("taskId").replace(/^#/u, "")} ${text("status")}`;
    case "Skill":
      return `${text("skill")} ${text("args")}`.trim();
    case "AskUserQuestion":
      return questionHeaders(input);
    case "ExitPlanMode":
      // The question shows the whole plan.
      return (text("plan").trim().split("\n")[0] ?? "").replace(/^#+\s*/u, "");
    case "SendMessage":
      return `${text("to")}: ${text("summary") || text("message")}`;
    default:
      return undefined;
  }
}

/** The loop's own errors to the model have this form. */
const loopErrorPattern = /^<tool_use_error>([^]*)<\/tool_use_error>$/u;

export function withoutErrorTags(result: string): string {
  return result.replace(loopErrorPattern, "$1");
}

/** A numbered line of a Read result. */
const numberedLine = /^ *\d+\t/u;

/** A note that the loop adds for the model when a call has unknown fields. It is not part of the result. */
const isIgnoredFieldNote = (line: string): boolean =>
  /^\[.* has no parameter /u.test(line) && line.endsWith(": ignored.]");

function resultLines(text: string): string[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (isIgnoredFieldNote(lines.at(-1) ?? "")) lines.pop();
  if (!numberedLine.test(lines[0] ?? "")) return lines;
  const bare = lines.filter((line) => numberedLine.test(line)).map((line) => line.replace(numberedLine, ""));
  return bare.at(-1) === "" ? bare.slice(0, -1) : bare;
}

/** The first line of Bash's result for a failed command. */
const exitCodeLine = /^Exit code \d+(?: \(ended by \w+\))?$/u;

/** Returns the first non-empty line and the number of lines; for a failed command its exit code, too. */
export function toolResultLine(content: unknown, isError: boolean, width: number): string {
  const text = withoutErrorTags(resultText(content));
  const lines = resultLines(text);
  const first = lines.find((line) => line.trim() !== "");
  if (first === undefined) return isError ? "failed" : "done";
  if (lines.length === 1 && first === noOutput) return "no output";
  if (isError && exitCodeLine.test(first)) return oneLine(failedCommandText(first, lines.slice(1)), width);
  if (isError) return oneLine(first, width);
  return lines.length === 1 ? oneLine(first, width) : oneLine(`${lines.length} lines: ${first}`, width);
}

function failedCommandText(exit: string, [first, ...more]: readonly string[]): string {
  if (first === undefined) return exit;
  return more.length === 0 ? `${exit}: ${first}` : `${exit}, ${more.length + 1} lines: ${first}`;
}

const maxScannedLength = 100_000;

function resultText(content: unknown): string {
  if (typeof content === "string") return content.slice(0, maxScannedLength);
  if (!Array.isArray(content)) return "";
  const parts = content.map((block: unknown) => {
    const { type, text } = (block ?? {}) as { type?: unknown; text?: unknown };
    return typeof text === "string" ? text.slice(0, maxScannedLength) : `[${String(type)}]`;
  });
  return parts.join("\n");
}

/** The indent of an agent's calls, which are shown below the call that started the agent. */
export const callIndent = "    ";

export function indentOf(message: { parent_tool_use_id: string | null }): string {
  return message.parent_tool_use_id === null ? "" : callIndent;
}
