/** One user turn over the wire: its messages out at the reader's pace, and the ways a client may end it or add to it. */
import type { SDKMessage } from "../../protocol/sdk.ts";
import { replayOf } from "../../session/query/query-prompt.ts";
import type { DrivenEngine } from "../engine-port.ts";
import type { Prompt } from "./frame.ts";

export interface TurnsOptions {
  /** A promise means: await it before the next message. */
  show: (message: SDKMessage) => Promise<void> | undefined;
  /** Each prompt is shown again as its turn begins. */
  replays: boolean;
  newId: () => string;
}

export class Turns {
  readonly #options: TurnsOptions;
  #engine: DrivenEngine | undefined;
  #state: "none" | "starting" | "running" | "idle" = "none";
  /** An interrupt that came before there was a turn to end: whichever begins next. */
  #isLatched = false;
  /** Interrupts that came behind these, before their turns. */
  readonly #latched = new WeakSet<Prompt>();

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /** It runs, or waits for the session to be there. */
  get isUnderWay(): boolean {
    return this.#state === "starting" || this.#state === "running";
  }

  get isRunning(): boolean {
    return this.#state === "running";
  }

  /** Ends the turn that runs, the one that begins, or the first one there will be. `next`: has come, and its turn has not begun. */
  interrupt(next: Prompt | undefined): void {
    if (this.#state === "running") this.#engine?.interrupt("user");
    else if (next !== undefined) this.#latched.add(next);
    else if (this.#state !== "idle") this.#isLatched = true;
  }

  /** The turn that is about to run. */
  begin(): void {
    this.#state = "starting";
  }

  /** True where the running turn takes it: it joins at the next border, or ends the turn to be the next one. */
  takes(prompt: Prompt): boolean {
    const { content, uuid = this.#options.newId(), priority, isMeta, isAppended, isVerbatim, problem } = prompt;
    if (!this.isRunning || problem !== undefined || isMeta === true || isAppended === true) return false;
    if (priority === "now") this.#engine?.interrupt("interrupt");
    // What no border takes comes back without a word of whose text it is.
    if (priority !== "next" || isVerbatim === true) return false;
    this.#engine?.enqueue(content, uuid);
    return true;
  }

  /** The ids of what is to join and waits for a border; of those that `leave` names it joins no more. */
  joining(leave: (uuid: string) => boolean = () => false): string[] {
    const engine = this.#engine;
    if (engine === undefined || !this.isRunning) return [];
    const waiting = leftIn(engine);
    for (const { content, uuid } of waiting) if (!leave(uuid)) engine.enqueue(content, uuid);
    return waiting.map(({ uuid }) => uuid);
  }

  /** Into the conversation, without a turn. Throws where it cannot be. */
  async append(engine: DrivenEngine, { content, uuid = this.#options.newId(), isMeta }: Prompt): Promise<void> {
    engine.append(content, { uuid, isMeta });
    if (this.#options.replays) await this.#options.show(replayOf(content, uuid, engine.getSessionId()));
  }

  /** Answers what joined too late, for turns of their own. */
  async run(engine: DrivenEngine, prompt: Prompt): Promise<Prompt[]> {
    const { problem } = prompt;
    this.#engine = engine;
    this.#state = "running";
    try {
      const { content, isMeta, isVerbatim, origin } = prompt;
      const uuid = prompt.uuid ?? (this.#options.replays ? this.#options.newId() : undefined);
      for await (const made of engine.submitMessage(content, { uuid, isMeta, isVerbatim, origin })) {
        const message = problem === undefined ? made : explained(made, problem);
        await this.#options.show(message);
        if (made.type === "system" && made.subtype === "init") await this.#begun(prompt, uuid, engine);
      }
    } finally {
      this.#state = "idle";
    }
    return leftIn(engine);
  }

  async #begun(prompt: Prompt, uuid: string | undefined, engine: DrivenEngine): Promise<void> {
    const { content, problem } = prompt;
    if (this.#isLatched || this.#latched.has(prompt)) engine.interrupt("user");
    this.#isLatched = false;
    if (!this.#options.replays || problem !== undefined || uuid === undefined) return;
    await this.#options.show(replayOf(content, uuid, engine.getSessionId()));
  }
}

function leftIn(engine: DrivenEngine): (Prompt & { uuid: string })[] {
  const left: (Prompt & { uuid: string })[] = [];
  for (let next = engine.takeQueued(); next !== undefined; next = engine.takeQueued())
    left.push({ content: next.prompt, uuid: next.uuid });
  return left;
}

/** The engine refuses the empty prompt that stands for a message nobody could read; its result says what was wrong with it. */
function explained(message: SDKMessage, problem: string): SDKMessage {
  return message.type === "result" && message.subtype !== "success" ? { ...message, errors: [problem] } : message;
}
