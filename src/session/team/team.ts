/** The team of one session: whoever works in it, under which name, on one list of tasks. */
import type { ToolContext, ToolInput, ToolResult } from "../../protocol/tool.ts";
import type { Joined } from "../joined.ts";
import { KeptFileError } from "./kept-file.ts";
import { TaskCalls, type TaskRooms } from "./task-calls.ts";
import { openTaskStore, type TaskStore } from "./task-store.ts";
import type { TaskToolName } from "./task-tools.ts";

/** The session itself, in the list of tasks. */
export const leadName = "team-lead";

export class Team {
  readonly #root: Joined;
  #tasks: { store: TaskStore; calls: TaskCalls } | undefined;

  constructor(root: Joined) {
    this.#root = root;
  }

  /** Throws `KeptFileError`. */
  get tasks(): { store: TaskStore; calls: TaskCalls } {
    if (this.#tasks === undefined) {
      const store = openTaskStore(this.#root);
      this.#tasks = { store, calls: new TaskCalls(store) };
    }
    return this.#tasks;
  }

  async runTaskTool(name: TaskToolName, input: ToolInput, context: ToolContext, caller: Joined): Promise<ToolResult> {
    try {
      return await this.tasks.calls.run(name, input, context, this.#roomsOf(caller));
    } catch (error) {
      if (error instanceof KeptFileError) return { content: error.message, isError: true };
      throw error;
    }
  }

  #roomsOf({ seat, options, hooks, around }: Joined): TaskRooms {
    const { teammate } = options;
    const name = teammate?.name ?? seat?.id ?? leadName;
    return {
      hooks,
      notice: around.notice,
      actor: { name, isLead: seat === undefined },
      ...(teammate === undefined ? {} : { teammate }),
    };
  }
}
