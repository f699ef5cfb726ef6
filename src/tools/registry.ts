/**
 * The tools the model may call, one file each, and the code they share for files, searches, commands and the todo list.
 * A tool declares what it would touch and then does it; whether it may is decided elsewhere.
 */
import type { Tool } from "../protocol/tool.ts";
import { createAskUserQuestionTool } from "./ask-user-question.ts";
import { createBashTool } from "./bash.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { createEditTool } from "./edit.ts";
import { createGlobTool } from "./glob.ts";
import { createGrepTool } from "./grep.ts";
import { createNotebookEditTool } from "./notebook-edit.ts";
import { createReadTool } from "./read.ts";
import { createTaskStopTool } from "./task-stop.ts";
import { createTodoWriteTool } from "./todo-write.ts";
import { createWebFetchTool } from "./web-fetch.ts";
import { createWriteTool } from "./write.ts";

/** Sorted by the names of the tools they create. */
const factories: readonly ((dependencies: ToolDependencies) => Tool)[] = [
  createAskUserQuestionTool,
  createBashTool,
  createEditTool,
  createGlobTool,
  createGrepTool,
  createNotebookEditTool,
  createReadTool,
  createTaskStopTool,
  createTodoWriteTool,
  createWebFetchTool,
  createWriteTool,
];

/** Default tools. AskUserQuestion is added if somebody can be asked. NotebookEdit and WebFetch must be named: few need them, all pay. */
export const defaultToolNames: readonly string[] = [
  "Bash",
  "Edit",
  "Glob",
  "Grep",
  "Read",
  "TaskStop",
  "TodoWrite",
  "Write",
];

/** All built-in tools of a session, sorted by name. */
export function createTools(dependencies: ToolDependencies): Tool[] {
  return factories.map((create) => create(dependencies));
}

/** Finds a tool by its name or an alias; undefined if there is none. */
export function findTool(tools: readonly Tool[], name: string): Tool | undefined {
  return tools.find((tool) => tool.name === name) ?? tools.find((tool) => tool.aliases?.includes(name));
}

/** Returns the tools that a list such as `--tools Read,Edit` names, in their standard order, and the names that no tool has. */
export function pickTools(tools: readonly Tool[], names: readonly string[]): { tools: Tool[]; unknown: string[] } {
  const namedTools = names.map((name) => findTool(tools, name));
  return {
    tools: tools.filter((tool) => namedTools.includes(tool)),
    unknown: names.filter((_, at) => namedTools[at] === undefined),
  };
}
