/** Sends the client the current background tasks, commands and goal, each in full whenever it differs from what was sent last. */
import type { SDKMessage } from "../../protocol/sdk.ts";
import type { SlashCommand } from "../../protocol/sdk-commands.ts";
import type { SDKBackgroundTask } from "../../protocol/sdk-control.ts";
import type { DrivenEngine } from "../engine-port.ts";

export interface ClientStateSyncOptions {
  /** Undefined before there is a session. */
  engine: () => Pick<DrivenEngine, "desk" | "supportedCommands" | "getSessionId"> | undefined;
  write: (message: object) => void;
  newId: () => string;
}

/** The task types as `task_started` names them. */
const wireTaskTypes = { shell: "local_bash", subagent: "local_agent", teammate: "in_process_teammate" } as const;

/** Messages after which a background task may have started or ended. */
const taskSubtypes: ReadonlySet<string> = new Set(["task_started", "task_updated", "task_notification"]);

export class ClientStateSync {
  readonly #options: ClientStateSyncOptions;
  /** The commands sent last, as JSON. Undefined before `initialize`: until then the client gets none of these messages. */
  #commands: string | undefined;
  #tasks = "[]";
  #goal = "null";

  constructor(options: ClientStateSyncOptions) {
    this.#options = options;
  }

  /** Records what `initialize` answers, and returns it. */
  recordInitialize<Answer extends { commands?: unknown }>(answer: Answer): Answer {
    this.#commands = JSON.stringify(answer.commands ?? []);
    return answer;
  }

  /** Call this after each message that was written. */
  afterMessage(message: SDKMessage): void {
    if (message.type !== "stream_event") this.#sendGoal();
    if (message.type === "system" ? taskSubtypes.has(message.subtype) : message.type === "user")
      this.#sendChanges(false);
    if (message.type === "result" || (message.type === "system" && message.subtype === "init")) this.#sendChanges(true);
  }

  #sendChanges(isBetweenTurns: boolean): void {
    const engine = this.#options.engine();
    if (engine === undefined || this.#commands === undefined) return;
    const tasks = engine.desk.tasks().filter(isActive).map(wireTask);
    this.#tasks = this.#sendIfChanged(
      this.#tasks,
      { type: "system", subtype: "background_tasks_changed", tasks },
      tasks,
    );
    if (!isBetweenTurns) return;
    const commands: SlashCommand[] = engine.supportedCommands();
    this.#commands = this.#sendIfChanged(
      this.#commands,
      { type: "system", subtype: "commands_changed", commands },
      commands,
    );
  }

  #sendGoal(): void {
    const engine = this.#options.engine();
    if (engine === undefined || this.#commands === undefined) return;
    const value = engine.desk.goal();
    this.#goal = this.#sendIfChanged(this.#goal, { type: "active_goal", value }, value);
  }

  #sendIfChanged(before: string, message: object, state: object | null): string {
    const now = JSON.stringify(state);
    const { write, newId, engine } = this.#options;
    if (now !== before) write({ ...message, uuid: newId(), session_id: engine()?.getSessionId() ?? "" });
    return now;
  }
}

function isActive({ status }: SDKBackgroundTask): boolean {
  return status === "running" || status === "paused";
}

function wireTask({ task_id, task_type, description }: SDKBackgroundTask): object {
  return { task_id, task_type: wireTaskTypes[task_type], description };
}
