/** The task list on disk: beside its session's transcript, or under a name that several sessions share. */
import { join } from "node:path";
import { isRecord } from "../../lib/is-record.ts";
import { isStringList } from "../../lib/is-string-list.ts";
import { sessionFolder } from "../../transcript/index.ts";
import type { Store } from "../store/store-shape.ts";
import type { Joined } from "../joined.ts";
import { KeptFile, KeptFileError } from "./kept-file.ts";
import { emptyList, type Task, type TaskList } from "./task.ts";

export type TaskStore = Pick<KeptFile<TaskList>, "read" | "change">;

const listNamePattern = /^[A-Za-z0-9][\w.-]{0,63}$/u;
const statuses: readonly unknown[] = ["pending", "in_progress", "completed"] satisfies Task["status"][];

/** Throws `KeptFileError` if the name of a shared list is invalid. */
export function openTaskStore({ around, store, options }: Pick<Joined, "around" | "store" | "options">): TaskStore {
  const { machine, clock, pawlHome, env } = around;
  const shared = env["CLAUDE_CODE_TASK_LIST_ID"] ?? "";
  if (shared !== "" && !listNamePattern.test(shared))
    throw new KeptFileError(
      `CLAUDE_CODE_TASK_LIST_ID must be a name of 1 to 64 letters, digits, "_", "-" and ".", which "${shared.slice(0, 80)}" is not.`,
    );
  const path = shared === "" ? sessionListPath(store) : join(pawlHome, "tasks", `${shared}.json`);
  const open = (at: string | null): KeptFile<TaskList> =>
    new KeptFile<TaskList>({
      path: at,
      files: machine.files,
      processes: machine.processes,
      clock,
      flush: options.durability === "power",
      empty: emptyList,
      what: "task list",
      parse: readList,
    });
  const kept = open(path);
  const original = shared === "" ? originalListPath(store) : null;
  // A copied session continues with the list its original has at this moment.
  if (path !== null && original !== null && machine.files.statusOf(path) === undefined)
    kept.write(open(original).read());
  return kept;
}

function sessionListPath({ transcript }: Pick<Store, "transcript">): string | null {
  return transcript === null ? null : join(sessionFolder(transcript.path), "tasks.json");
}

/** Returns the path of the original session's list; null if this session is not a copy. */
export function originalListPath({ forkedFrom }: Pick<Store, "forkedFrom">): string | null {
  return forkedFrom === undefined ? null : join(sessionFolder(forkedFrom), "tasks.json");
}

/** Keeps fields that a later version may have added. */
export function readList(value: unknown): TaskList | undefined {
  if (!isRecord(value)) return undefined;
  const { nextId, tasks } = value;
  if (!Number.isSafeInteger(nextId) || !Array.isArray(tasks) || !tasks.every(isTask)) return undefined;
  const ids = new Set(tasks.map(({ id }) => id));
  const isWhole = tasks.every(
    ({ id, blockedBy }) => Number(id) < Number(nextId) && blockedBy.every((each) => ids.has(each)),
  );
  return ids.size === tasks.length && isWhole ? { ...value, nextId: Number(nextId), tasks } : undefined;
}

function isTask(value: unknown): value is Task {
  if (!isRecord(value)) return false;
  const { id, subject, description, status, owner, activeForm, blockedBy, metadata } = value;
  return (
    typeof id === "string" &&
    /^[1-9]\d*$/u.test(id) &&
    typeof subject === "string" &&
    typeof description === "string" &&
    statuses.includes(status) &&
    (owner === undefined || typeof owner === "string") &&
    (activeForm === undefined || typeof activeForm === "string") &&
    isStringList(blockedBy) &&
    (metadata === undefined || isRecord(metadata))
  );
}
