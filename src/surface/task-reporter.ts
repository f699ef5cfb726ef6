/**
 * Reports background work that ends while no turn runs. The end of a command, or of an agent whose end starts no turn, is
 * reported at once and not again by the next turn. The end of a hook is reported after the last turn.
 */
import type { SDKMessage } from "../protocol/sdk.ts";
import type { LateAgents } from "../session/query/late-agents.ts";
import type { StartTimer } from "./deadline.ts";
import type { Engine } from "./engine-port.ts";

/** How long commands and hooks may run on after the last turn. */
const graceMilliseconds = 5_000;

export interface TaskReporterOptions {
  /** True if no turn runs that would report it. */
  isBetweenTurns: () => boolean;
  show: (message: SDKMessage) => void;
}

export class TaskReporter {
  readonly #options: TaskReporterOptions;
  readonly #reported = new Set<string>();
  #desk: Engine["desk"] | undefined;
  #background: Engine["background"] | undefined;
  #unsubscribe = (): void => {};
  #resolveGracePeriod = (): void => {};
  #reportAgents = (): void => {};

  constructor(options: TaskReporterOptions) {
    this.#options = options;
  }

  /** Called after each turn, since a turn that cleared the session has created another. `agents` are reported while they are held. */
  watch({ desk, background }: Pick<Engine, "desk" | "background">, agents?: LateAgents): void {
    if (agents !== undefined) this.#watchAgents(background, agents);
    this.#background = background;
    if (desk === this.#desk) return;
    this.#unsubscribe();
    this.#desk = desk;
    this.#unsubscribe = desk.onTaskEnd((message) => {
      if (!this.#options.isBetweenTurns()) return;
      this.#reported.add(message.task_id);
      this.#options.show(message);
    });
  }

  /** After an interrupt the client keeps its side open while it knows of a running agent, but no turn starts to report its end. */
  #watchAgents(background: Engine["background"], agents: LateAgents): void {
    let isWaiting = false;
    const reportEnded = (): void => {
      if (this.#reportAgents !== reportEnded || !agents.isHeld || !this.#options.isBetweenTurns()) return;
      const { notifications = [], next } = background.agentEnds?.() ?? {};
      for (const message of notifications.filter(({ task_id }) => !this.#reported.has(task_id))) {
        this.#reported.add(message.task_id);
        this.#options.show(message);
      }
      if (next === undefined || isWaiting) return;
      isWaiting = true;
      const again = (): void => {
        isWaiting = false;
        reportEnded();
      };
      next.then(again, () => undefined);
    };
    this.#reportAgents = agents.onHeld = reportEnded;
    reportEnded();
  }

  /** Returns true, once, for a notification that was already shown while no turn ran. */
  wasReported(message: SDKMessage): boolean {
    return (
      message.type === "system" && message.subtype === "task_notification" && this.#reported.delete(message.task_id)
    );
  }

  /** After the last turn: ends agents, gives running commands and hooks a grace period, then ends them. Each end is reported while anybody listens. */
  async settle(start: StartTimer): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#resolveGracePeriod = resolve;
    await Promise.all([this.#settleAgents(), this.#settleCommands(start, promise), this.#settleHooks(promise)]);
  }

  /** The run has waited for agents long enough. Whoever was told of their start also waits for their end. */
  async #settleAgents(): Promise<void> {
    for (const message of (await this.#background?.endAgents?.()) ?? [])
      if (!this.#reported.has(message.task_id)) this.#options.show(message);
  }

  async #settleCommands(start: StartTimer, graceEnded: Promise<void>): Promise<void> {
    const desk = this.#desk;
    if (desk === undefined || runningShellTasks(desk).length === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = start(graceMilliseconds, resolve);
    const unsubscribe = desk.onTaskEnd(() => runningShellTasks(desk).length === 0 && resolve());
    await Promise.race([promise, graceEnded]);
    cancel();
    unsubscribe();
    await Promise.all(runningShellTasks(desk).map((id) => desk.stopTask(id)));
  }

  async #settleHooks(graceEnded: Promise<void>): Promise<void> {
    const background = this.#background;
    const settled = background?.settleHooks?.(graceMilliseconds);
    // Otherwise closing the session would wait for the hooks.
    const ended = graceEnded.then(() => background?.settleHooks?.(0));
    for (const message of (await Promise.race([settled, ended])) ?? []) this.#options.show(message);
  }

  /** Ends the grace period: nobody waits any more. */
  endGracePeriod(): void {
    this.#resolveGracePeriod();
  }

  end(): void {
    this.#unsubscribe();
    this.#reportAgents = () => undefined;
  }
}

function runningShellTasks(desk: Engine["desk"]): string[] {
  return desk
    .tasks()
    .flatMap(({ task_type, status, task_id }) => (task_type === "shell" && status === "running" ? [task_id] : []));
}
