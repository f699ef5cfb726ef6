/** All that comes between a recorded prompt and the model. */
import type { QueryEvent } from "../protocol/event.ts";
import type { Attachment, ContentBlock, Message } from "../protocol/message.ts";
import type { Terminal } from "../protocol/stop.ts";
import type { Cancel } from "../loop/cancel.ts";
import { askStartHooks, askSubmitHooks, startInputs, tellNews, type Intake, type StartSource } from "./intake.ts";

/** What hooks are told of the beginning: once, and again where they did not let it begin, or were ended before they answered. */
export class Beginning {
  /** Null once they were told. */
  #source: StartSource | null;
  /** There is an end to tell them of. */
  isTold = false;

  constructor(source: StartSource) {
    this.#source = source;
  }

  get isDue(): boolean {
    return this.#source !== null;
  }

  /** An agent that is ended before this could be told has not begun, and so has no end to tell of. */
  async *tell(
    intake: Intake,
    { uuid, cancel, isAgent, model }: Pick<TurnOpening, "uuid" | "cancel" | "isAgent" | "model">,
  ): AsyncGenerator<QueryEvent, Terminal | null> {
    const [source, wasTold] = [this.#source, this.isTold];
    if (source === null || (isAgent && cancel.signal.aborted)) return null;
    this.#source = null;
    this.isTold = true;
    let isOver = false;
    try {
      const stopped = yield* askStartHooks(intake, startInputs(source, model, isAgent, intake.setup), uuid, cancel);
      const isPrevented = stopped?.reason === "stop_hook_prevented";
      if (isPrevented) this.isTold = wasTold;
      isOver = !isPrevented && !cancel.signal.aborted;
      return stopped;
    } finally {
      if (!isOver) this.#source = source;
    }
  }
}

export interface TurnOpening {
  /** What happened since the last turn. */
  news: readonly Attachment[];
  beginning: Beginning;
  model: string;
  /** What an agent is told, no person has written. */
  isAgent: boolean;
  prompt: ContentBlock[];
  uuid: string;
  /** Uuids of the prompt's record, and of all that come of it. */
  said: string[];
  cancel: Cancel;
  /** What begins a session has been told: what comes is of the prompt. */
  onBegun: () => void;
  /** Skills and files the prompt names; a Terminal where one is refused. */
  expand: () => AsyncGenerator<QueryEvent, Terminal | null>;
}

/** Yields what was recorded of it, answers the Terminal of a turn that ends here. */
export async function* openTurn(intake: Intake, opening: TurnOpening): AsyncGenerator<QueryEvent, Terminal | null> {
  const { news, beginning, isAgent, prompt, said, cancel, onBegun, expand } = opening;
  const failed = yield* tellNews(intake, news);
  if (failed !== null) return { reason: "model_error", error: failed };
  const stopped = yield* beginning.tell(intake, opening);
  if (stopped !== null || isAgent) return stopped;
  onBegun();
  const refused = yield* noted(askSubmitHooks(intake, prompt, said, cancel), said);
  // Hooks that were ended have not let it pass.
  if (refused !== null || (cancel.signal.aborted && intake.hooks.has("UserPromptSubmit"))) return refused;
  return yield* noted(expand(), said);
}

/** What was found on the way stays, whatever becomes of the prompt. */
async function* noted<R>(telling: AsyncGenerator<QueryEvent, R>, said: string[]): AsyncGenerator<QueryEvent, R> {
  let step = await telling.next();
  try {
    for (; step.done !== true; step = await telling.next()) {
      if (isOfPrompt(step.value)) said.push(step.value.uuid);
      yield step.value;
    }
    return step.value;
  } finally {
    if (step.done !== true) await telling.return(undefined as never);
  }
}

function isOfPrompt(event: QueryEvent): event is Message {
  if (event.type !== "attachment") return event.type === "user";
  const { attachment } = event;
  return attachment.kind === "hook_context" || (attachment.kind === "reminder" && attachment.name === "mentioned_file");
}
