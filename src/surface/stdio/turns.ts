/** Runs one user turn over the wire: writes its messages at the reader's pace, and lets the client end it or add to it. */
import type { SDKMessage } from "../../protocol/sdk.ts";
import { replayOf } from "../../session/query/query-prompt.ts";
import type { DrivenEngine } from "../engine-port.ts";
import type { Prompt } from "./frame.ts";

export interface TurnsOptions {
  /** If it returns a promise, await it before the next message. */
  show: (message: SDKMessage) => Promise<void> | undefined;
  /** Whether each prompt is written again as its turn starts. */
  replays: boolean;
  newId: () => string;
}

export class Turns {
  readonly #options: TurnsOptions;
  #engine: DrivenEngine | undefined;
  #state: "none" | "starting" | "running" | "idle" = "none";
  /** An interrupt came before there was a turn: it ends the next turn that starts. */
  #interruptsNext = false;
  /** Prompts that were interrupted before their turn started. */
  readonly #interruptedEarly = new WeakSet<Prompt>();

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /** True while the turn runs or waits for the session. */
  get isUnderWay(): boolean {
    return this.#state === "starting" || this.#state === "running";
  }

  get isRunning(): boolean {
    return this.#state === "running";
  }

  /** Ends the running turn; else that of the waiting prompt `next`; else the turn about to start, or the first to come. */
  interrupt(next: Prompt | undefined): void {
    if (this.#state === "running") this.#engine?.interrupt("user");
    else if (next !== undefined) this.#interruptedEarly.add(next);
    else if (this.#state !== "idle") this.#interruptsNext = true;
  }

  /** Call this when a turn is about to run. */
  begin(): void {
    this.#state = "starting";
  }

  /** Returns true if the prompt joins the running turn at its next step. With the priority `now` the prompt ends the turn instead. */
  tryJoin(prompt: Prompt): boolean {
    const { content, uuid = this.#options.newId(), priority, isMeta, isAppended, isVerbatim, problem } = prompt;
    if (!this.isRunning || problem !== undefined || isMeta === true || isAppended === true) return false;
    if (priority === "now") this.#engine?.interrupt("interrupt");
    // A queued prompt that no step takes comes back without `isVerbatim`, so text written by others is not queued.
    if (priority !== "next" || isVerbatim === true) return false;
    this.#engine?.enqueue(content, uuid);
    return true;
  }

  /** Returns the uuids of prompts that wait to join the turn, and drops those for which `shouldDrop` returns true. */
  joiningUuids(shouldDrop: (uuid: string) => boolean): string[] {
    const engine = this.#engine;
    if (engine === undefined || !this.isRunning) return [];
    const waiting = takeLeftovers(engine);
    for (const { content, uuid } of waiting) if (!shouldDrop(uuid)) engine.enqueue(content, uuid);
    return waiting.map(({ uuid }) => uuid);
  }

  /** Adds the prompt to the conversation without a turn. Throws if that is not possible. */
  async append(engine: DrivenEngine, { content, uuid = this.#options.newId(), isMeta }: Prompt): Promise<void> {
    engine.append(content, { uuid, isMeta });
    if (this.#options.replays) await this.#options.show(replayOf(content, uuid, engine.getSessionId()));
  }

  /** Runs the turn, and returns the prompts that came too late to join it and need their own turns. */
  async run(engine: DrivenEngine, prompt: Prompt): Promise<Prompt[]> {
    const { problem } = prompt;
    this.#engine = engine;
    this.#state = "running";
    try {
      const { content, isMeta, isVerbatim, origin } = prompt;
      const uuid = prompt.uuid ?? (this.#options.replays ? this.#options.newId() : undefined);
      for await (const sent of engine.submitMessage(content, { uuid, isMeta, isVerbatim, origin })) {
        const message = problem === undefined ? sent : withProblem(sent, problem);
        await this.#options.show(message);
        if (sent.type === "system" && sent.subtype === "init") await this.#onTurnBegun(prompt, uuid, engine);
      }
    } finally {
      this.#state = "idle";
    }
    return takeLeftovers(engine);
  }

  async #onTurnBegun(prompt: Prompt, uuid: string | undefined, engine: DrivenEngine): Promise<void> {
    const { content, problem } = prompt;
    if (this.#interruptsNext || this.#interruptedEarly.has(prompt)) engine.interrupt("user");
    this.#interruptsNext = false;
    if (!this.#options.replays || problem !== undefined || uuid === undefined) return;
    await this.#options.show(replayOf(content, uuid, engine.getSessionId()));
  }
}

function takeLeftovers(engine: DrivenEngine): (Prompt & { uuid: string })[] {
  const left: (Prompt & { uuid: string })[] = [];
  for (let next = engine.takeQueued(); next !== undefined; next = engine.takeQueued())
    left.push({ content: next.prompt, uuid: next.uuid });
  return left;
}

/** Puts the reason into the result of an unreadable message, which the engine gets as an empty prompt and refuses. */
function withProblem(message: SDKMessage, problem: string): SDKMessage {
  return message.type === "result" && message.subtype !== "success" ? { ...message, errors: [problem] } : message;
}
