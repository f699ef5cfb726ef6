/**
 * The tools of a fork that keeps notes: it may read, search, write and edit Markdown files in one folder, and nothing else. Each path is
 * resolved to its real target, when the call is judged and again just before the file changes.
 */
import { lstatSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, extname } from "node:path";
import { realPathOf } from "../../lib/path-status.ts";
import { isWithin } from "../../lib/is-within.ts";
import type { PermissionDecision, PermissionPort, PermissionRequest } from "../../protocol/permission.ts";
import { createCwd } from "../../tools/cwd.ts";
import type { ToolDependencies } from "../../tools/dependencies.ts";
import { createReadFileState } from "../../tools/read-state.ts";
import { createTools } from "../../tools/registry.ts";
import { createTodoStore } from "../../tools/todo-store.ts";
import type { ForkTools } from "./fork.ts";

export const maxNoteBytes = 32 * 1024;
export const maxNotes = 100;

const readingTools = new Set(["Read", "Glob", "Grep"]);
const writingTools = new Set(["Write", "Edit"]);

/** `folder`: an existing folder's absolute real path. `shared`: the session's dependencies, of which no session state is used. */
export function memoryTools(folder: string, shared: ToolDependencies): ForkTools {
  const dependencies: ToolDependencies = {
    background: shared.background,
    spillDirectory: shared.spillDirectory,
    environment: shared.environment,
    home: shared.home,
    clock: shared.clock,
    readState: createReadFileState(),
    cwd: createCwd(folder, () => [folder], false),
    todos: createTodoStore(),
    mayShow: (path) => isInside(path, folder),
    beforeChange: async (path) => {
      const wrong = targetProblem(path, folder);
      if (wrong !== undefined) throw new Error(wrong);
    },
  };
  const tools = createTools(dependencies).filter(({ name }) => readingTools.has(name) || writingTools.has(name));
  return {
    cwd: folder,
    permission: memoryPermission(folder),
    find: (name) => tools.find((tool) => tool.name === name),
  };
}

export function memoryPermission(folder: string): PermissionPort {
  return {
    decide(request) {
      const wrong = requestProblem(request, folder);
      return wrong === undefined ? allowDecision : denyDecision(wrong);
    },
  };
}

const allowDecision: PermissionDecision = {
  behavior: "allow",
  reason: { type: "safety", text: "inside the folder of notes" },
};

function denyDecision(message: string): PermissionDecision {
  return { behavior: "deny", message, reason: { type: "safety", text: "outside the folder of notes" } };
}

function requestProblem({ toolName, input, subjects }: PermissionRequest, folder: string): string | undefined {
  const isWrite = writingTools.has(toolName);
  if (!isWrite && !readingTools.has(toolName)) return `${toolName} does not run here: only notes are kept.`;
  if (subjects.length === 0) return `It is unknown which files ${toolName} would touch.`;
  for (const subject of subjects) {
    if (subject.kind !== "read" && subject.kind !== "write") return `${toolName} does not do that here.`;
    const wrong = subject.kind === "write" ? targetProblem(subject.path, folder) : undefined;
    if (wrong !== undefined) return wrong;
    if (subject.kind === "read" && !isInside(subject.path, folder)) return `Only files in ${folder} can be read here.`;
  }
  return isWrite ? sizeProblem(input, subjects, folder) : undefined;
}

/** Whether the path is really inside the folder. A missing file counts as being where its parent is. */
function isInside(path: string, folder: string): boolean {
  const real = realPathOf(path);
  return real !== undefined && isWithin(real, folder);
}

/** Returns why a file must not be written; undefined if it may: a Markdown file directly in the folder that is no link. */
function targetProblem(path: string, folder: string): string | undefined {
  const name = basename(path);
  const isNote = extname(name) === ".md" && !name.startsWith(".") && realPathOf(dirname(path)) === folder;
  if (!isNote) return `Only Markdown files directly in ${folder} can be written here.`;
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found === undefined || found.isFile() ? undefined : `${name} is not a plain file, so it is not written.`;
}

/** An edit adds at most its new text, once. */
function sizeProblem(
  input: Record<string, unknown>,
  subjects: PermissionRequest["subjects"],
  folder: string,
): string | undefined {
  const { content, new_string: added, replace_all: replacesAll } = input;
  if (replacesAll === true) return "One place at a time is edited here.";
  const path = subjects.find(({ kind }) => kind === "write");
  const before = path?.kind === "write" ? statSync(path.path, { throwIfNoEntry: false })?.size : undefined;
  const size = typeof content === "string" ? bytesOf(content) : (before ?? 0) + bytesOf(added);
  if (size > maxNoteBytes) return `A note has at most ${maxNoteBytes / 1024} KB: make several, or shorten it.`;
  const isNew = before === undefined;
  return isNew && countNotes(folder) >= maxNotes ? `There are ${maxNotes} notes already: merge some first.` : undefined;
}

function bytesOf(text: unknown): number {
  return typeof text === "string" ? Buffer.byteLength(text) : 0;
}

function countNotes(folder: string): number {
  return readdirSync(folder).filter((name) => name.endsWith(".md")).length;
}
