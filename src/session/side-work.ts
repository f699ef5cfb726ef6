/** What a session does beside its turns: side questions, and background work that nobody waits for. */
import type { Environment } from "../lib/environment.ts";
import type { LoopConfig } from "../loop/ports.ts";
import type { SDKMessage } from "../protocol/sdk.ts";
import type { SDKTaskNotification } from "../protocol/sdk-task.ts";
import { unreportedEnds } from "./late-work.ts";
import { fromEndedTask } from "./events/convert-attachment.ts";
import { sessionEndLimitMs } from "./hooks/end-limit.ts";
import type { Intake } from "./intake/intake.ts";
import type { Joined } from "./joined.ts";
import { waitForServersOnResume } from "./mcp/servers-on-resume.ts";
import { settledMessages } from "./forks/cache-safe.ts";
import type { SideAnswer } from "./forks/side-question.ts";

interface SideWorkParts extends Joined {
  loopConfig: () => LoopConfig;
  env: NonNullable<SessionBackground["env"]>;
  naming: Intake["naming"];
  /** Records what was spent, if no turn is about to do so. */
  recordCost: () => void;
}

/** The work beside the turns of a session, for the code that drives the session. */
export interface SessionBackground {
  /**
   * For surfaces: the session's environment, with what the user's settings add.
   * @internal
   */
  readonly env?: Environment;
  /**
   * For surfaces: ends of background agents that no turn has reported yet, and a promise of the next one.
   * @internal
   */
  agentEnds?(): { notifications: SDKTaskNotification[]; next: Promise<unknown> | undefined };
  /**
   * For surfaces, after the last turn: ends background agents that nobody waits for. Returns ends that no turn has reported.
   * @internal
   */
  endAgents?(): Promise<SDKTaskNotification[]>;
  /**
   * For surfaces, after the last turn: ends hooks that nobody waits for if they last longer. Returns hook messages since.
   * @internal
   */
  settleHooks?(limitMs: number): Promise<SDKMessage[]>;
  /**
   * For surfaces: a turn has ended, and nobody has typed for a while.
   * @internal
   */
  notifyIdle?(): void;
  /**
   * For surfaces: how long SessionEnd hooks may delay `dispose`, in ms.
   * @internal
   */
  readonly endLimitMs?: number;
  /**
   * For surfaces, after a resume: whether the process ended during the last turn; undefined if that is not known.
   * @internal
   */
  readonly wasCutOff?: boolean | undefined;
  /**
   * For surfaces: resolves once the system prompt is there, without which `append` and `getContextUsage` throw. The engine of
   * `createEngine` has it.
   * @internal
   */
  ready?(): Promise<void>;
  /** Waits for background work, such as notes for later sessions; ends what lasts longer than `limitMs`. */
  settle(limitMs: number): Promise<void>;
  /** The next prompt is there, so a suggestion still in progress is useless. */
  dropSuggestion(): void;
}

export class SideWork implements SessionBackground {
  readonly #parts: SideWorkParts;

  constructor(parts: SideWorkParts) {
    this.#parts = parts;
    parts.forks.attach(parts);
  }

  get env(): SideWorkParts["env"] {
    return this.#parts.env;
  }

  /** Answers from the conversation as it is now, also while a turn runs. Never rejects. */
  async ask(question: string, signal?: AbortSignal): Promise<SideAnswer> {
    const { background, ports, openingTexts, recordCost } = this.#parts;
    const askQuestion = async (endSignal: AbortSignal): Promise<SideAnswer> => {
      const ready = openingTexts.ready();
      if (ready !== undefined) await ready;
      const source = this.#source();
      await waitForServersOnResume(this.#parts, endSignal);
      const { askSideQuestion, judgeQuestion } = await import("./forks/side-question.ts");
      const judged = await judgeQuestion(question, this.#parts, endSignal);
      return "why" in judged ? judged : await askSideQuestion(ports, source, judged, endSignal);
    };
    const answer = await background.run("side_question", askQuestion, signal);
    recordCost();
    return answer;
  }

  /** Tells all of the work to end, and what a turn may still wait for. */
  end(why: string): void {
    this.#parts.openingTexts.stop();
    this.#parts.background.end(why);
    this.#parts.collapses.end();
  }

  async ready(): Promise<void> {
    await this.#parts.openingTexts.ready();
  }

  agentEnds(): ReturnType<NonNullable<SessionBackground["agentEnds"]>> {
    const { ports, store } = this.#parts;
    const { tasks, next } = unreportedEnds(this.#parts);
    return { notifications: tasks.map((task) => fromEndedTask(task, ports.ids.uuid(), store.sessionId)), next };
  }

  async endAgents(): Promise<SDKTaskNotification[]> {
    await this.#parts.agents.end();
    return this.agentEnds().notifications;
  }

  async settleHooks(limitMs: number): Promise<SDKMessage[]> {
    await this.#parts.hooks.drain(limitMs);
    return this.#parts.hookFeed.take();
  }

  notifyIdle(): void {
    this.#parts.occasions.notifyIdle();
  }

  get endLimitMs(): number {
    const { hooks, around } = this.#parts;
    return hooks.has("SessionEnd") ? sessionEndLimitMs(around.env, hooks.sessionEndMs()) : 0;
  }

  get wasCutOff(): boolean | undefined {
    return this.#parts.store.restored.isCutOff;
  }

  dropSuggestion(): void {
    this.#parts.forks.dropSuggestion();
  }

  async settle(limitMs: number): Promise<void> {
    await this.#parts.background.drain(limitMs);
    this.#parts.recordCost();
  }

  /** The same, and accepts no new work. */
  async close(limitMs: number): Promise<void> {
    await this.#parts.background.close(limitMs);
    this.#parts.recordCost();
  }

  #source() {
    const { cacheSafe, conversation, loopConfig } = this.#parts;
    const settled = settledMessages(conversation.messages, conversation.lastCompleteUuid);
    return cacheSafe.source(
      settled.filter(({ uuid }) => !conversation.unjudged.has(uuid)),
      loopConfig(),
    );
  }
}
