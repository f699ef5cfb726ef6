/** Prompts that are about the running turn: each is answered while it runs, with a result of its own. */
import type { SDKMessage } from "../../protocol/sdk.ts";
import { commandInPrompt } from "../../session/intake/read-command.ts";
import { readPrompt } from "../../session/intake/prompt.ts";
import { replayOf } from "../../session/query/query-prompt.ts";
import { createAttribution } from "../../session/turn/attribution.ts";
import type { DrivenEngine } from "../engine-port.ts";
import type { Prompt } from "./frame.ts";
import type { TurnsOptions } from "./turns.ts";

/** All others wait: clients take the first result after a message for the end of its turn. */
const besideCommands: ReadonlySet<string> = new Set(["btw", "goal"]);

export class SidePrompts {
  readonly #options: TurnsOptions;
  readonly #answers: Promise<void>[] = [];

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /** Returns true if the prompt is answered beside the running turn. */
  tryAnswer(prompt: Prompt, engine: DrivenEngine | undefined): boolean {
    const { content, problem, isMeta, isAppended, isVerbatim } = prompt;
    if (problem !== undefined || isMeta === true || isAppended === true || isVerbatim === true) return false;
    if (engine === undefined || !besideCommands.has(commandInPrompt(readPrompt(content))?.name ?? "")) return false;
    const messages = engine.submitBeside(content);
    if (messages === undefined) return false;
    const { replays, newId } = this.#options;
    const uuid = prompt.uuid ?? (replays ? newId() : "");
    const replay = replays ? replayOf(content, uuid, engine.getSessionId()) : undefined;
    this.#answers.push(this.#answer(messages, replay, createAttribution({ ...prompt, uuid })));
    return true;
  }

  async settled(): Promise<void> {
    await Promise.all(this.#answers);
  }

  async #answer(
    messages: AsyncGenerator<SDKMessage, void>,
    replay: SDKMessage | undefined,
    attribute: ReturnType<typeof createAttribution>,
  ): Promise<void> {
    const { show } = this.#options;
    if (replay !== undefined) await show(replay);
    for await (const message of messages) await show(attribute(message));
  }
}
