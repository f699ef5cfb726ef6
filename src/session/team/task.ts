/** The task list that all agents of a session share, as a value: validates and applies changes, without any file access. */
import { withoutUndefined } from "../../lib/without-undefined.ts";
import { isSameJson } from "../../lib/is-same-json.ts";

export type TaskStatus = "pending" | "in_progress" | "completed";

export interface Task {
  /** A number as text; never reused within a list. */
  id: string;
  subject: string;
  description: string;
  /** Shown while the task is worked on. */
  activeForm?: string;
  status: TaskStatus;
  /** The name of the agent that works on it. */
  owner?: string;
  /** Ids of tasks that must be completed first. */
  blockedBy: string[];
  metadata?: Record<string, unknown>;
}

/** A task as it is displayed. */
export interface ListedTask {
  task: Task & { blocks: string[] };
  /** One line. */
  text: string;
}

export interface TaskList {
  nextId: number;
  tasks: readonly Task[];
}

export const emptyList: TaskList = { nextId: 1, tasks: [] };

export interface TaskDraft {
  subject: string;
  description: string;
  activeForm?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
}

export interface TaskChange {
  subject?: string | undefined;
  description?: string | undefined;
  activeForm?: string | undefined;
  status?: TaskStatus | "deleted" | undefined;
  addBlocks?: readonly string[] | undefined;
  addBlockedBy?: readonly string[] | undefined;
  /** Empty: unassign the task. */
  owner?: string | undefined;
  /** Merged into the existing metadata; null removes a key. */
  metadata?: Record<string, unknown> | undefined;
}

/** The agent that requests a change. */
export interface TaskActor {
  name: string;
  /** May change tasks that others own. */
  isLead: boolean;
}

export interface TaskUpdate {
  list: TaskList;
  before: Task;
  /** The task after the change, or before it if it was deleted. */
  task: Task;
  updatedFields: string[];
  statusChange?: { from: TaskStatus; to: TaskStatus | "deleted" };
  /** Tasks that waited for this one and now wait for nothing. */
  freed: Task[];
}

export type TaskOutcome<T> = ({ ok: true } & T) | { ok: false; problem: string };

/** Counts open and completed tasks; deleted ones no longer count. */
const maxTasks = 1_000;
const maxBlockers = 100;
const maxLengths = { subject: 500, activeForm: 500, owner: 100, description: 20_000, metadata: 20_000 };

/** Reserves an id for a task that does not exist yet. */
export function withReserved(list: TaskList): { list: TaskList; id: string } {
  return { list: { ...list, nextId: list.nextId + 1 }, id: String(list.nextId) };
}

/** `reserved`: the id of the new task. */
export function withTask(
  list: TaskList,
  draft: TaskDraft,
  reserved?: string,
): TaskOutcome<{ list: TaskList; task: Task }> {
  const { list: from, id } = reserved === undefined ? withReserved(list) : { list, id: reserved };
  if (list.tasks.length >= maxTasks)
    return failedWith(`The list has ${maxTasks} tasks already: delete those that are done.`);
  const problem = lengthProblem(draft);
  if (problem !== null) return failedWith(problem);
  const { subject, description, activeForm, metadata } = draft;
  const task: Task = {
    id,
    subject,
    description,
    ...(activeForm === undefined ? {} : { activeForm }),
    status: "pending",
    blockedBy: [],
    ...(metadata === undefined ? {} : { metadata: mergeMetadata({}, metadata) }),
  };
  return { ok: true, list: { ...from, tasks: [...from.tasks, task] }, task };
}

export function findTask(list: TaskList, id: string): Task | undefined {
  return list.tasks.find((task) => task.id === id);
}

/** Returns the ids of the tasks that have to wait for this one. */
export function blocksOf(list: TaskList, id: string): string[] {
  return list.tasks.filter(({ blockedBy }) => blockedBy.includes(id)).map((task) => task.id);
}

/** Returns the ids of the tasks this one still waits for. */
export function openBlockers(list: TaskList, { blockedBy }: Task): string[] {
  return blockedBy.filter((id) => findTask(list, id)?.status !== "completed");
}

/** Applies a change completely or not at all. */
export function changeTask(list: TaskList, id: string, change: TaskChange, actor: TaskActor): TaskOutcome<TaskUpdate> {
  const before = findTask(list, id);
  if (before === undefined) return failedWith(`There is no task ${quoted(id)} in the list.`);
  const problem = lengthProblem(change) ?? ownerProblem(before, change, actor);
  if (problem !== null) return failedWith(problem);
  if (change.status === "deleted") return deleteTask(list, before);
  const linked = withBlockers(list, id, change);
  if (!linked.ok) return linked;
  const task = applyTaskChange(findTask(linked.list, id) ?? before, change, actor);
  const early = blockedProblem(linked.list, before, task);
  if (early !== null) return failedWith(early);
  const next = withReplaced(linked.list, task);
  return { ok: true, list: next, before, task, ...taskDifference(list, next, before, task) };
}

/** Returns which other agents a change concerns, and what to tell them. */
export function ownerNews({ before, task, statusChange }: TaskUpdate, by: string): { to: string; text: string }[] {
  const isGone = statusChange?.to === "deleted";
  if (!isGone && task.owner === before.owner) return [];
  const about = `Task #${task.id} (${task.subject})`;
  const had = { to: before.owner, text: isGone ? `${about} was deleted.` : `${about} is not yours any more.` };
  const has = { to: isGone ? undefined : task.owner, text: `${about} is yours now.` };
  return [had, has].flatMap(({ to, text }) => (to === undefined || to === by ? [] : [{ to, text }]));
}

function ownerProblem(before: Task, { status, owner }: TaskChange, { name, isLead }: TaskActor): string | null {
  const isOthers = before.owner !== undefined && before.owner !== name;
  if (isLead || !isOthers || before.status === "completed") return null;
  const takes = status === "in_progress" || (owner !== undefined && owner !== before.owner);
  if (!takes && (status === undefined || status === before.status)) return null;
  return `Task #${before.id} belongs to ${before.owner}: take another one, or ask ${before.owner}.`;
}

/** A task that waits for others can be neither started nor completed. */
function blockedProblem(list: TaskList, before: Task, task: Task): string | null {
  if (task.status === "pending" || task.status === before.status) return null;
  const waits = openBlockers(list, task);
  if (waits.length === 0) return null;
  return `Task #${task.id} waits for ${waits.map((each) => `#${each}`).join(", ")}: those have to be completed first.`;
}

function applyTaskChange(before: Task, change: TaskChange, actor: TaskActor): Task {
  const { subject, description, activeForm, status, owner, metadata } = change;
  const { owner: had, metadata: known, ...rest } = before;
  const begins = status === "in_progress" && before.status !== "in_progress";
  // Starting a task without an owner assigns it.
  const has = owner === undefined ? (had ?? (begins ? actor.name : undefined)) : owner === "" ? undefined : owner;
  const mergedMetadata = metadata === undefined ? known : mergeMetadata(known ?? {}, metadata);
  return {
    ...rest,
    ...withoutUndefined({ subject, description, activeForm }),
    ...(status === undefined || status === "deleted" ? {} : { status }),
    ...withoutUndefined({ owner: has, metadata: mergedMetadata }),
  };
}

function mergeMetadata(known: Record<string, unknown>, changes: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...known, ...changes }).filter(([, value]) => value !== null));
}

function withBlockers(
  list: TaskList,
  id: string,
  { addBlocks = [], addBlockedBy = [] }: TaskChange,
): TaskOutcome<{ list: TaskList }> {
  const edges = [
    ...addBlockedBy.map((blocker) => ({ blocker, blocked: id })),
    ...addBlocks.map((blocked) => ({ blocker: id, blocked })),
  ];
  let next = list;
  for (const { blocker, blocked } of edges) {
    const [first, then] = [findTask(next, blocker), findTask(next, blocked)];
    if (first === undefined || then === undefined)
      return failedWith(`There is no task ${quoted(first === undefined ? blocker : blocked)} in the list.`);
    if (then.blockedBy.includes(blocker)) continue;
    if (waitsFor(next, blocker, blocked))
      return failedWith(`#${blocked} cannot wait for #${blocker}: that one waits for #${blocked} itself.`);
    if (then.blockedBy.length >= maxBlockers)
      return failedWith(`Task #${blocked} waits for ${maxBlockers} others already: put a task between them.`);
    next = withReplaced(next, { ...then, blockedBy: [...then.blockedBy, blocker] });
  }
  return { ok: true, list: next };
}

/** Whether `from` waits for `to`, directly or indirectly; true if they are equal. */
function waitsFor(list: TaskList, from: string, to: string): boolean {
  const seen = new Set<string>();
  const open = [from];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (id === to) return true;
    if (seen.has(id)) continue;
    seen.add(id);
    open.push(...(findTask(list, id)?.blockedBy ?? []));
  }
  return false;
}

function deleteTask(list: TaskList, before: Task): TaskOutcome<TaskUpdate> {
  const tasks = list.tasks
    .filter(({ id }) => id !== before.id)
    .map((task) => ({ ...task, blockedBy: task.blockedBy.filter((id) => id !== before.id) }));
  const next = { ...list, tasks };
  const statusChange = { from: before.status, to: "deleted" as const };
  return {
    ok: true,
    list: next,
    before,
    task: before,
    updatedFields: ["status"],
    statusChange,
    freed: newlyUnblocked(list, next, before.id),
  };
}

function taskDifference(list: TaskList, next: TaskList, before: Task, task: Task) {
  const fields = ["subject", "description", "activeForm", "status", "owner", "blockedBy", "metadata"] as const;
  const updatedFields: string[] = fields.filter((field) => !isSameJson(before[field], task[field]));
  if (blocksOf(next, task.id).length !== blocksOf(list, task.id).length) updatedFields.push("blocks");
  const isMoved = before.status !== task.status;
  return {
    updatedFields,
    ...(isMoved ? { statusChange: { from: before.status, to: task.status } } : {}),
    freed: isMoved && task.status === "completed" ? newlyUnblocked(list, next, task.id) : [],
  };
}

function newlyUnblocked(before: TaskList, after: TaskList, id: string): Task[] {
  const waited = before.tasks.filter((task) => openBlockers(before, task).includes(id)).map((task) => task.id);
  return after.tasks.filter(
    (task) => waited.includes(task.id) && task.status === "pending" && openBlockers(after, task).length === 0,
  );
}

function withReplaced(list: TaskList, task: Task): TaskList {
  return { ...list, tasks: list.tasks.map((each) => (each.id === task.id ? task : each)) };
}

function lengthProblem(task: TaskDraft | TaskChange): string | null {
  const fields: Record<string, unknown> = { ...task };
  for (const [field, most] of Object.entries(maxLengths)) {
    const value = fields[field];
    const { length } = typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
    if (length > most)
      return `${field} has ${length} characters; at most ${most} are kept. Write the rest into a file.`;
  }
  return task.subject?.trim() === "" ? "subject is empty: say in a few words what is to be done." : null;
}

function quoted(id: string): string {
  return JSON.stringify(id.slice(0, 40));
}

function failedWith(problem: string): { ok: false; problem: string } {
  return { ok: false, problem };
}
