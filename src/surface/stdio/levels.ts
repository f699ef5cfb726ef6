/** What is there now, told whole to a client once it is other than was told last: what works in the background, the commands, and the goal. */
import type { SDKMessage } from "../../protocol/sdk.ts";
import type { SlashCommand } from "../../protocol/sdk-commands.ts";
import type { SDKBackgroundTask } from "../../protocol/sdk-control.ts";
import type { DrivenEngine } from "../engine-port.ts";

export interface LevelsOptions {
  /** Undefined before there is a session. */
  engine: () => Pick<DrivenEngine, "desk" | "supportedCommands" | "getSessionId"> | undefined;
  write: (message: object) => void;
  newId: () => string;
}

/** As they are named in `task_started`. */
const kinds = { shell: "local_bash", subagent: "local_agent", teammate: "in_process_teammate" } as const;

/** Messages behind which something may have begun, or ended. */
const tellsOfTasks: ReadonlySet<string> = new Set(["task_started", "task_updated", "task_notification"]);

export class Levels {
  readonly #options: LevelsOptions;
  /** Undefined: the client has not said what it is, and gets none of it. */
  #commands: string | undefined;
  #tasks = "[]";
  #goal = "null";

  constructor(options: LevelsOptions) {
    this.#options = options;
  }

  /** What a client was told at its beginning; answers it. */
  begun<Answer extends { commands?: unknown }>(answer: Answer): Answer {
    this.#commands = JSON.stringify(answer.commands ?? []);
    return answer;
  }

  /** A message was written. */
  noted(message: SDKMessage): void {
    if (message.type !== "stream_event") this.#lookAtGoal();
    if (message.type === "system" ? tellsOfTasks.has(message.subtype) : message.type === "user") this.#look(false);
    if (message.type === "result" || (message.type === "system" && message.subtype === "init")) this.#look(true);
  }

  #look(isBetween: boolean): void {
    const engine = this.#options.engine();
    if (engine === undefined || this.#commands === undefined) return;
    const tasks = engine.desk.tasks().filter(isAtWork).map(levelOf);
    this.#tasks = this.#told(this.#tasks, { type: "system", subtype: "background_tasks_changed", tasks }, tasks);
    if (!isBetween) return;
    const commands: SlashCommand[] = engine.supportedCommands();
    this.#commands = this.#told(this.#commands, { type: "system", subtype: "commands_changed", commands }, commands);
  }

  #lookAtGoal(): void {
    const engine = this.#options.engine();
    if (engine === undefined || this.#commands === undefined) return;
    const value = engine.desk.goal();
    this.#goal = this.#told(this.#goal, { type: "active_goal", value }, value);
  }

  #told(before: string, message: object, level: object | null): string {
    const now = JSON.stringify(level);
    const { write, newId, engine } = this.#options;
    if (now !== before) write({ ...message, uuid: newId(), session_id: engine()?.getSessionId() ?? "" });
    return now;
  }
}

function isAtWork({ status }: SDKBackgroundTask): boolean {
  return status === "running" || status === "paused";
}

function levelOf({ task_id, task_type, description }: SDKBackgroundTask): object {
  return { task_id, task_type: kinds[task_type], description };
}
