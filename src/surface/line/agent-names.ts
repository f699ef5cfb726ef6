/** Names the agent that asks a question, from the messages that announced each agent. */
import { oneLine } from "../../lib/sanitize.ts";
import type { SDKMessage } from "../../protocol/sdk.ts";

export class AgentNames {
  readonly #tasks = new Map<string, string>();

  record(message: SDKMessage): void {
    if (message.type === "system" && message.subtype === "task_started")
      this.#tasks.set(message.task_id, oneLine(message.description, 60));
  }

  /** Returns text to put after the question; empty if the session itself asks. */
  askerSuffix(id: string | undefined): string {
    if (id === undefined) return "";
    const task = this.#tasks.get(id) ?? "";
    return task === "" ? ", for an agent" : `, for the agent "${task}"`;
  }
}
