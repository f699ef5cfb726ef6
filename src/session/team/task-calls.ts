/** Implements the task tools for one agent of the session: changes the list, asks hooks, notifies other agents. */
import { KeyedLock } from "../../lib/keyed-lock.ts";
import type { HookAnswer, HookInput } from "../../protocol/hook.ts";
import type { ToolContext, ToolInput, ToolResult } from "../../protocol/tool.ts";
import { failureResult } from "../../tools/failure.ts";
import type { Joined } from "../joined.ts";
import {
  blocksOf,
  changeTask,
  findTask,
  openBlockers,
  withReserved,
  withTask,
  type Task,
  type TaskActor,
  type TaskChange,
  type TaskDraft,
  type TaskList,
  type TaskUpdate,
} from "./task.ts";
import type { TaskStore } from "./task-store.ts";
import type { TaskToolName } from "../tools/session-tool-names.ts";

export interface TaskRooms {
  hooks: Joined["hooks"];
  /** Shows a text to people. */
  notice: (text: string) => void;
  actor: TaskActor;
  /** What hooks are told about the actor if it is a member of a team. */
  teammate?: { name: string; teamName?: string | undefined } | undefined;
  /** Called for a change that concerns other agents. */
  onChange?: (update: TaskUpdate, by: string) => void;
  /** Called when a hook ends the agent that made the call. */
  stop?: (reason: string) => void;
}

export class TaskCalls {
  readonly #store: TaskStore;
  /** Hooks are asked about one completion of a task at a time, so that an agent that reports the same meanwhile does not ask again. */
  readonly #completing = new KeyedLock();

  constructor(store: TaskStore) {
    this.#store = store;
  }

  /** Throws `KeptFileError`. */
  async run(name: TaskToolName, input: ToolInput, { signal }: ToolContext, rooms: TaskRooms): Promise<ToolResult> {
    switch (name) {
      case "TaskCreate":
        return await this.#create(parseDraft(input), rooms, signal);
      case "TaskGet":
        return this.#get(parseTaskId(input["taskId"]));
      case "TaskList":
        return this.#list();
      case "TaskUpdate":
        return await this.#update(parseTaskId(input["taskId"]), parseChange(input), rooms, signal);
      default:
        return name satisfies never;
    }
  }

  /** A task that a hook may still refuse is not visible to anyone. */
  async #create(draft: TaskDraft, rooms: TaskRooms, signal: AbortSignal): Promise<ToolResult> {
    const tried = withTask(this.#store.read(), draft);
    if (!tried.ok) return failureResult(tried.problem);
    if (!rooms.hooks.has("TaskCreated")) return await this.#add(draft, undefined, []);
    const id = await this.#store.change((list) => {
      const reserved = withReserved(list);
      return { value: reserved.list, answer: reserved.id };
    });
    const answer = await askTaskHook("TaskCreated", { ...tried.task, id }, rooms, signal);
    if (signal.aborted) return failureResult("Interrupted: the task was not created.");
    if (answer.blocking.length > 0) return failureResult(`The task was not created: ${answer.blocking.join("\n")}`);
    return await this.#add(draft, id, answer.additionalContext);
  }

  async #add(draft: TaskDraft, id: string | undefined, contexts: readonly string[]): Promise<ToolResult> {
    const created = await this.#store.change((list) => {
      const answer = withTask(list, draft, id);
      return { value: answer.ok ? answer.list : undefined, answer };
    });
    if (!created.ok) return failureResult(created.problem);
    const { id: taskId, subject } = created.task;
    const content = [`Task #${taskId} is in the list: ${subject}`, ...contexts].join("\n");
    return { content, output: { task: { id: taskId, subject } } };
  }

  #get(id: string): ToolResult {
    const list = this.#store.read();
    const task = findTask(list, id);
    if (task === undefined)
      return { ...failureResult(`There is no task "${id.slice(0, 40)}" in the list.`), output: { task: null } };
    const shown = { ...task, blocks: blocksOf(list, id) };
    return { content: JSON.stringify(shown, null, 1), output: { task: shown } };
  }

  #list(): ToolResult {
    const list = this.#store.read();
    const tasks = list.tasks.map(({ id, subject, status, owner, blockedBy }) => ({
      id,
      subject,
      status,
      ...(owner === undefined ? {} : { owner }),
      blocks: blocksOf(list, id),
      blockedBy,
    }));
    return { content: listText(list), output: { tasks } };
  }

  async #update(id: string, change: TaskChange, rooms: TaskRooms, signal: AbortSignal): Promise<ToolResult> {
    const tried = changeTask(this.#store.read(), id, change, rooms.actor);
    if (!tried.ok) return refusedResult(id, tried.problem);
    if (tried.statusChange?.to !== "completed" || !rooms.hooks.has("TaskCompleted"))
      return await this.#apply(id, change, rooms, []);
    return await this.#completing.run(id, async () => {
      // Another agent may have completed the task while this one waited.
      const still = changeTask(this.#store.read(), id, change, rooms.actor);
      if (!still.ok) return refusedResult(id, still.problem);
      if (still.statusChange === undefined) return await this.#apply(id, change, rooms, []);
      const answer = await askTaskHook("TaskCompleted", still.task, rooms, signal);
      if (signal.aborted) return refusedResult(id, "Interrupted: the task is not completed.");
      const { preventContinuation: stop, blocking, additionalContext } = answer;
      if (stop !== undefined) {
        rooms.stop?.(stop);
        const stoppedBy = { event: "TaskCompleted", message: stop };
        return { ...refusedResult(id, `A hook stopped the run; the task is not completed: ${stop}`), stoppedBy };
      }
      if (blocking.length > 0) return refusedResult(id, `The task is not completed: ${blocking.join("\n")}`);
      return await this.#apply(id, change, rooms, additionalContext);
    });
  }

  async #apply(id: string, change: TaskChange, rooms: TaskRooms, contexts: readonly string[]): Promise<ToolResult> {
    const { actor } = rooms;
    const done = await this.#store.change((list) => {
      const answer = changeTask(list, id, change, actor);
      return { value: answer.ok && answer.updatedFields.length > 0 ? answer.list : undefined, answer };
    });
    if (!done.ok) return refusedResult(id, done.problem);
    const { updatedFields, statusChange } = done;
    rooms.onChange?.(done, actor.name);
    const output = {
      success: true,
      taskId: id,
      updatedFields,
      ...(statusChange === undefined ? {} : { statusChange }),
    };
    return { content: [...updateLines(done), ...contexts].join("\n"), output };
  }
}

async function askTaskHook(
  event: "TaskCreated" | "TaskCompleted",
  { id, subject, description }: Task,
  { hooks, notice, teammate }: TaskRooms,
  signal: AbortSignal,
): Promise<HookAnswer> {
  const input: HookInput = {
    hook_event_name: event,
    task_id: id,
    task_subject: subject,
    ...(description === "" ? {} : { task_description: description }),
    ...(teammate === undefined ? {} : { teammate_name: teammate.name }),
    ...(teammate?.teamName === undefined ? {} : { team_name: teammate.teamName }),
  };
  const answer = await hooks.run(input, signal);
  for (const { text } of answer.notices) notice(text);
  return answer;
}

function updateLines({ task, updatedFields, statusChange, freed }: TaskUpdate): string[] {
  if (updatedFields.length === 0) return [`Task #${task.id} was already in that state.`];
  const has = task.owner === undefined ? "" : ` (${task.owner})`;
  const head = statusChange === undefined ? updatedFields.join(", ") : `${statusChange.to}${has}`;
  const free = freed.map(({ id, subject }) => `#${id} ${subject}`);
  return [
    `Task #${task.id}: ${head}.`,
    ...(free.length === 0 ? [] : [`Nothing holds these back any more: ${free.join("; ")}`]),
  ];
}

/** Returns one line per task. */
function listText(list: TaskList): string {
  if (list.tasks.length === 0) return "The list has no tasks.";
  return list.tasks.map((task) => taskLine(list, task)).join("\n");
}

export function taskLine(list: TaskList, task: Task): string {
  const waits = task.status === "completed" ? [] : openBlockers(list, task);
  const owner = task.owner === undefined ? "" : ` (${task.owner})`;
  const held = waits.length === 0 ? "" : `, waits for ${waits.map((id) => `#${id}`).join(", ")}`;
  return `#${task.id} [${task.status}] ${task.subject}${owner}${held}`;
}

function refusedResult(id: string, problem: string): ToolResult {
  return { ...failureResult(problem), output: { success: false, taskId: id, updatedFields: [], error: problem } };
}

/** People who read a list write `#3` or `3`. */
function parseTaskId(value: unknown): string {
  return String(value).trim().replace(/^#/u, "");
}

function parseDraft(input: ToolInput): TaskDraft {
  const { subject, description, activeForm, metadata } = input as Partial<TaskDraft>;
  return { subject: subject ?? "", description: description ?? "", activeForm, metadata };
}

function parseChange(input: ToolInput): TaskChange {
  const change = input as Partial<TaskChange>;
  return {
    ...change,
    addBlocks: change.addBlocks?.map(parseTaskId),
    addBlockedBy: change.addBlockedBy?.map(parseTaskId),
  };
}
