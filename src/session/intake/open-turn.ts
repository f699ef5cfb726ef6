/** Everything that happens between recording a prompt and asking the model. */
import type { QueryEvent } from "../../protocol/event.ts";
import type { HookEvent, HookInput } from "../../protocol/hook.ts";
import type { Attachment, ContentBlock } from "../../protocol/message.ts";
import type { Terminal } from "../../protocol/stop.ts";
import type { Cancel } from "../../loop/cancel.ts";
import { runStartHooks, runSubmitHooks, startHookInputs, recordNews, type Intake, type StartSource } from "./intake.ts";
import type { JudgedPrompt } from "./judged-prompt.ts";
import { terminalOf } from "./record-all.ts";
import { judgeEarlierPrompts, earlierUnjudged } from "./earlier-prompts.ts";

/** Runs the start hooks once, and again if they did not let the session begin or were cut off before they answered. */
export class StartHooks {
  /** Null once the hooks have run. */
  #source: StartSource | null;
  /** Events whose hooks have answered. */
  readonly #answered = new Set<HookEvent>();
  /** True once hooks were told of the beginning, and so have to be told of the end. */
  hasRun = false;

  constructor(source: StartSource) {
    this.#source = source;
  }

  get isDue(): boolean {
    return this.#source !== null;
  }

  /** An agent that is ended before this point has not begun, and so has no end to report. */
  async *run(
    intake: Intake,
    { judged: { uuid }, cancel, isAgent, model }: Pick<TurnOpening, "judged" | "cancel" | "isAgent" | "model">,
  ): AsyncGenerator<QueryEvent, Terminal | null> {
    const [source, hadRun, answered] = [this.#source, this.hasRun, this.#answered];
    if (source === null || (isAgent && cancel.signal.aborted)) return null;
    this.#source = null;
    this.hasRun = true;
    const all = startHookInputs(source, model, isAgent, intake.setup);
    const isAsked = ({ hook_event_name: event }: HookInput): boolean => intake.hooks.has(event) && !answered.has(event);
    try {
      const due = all.filter(isAsked);
      const stopped = yield* runStartHooks(intake, due, uuid, cancel, (event) => answered.add(event));
      if (stopped?.reason === "stop_hook_prevented") {
        this.hasRun = hadRun;
        answered.clear();
      }
      return stopped;
    } finally {
      if (all.some(isAsked)) this.#source = source;
    }
  }
}

export interface TurnOpening {
  /** What happened since the last turn. */
  news: readonly Attachment[];
  /** Files that changed since they were read. Files that the prompt names are shown as they are now, and are not among them. */
  changedFiles: () => readonly Attachment[];
  startHooks: StartHooks;
  model: string;
  /** True for an agent, whose prompts no person has written. */
  isAgent: boolean;
  prompt: ContentBlock[];
  judged: JudgedPrompt;
  cancel: Cancel;
  /** Called when the beginning has been reported: what follows belongs to the prompt. */
  onBegun: () => void;
  /** Expands skills and files that the prompt names; returns a Terminal if one is refused. */
  expand: () => AsyncGenerator<QueryEvent, Terminal | null>;
}

/** Yields what was recorded; returns the Terminal of a turn that ends here. */
export async function* openTurn(intake: Intake, opening: TurnOpening): AsyncGenerator<QueryEvent, Terminal | null> {
  const ended = yield* runOpeningHooks(intake, opening);
  if (ended !== null || opening.cancel.signal.aborted) return ended;
  return terminalOf(yield* recordNews(intake, opening.changedFiles()));
}

async function* runOpeningHooks(intake: Intake, opening: TurnOpening): AsyncGenerator<QueryEvent, Terminal | null> {
  const { news, startHooks, isAgent, prompt, judged, cancel, onBegun, expand } = opening;
  const failed = terminalOf(yield* recordNews(intake, news));
  if (failed !== null) return failed;
  const stopped = yield* startHooks.run(intake, opening);
  if (stopped !== null || isAgent) return stopped;
  onBegun();
  const ended = yield* judgeEarlierPrompts(intake, judged, cancel);
  // The remaining ones were cut off once more.
  if (ended !== null || earlierUnjudged(intake, judged).length > 0) return ended;
  const refused = yield* runSubmitHooks(intake, prompt, judged, cancel);
  if (refused !== null || judged.waitsFor("UserPromptSubmit")) return refused;
  return yield* expand();
}
