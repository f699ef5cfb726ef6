/** The todo list of a session, shared by its tools. */
import { isRecord } from "../lib/is-record.ts";

export type TodoStatus = "pending" | "in_progress" | "completed";

export interface Todo {
  content: string;
  status: TodoStatus;
  activeForm: string;
}

export interface TodoStore {
  get(): readonly Todo[];
  /** Also accepts a list that an earlier process saved: malformed entries are left out. */
  set(todos: unknown): void;
}

const statuses: readonly string[] = ["pending", "in_progress", "completed"] satisfies TodoStatus[];

function isTodo(value: unknown): value is Todo {
  if (!isRecord(value)) return false;
  const { content, status, activeForm } = value;
  return (
    typeof content === "string" &&
    typeof activeForm === "string" &&
    typeof status === "string" &&
    statuses.includes(status)
  );
}

export function createTodoStore(): TodoStore {
  let current: readonly Todo[] = [];
  return {
    get: () => current,
    set: (todos) => {
      const list = Array.isArray(todos) ? (todos as unknown[]).filter(isTodo) : [];
      current = list.map(({ content, status, activeForm }) => ({ content, status, activeForm }));
    },
  };
}
