// A program to run as any user: calls a session's tools in the current folder, and prints the results for the model.
import { createCwd } from "../../src/tools/cwd.ts";
import { createReadFileState } from "../../src/tools/read-state.ts";
import { createTools, findTool } from "../../src/tools/registry.ts";
import { createBackgroundTasks } from "../../src/tools/shell/background.ts";
import { createTodoStore } from "../../src/tools/todo-store.ts";

const clock = { now: () => 0, elapsed: () => 0, timer: () => () => {} };
const cwd = process.cwd();
const tools = createTools({
  readState: createReadFileState(),
  cwd: createCwd(cwd),
  todos: createTodoStore(),
  background: createBackgroundTasks({ clock }),
  spillDirectory: () => cwd,
  environment: {},
  home: cwd,
  clock,
  rgPath: process.argv[3] ?? null,
});
const told: unknown[] = [];
for (const [name, input] of JSON.parse(process.argv[2] ?? "[]") as [string, Record<string, unknown>][]) {
  const own = { sessionId: "s", key: "k", toolUseId: "t", cwd, registerTurnEnd: () => undefined };
  const result = await findTool(tools, name)?.call(input, { ...own, signal: new AbortController().signal }, () => {});
  told.push(result?.content);
}
process.stdout.write(JSON.stringify(told));
