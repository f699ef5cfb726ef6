/** Open background tasks, as a conversation records them: started in it, or listed by a compaction, and not reported as ended. */
import type { Message, ToolResultBlock, ToolUseBlock, UserMessage } from "./message.ts";
import { reminderIn } from "./reminders.ts";

export interface OpenTask {
  what: "background command" | "background agent" | "agent";
  toolUseId?: string;
  /** The description given when the task was started, exactly as recorded. */
  about: unknown;
}

/** A compaction lists tasks one per line, as `- id: command; …` or `- id: type: description`. */
const compactionLists = [
  ["background", "background command", /^- (\w+): (.*); /gmu],
  ["agents", "background agent", /^- (\w+): .*?: (.*)$/gmu],
] as const;

/** Collects the open tasks from the messages of a conversation, passed to `take` in order. */
export class OpenTasks {
  /** By id, in the order in which the tasks were started. */
  readonly open = new Map<string, OpenTask>();
  readonly #calls = new Map<string, ToolUseBlock>();

  take(message: Message): void {
    if (message.type === "assistant") {
      for (const block of message.content) if (block.type === "tool_use") this.#calls.set(block.id, block);
    } else if (message.type === "user") this.#takeOutput(message);
    else {
      const { name, text = "", task } = reminderIn(message) ?? {};
      if (task !== undefined) this.open.delete(task.taskId);
      for (const [list, what, line] of compactionLists)
        if (name === list) for (const [, id = "", about] of text.matchAll(line)) this.open.set(id, { what, about });
    }
  }

  callOf(id: string): ToolUseBlock | undefined {
    return this.#calls.get(id);
  }

  #takeOutput({ content, toolUseResult: output }: UserMessage): void {
    if (typeof output !== "object" || output === null) return;
    const {
      backgroundTaskId,
      status,
      agentId,
      task_id: stopped,
      name,
      description,
    } = output as Record<string, unknown>;
    const call = this.callOf(
      content.find((block): block is ToolResultBlock => block.type === "tool_result")?.tool_use_id ?? "",
    );
    const of = call === undefined ? {} : { toolUseId: call.id };
    if (typeof backgroundTaskId === "string") {
      const about = call?.input["description"] ?? call?.input["command"];
      this.open.set(backgroundTaskId, { what: "background command", ...of, about });
    } else if (status === "async_launched" && typeof agentId === "string" && name === undefined) {
      // Teammates have a name, and report for themselves.
      this.open.set(agentId, { what: "background agent", ...of, about: description });
    } else if (typeof stopped === "string") this.open.delete(stopped);
  }
}

/** Whether a tool's output is that of a command that continues in the background. The result has its id and the path of its output. */
export function runsInBackground(output: unknown): boolean {
  return Object(output).backgroundTaskId !== undefined;
}

/** Returns the ids of the open tasks. */
export function openTaskIds(messages: readonly Message[]): string[] {
  const tasks = new OpenTasks();
  for (const message of messages) tasks.take(message);
  return [...tasks.open.keys()];
}
