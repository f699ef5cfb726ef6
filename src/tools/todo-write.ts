/** TodoWrite: the model's own list of tasks, replaced as a whole on each call. */
import type { Tool, ToolInputSchema } from "../protocol/tool.ts";
import type { ToolDependencies } from "./dependencies.ts";
import type { Todo } from "./todo-store.ts";

function adviceFor(todos: readonly Todo[]): string {
  const active = todos.filter(({ status }) => status === "in_progress").length;
  if (active > 1) return ` ${active} are in progress: keep it to one at a time.`;
  if (active === 0 && todos.some(({ status }) => status === "pending"))
    return " None is in progress: mark the one you work on.";
  return "";
}

const inputSchema: ToolInputSchema = {
  type: "object",
  properties: {
    todos: {
      type: "array",
      items: {
        type: "object",
        properties: {
          content: { type: "string", minLength: 1, description: "Run the tests" },
          status: { type: "string", enum: ["pending", "in_progress", "completed"] },
          activeForm: { type: "string", minLength: 1, description: "Running the tests" },
        },
        required: ["content", "status", "activeForm"],
      },
    },
  },
  required: ["todos"],
};

export function createTodoWriteTool({ todos }: ToolDependencies): Tool {
  return {
    name: "TodoWrite",
    description:
      "Replaces your list of tasks. Use it for work of three or more steps; one task in_progress at a time, completed as soon as it is.",
    inputSchema,
    replay: "idempotent",
    maxResultSizeChars: 10_000,
    isConcurrencySafe: () => false,
    // The tool touches only the session's own list.
    isReadOnly: () => true,
    describe: (input) => {
      const count = Array.isArray(input["todos"]) ? input["todos"].length : 0;
      return `TodoWrite ${count} ${count === 1 ? "task" : "tasks"}`;
    },
    async call(input) {
      const oldTodos = todos.get();
      todos.set(input["todos"]);
      const newTodos = todos.get();
      return { content: `The list is updated.${adviceFor(newTodos)}`, output: { oldTodos, newTodos } };
    },
  };
}
