/** Sends the client the current background tasks, commands and goal, each in full whenever it differs from what was sent last. */
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

/** The task types as `task_started` names them. */
const kinds = { shell: "local_bash", subagent: "local_agent", teammate: "in_process_teammate" } as const;

/** Messages after which a background task may have started or ended. */
const tellsOfTasks: ReadonlySet<string> = new Set(["task_started", "task_updated", "task_notification"]);

export class Levels {
  readonly #options: LevelsOptions;
  /** The commands sent last, as JSON. Undefined before `initialize`: until then the client gets none of these messages. */
  #commands: string | undefined;
  #tasks = "[]";
  #goal = "null";

  constructor(options: LevelsOptions) {
    this.#options = options;
  }

  /** Records what `initialize` answers, and returns it. */
  begun<Answer extends { commands?: unknown }>(answer: Answer): Answer {
    this.#commands = JSON.stringify(answer.commands ?? []);
    return answer;
  }

  /** Call this after each message that was written. */
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
