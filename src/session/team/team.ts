/** The team of one session: its members by name, one task list, and a mailbox for each member. */
import { join } from "node:path";
import type { SDKMessage } from "../../protocol/sdk.ts";
import type { TeamTask } from "../../protocol/turn-end.ts";
import { sessionFolder } from "../../transcript/index.ts";
import type { Joined } from "../joined.ts";
import { KeptFile, KeptFileError } from "./kept-file.ts";
import { emptyPost, readPost, type PostState } from "./mail.ts";
import { leadName } from "./names.ts";
import { Post } from "./post.ts";
import { blocksOf, type ListedTask, type Task } from "./task.ts";
import { TaskCalls, taskLine } from "./task-calls.ts";
import { openTaskStore, type TaskStore } from "./task-store.ts";
import type { Teammate } from "./teammate.ts";

/** Returns the path of the session's mailboxes; null: only in this process. */
export function postPath({ store }: Pick<Joined, "store">): string | null {
  return store.transcript === null ? null : join(sessionFolder(store.transcript.path), "team.json");
}

const maxShownLines = 50;

export class Team {
  readonly root: Joined;
  /** Teammates that work or are idle in this process, by name. */
  readonly live = new Map<string, Teammate>();
  readonly #claimed = new Set<string>();
  #tasks: { store: TaskStore; calls: TaskCalls } | undefined;
  #post: Post | undefined;

  constructor(root: Joined) {
    this.root = root;
  }

  /** Throws `KeptFileError`. */
  get tasks(): { store: TaskStore; calls: TaskCalls } {
    if (this.#tasks === undefined) {
      const store = openTaskStore(this.root);
      this.#tasks = { store, calls: new TaskCalls(store) };
    }
    return this.#tasks;
  }

  /** Throws `KeptFileError`. */
  get post(): Post {
    if (this.#post !== undefined) return this.#post;
    const { around, options, conversation } = this.root;
    const { machine, clock, ids, notice } = around;
    const stateFile = new KeptFile<PostState>({
      path: postPath(this.root),
      files: machine.files,
      processes: machine.processes,
      clock,
      flush: options.durability === "power",
      empty: emptyPost,
      what: "mailbox file of the team",
      parse: readPost,
    });
    this.#post = new Post({ stateFile, newId: () => ids.uuid(), notice });
    this.#post.dropDelivered(leadName, conversation.messages);
    return this.#post;
  }

  /** Undefined if no message has been sent or read yet. */
  get openPost(): Post | undefined {
    return this.#post;
  }

  /** Resolves once a message for the lead arrives, or with `ended`. */
  async whenNews(ended: Promise<void>): Promise<void> {
    const post = this.#post;
    if (post === undefined) return await ended;
    if (post.newsCount > 0) return;
    const { promise: written, resolve } = Promise.withResolvers<void>();
    const stopListening = post.onMail(leadName, resolve);
    await Promise.race([written, ended]).finally(stopListening);
  }

  /** Returns false if a teammate of that name exists or is about to. */
  claim(name: string): boolean {
    if (this.live.has(name) || this.#claimed.has(name)) return false;
    this.#claimed.add(name);
    return true;
  }

  unclaim(name: string): void {
    this.#claimed.delete(name);
  }

  admit(teammate: Teammate): Teammate {
    this.live.set(teammate.name, teammate);
    return teammate;
  }

  tasksOf(owner: string): TeamTask[] {
    const { tasks } = this.tasks.store.read();
    return tasks.filter((task) => task.owner === owner && task.status === "in_progress").map(toTeamTask);
  }

  /** For people. Throws `KeptFileError`. */
  listTasks(): ListedTask[] {
    const list = this.tasks.store.read();
    return list.tasks.map((task) => ({
      task: { ...task, blocks: blocksOf(list, task.id) },
      text: taskLine(list, task),
    }));
  }

  /** Describes the open tasks and who does them, for a model that has forgotten. Empty if there are none. */
  get state(): string {
    const open = this.#lines(({ status }) => status !== "completed");
    const more = open.length > maxShownLines ? [`${open.length - maxShownLines} more: TaskList`] : [];
    const mates = [...this.live.values()].map((mate) => `${mate.name} ${mate.isIdle() ? "rests" : "works"}`);
    return [
      ...(open.length === 0 ? [] : ["Tasks that are not completed:", ...open.slice(0, maxShownLines), ...more]),
      ...(mates.length === 0 ? [] : [`Teammates: ${mates.join(", ")}`]),
    ].join("\n");
  }

  /** Returns one line per task that the owner has started and not completed. */
  tasksLeft(owner: string): string[] {
    return this.#lines(({ owner: has, status }) => has === owner && status === "in_progress");
  }

  /** An unreadable list is reported where it is asked for, so it counts as empty here. */
  #lines(isWanted: (task: Task) => boolean): string[] {
    try {
      const list = this.tasks.store.read();
      return list.tasks.filter(isWanted).map((task) => taskLine(list, task));
    } catch (error) {
      if (error instanceof KeptFileError) return [];
      throw error;
    }
  }

  /** Returns the message that tells clients a message has woken the teammate. */
  wakeMessage(taskId: string): SDKMessage {
    const { around, store } = this.root;
    const base = { type: "system" as const, uuid: around.ids.uuid(), session_id: store.sessionId };
    return { ...base, subtype: "task_updated", task_id: taskId, patch: { status: "running" } };
  }
}

function toTeamTask({ id, subject, description }: Task): TeamTask {
  return { id, subject, ...(description === "" ? {} : { description }) };
}
