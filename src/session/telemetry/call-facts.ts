/** What is reported about a call: names and figures and, if the user wants it, the text of its input. */
import { extname } from "node:path";
import type { PermissionDecision } from "../../protocol/permission.ts";
import type { ToolInput } from "../../protocol/tool.ts";
import { WorkStatistics } from "../ledger/work-statistics.ts";

/** The names of a server's tools are chosen by others. */
export function toolName(name: string, inDetail: boolean): string {
  return inDetail || !name.startsWith("mcp__") ? name : "mcp_tool";
}

/** Names who decided, as the convention does. */
export function decisionSource({ behavior, reason, ...decision }: PermissionDecision): string {
  if (reason.type === "hook") return "hook";
  if (reason.type !== "user") return "config";
  if (behavior === "allow") return "user_temporary";
  return "interrupt" in decision && decision.interrupt === true ? "user_abort" : "user_reject";
}

export function isFileEdit(name: string): boolean {
  return name === "Edit" || name === "Write" || name === "NotebookEdit";
}

const languages: readonly (readonly [name: string, endings: string])[] = [
  ["TypeScript", ".ts .tsx .mts .cts"],
  ["JavaScript", ".js .jsx .mjs .cjs"],
  ["Python", ".py"],
  ["Jupyter Notebook", ".ipynb"],
  ["Ruby", ".rb"],
  ["Go", ".go"],
  ["Rust", ".rs"],
  ["Java", ".java"],
  ["Kotlin", ".kt .kts"],
  ["Swift", ".swift"],
  ["C", ".c .h"],
  ["C++", ".cc .cpp .hpp"],
  ["C#", ".cs"],
  ["PHP", ".php"],
  ["Shell", ".sh .bash"],
  ["SQL", ".sql"],
  ["HTML", ".html"],
  ["CSS", ".css .scss"],
  ["Markdown", ".md"],
  ["JSON", ".json"],
  ["YAML", ".yaml .yml"],
  ["TOML", ".toml"],
  ["XML", ".xml"],
  ["Scala", ".scala"],
  ["Dart", ".dart"],
  ["Lua", ".lua"],
];
const languageByEnding = new Map(
  languages.flatMap(([name, endings]) => endings.split(" ").map((ending) => [ending, name])),
);

export function languageOf(input: ToolInput): string {
  const path = input["file_path"] ?? input["notebook_path"];
  return (typeof path === "string" ? languageByEnding.get(extname(path).toLowerCase()) : undefined) ?? "unknown";
}

export function editedLines(output: unknown): { added: number; removed: number } {
  const work = new WorkStatistics(() => 0);
  work.addWrittenFile(output);
  return { added: work.linesAdded, removed: work.linesRemoved };
}

const commandStart = String.raw`(?:^|[\n;&|(])\s*(?:\w+=\S*\s+)*`;
const commitPattern = new RegExp(
  String.raw`${commandStart}git(?:\s+-[cC]\s+\S+|\s+--?[\w-]+(?:=\S+)?)*\s+commit\b(?![^\n;&|]*--dry-run)`,
  "gu",
);
const pullRequestPattern = new RegExp(String.raw`${commandStart}(?:gh\s+pr\s+create|glab\s+mr\s+create)\b`, "gu");

/** Counts from the text of a successful command, without looking at a repository. */
export function countGitWork({ command }: ToolInput): { commits: number; pullRequests: number } {
  const text = typeof command === "string" ? command.slice(0, 20_000) : "";
  return { commits: text.match(commitPattern)?.length ?? 0, pullRequests: text.match(pullRequestPattern)?.length ?? 0 };
}

const maxValueChars = 512;
const maxInputChars = 4_096;

/** Long values are cut as the convention does. */
export function inputText(input: ToolInput): string {
  const cut = (_: string, value: unknown): unknown =>
    typeof value === "string" && value.length > maxValueChars ? `${value.slice(0, maxValueChars)}…` : value;
  return JSON.stringify(input, cut).slice(0, maxInputChars);
}

/** Returns the parts of an input that people look for. */
export function parametersOf(name: string, input: ToolInput): string | undefined {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/u.exec(name) ?? [];
  if (server !== undefined) return JSON.stringify({ mcp_server_name: server, mcp_tool_name: tool });
  if (name === "Skill") return JSON.stringify({ skill_name: input["skill"] });
  if (name === "Agent" || name === "Task") return JSON.stringify({ subagent_type: input["subagent_type"] });
  if (name !== "Bash") return undefined;
  const { command, timeout, description } = input;
  const full = typeof command === "string" ? command : "";
  const bash_command = /\S+/u.exec(full)?.[0];
  return JSON.stringify({ bash_command, full_command: full.slice(0, maxInputChars), timeout, description });
}
