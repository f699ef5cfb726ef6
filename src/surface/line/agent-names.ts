/** Whose question it is: agents as the session has told of them when they began. */
import { oneLine } from "../../lib/sanitize.ts";
import type { SDKMessage } from "../../protocol/sdk.ts";

export class AgentNames {
  readonly #tasks = new Map<string, string>();

  note(message: SDKMessage): void {
    if (message.type === "system" && message.subtype === "task_started")
      this.#tasks.set(message.task_id, oneLine(message.description, 60));
  }

  /** Of the one that asks, behind what it asks; empty where it is the session itself. */
  asking(id: string | undefined): string {
    if (id === undefined) return "";
    const task = this.#tasks.get(id) ?? "";
    return task === "" ? ", for an agent" : `, for the agent "${task}"`;
  }
}
