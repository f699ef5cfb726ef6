/** What Ctrl+C and Esc end: a question, the running turn, or the conversation. */
import type { Engine } from "../engine-port.ts";
import type { BackgroundNews } from "./background-news.ts";
import type { Keyboard } from "./keyboard.ts";
import type { QuestionQueue } from "./question-queue.ts";
import type { Screen } from "./screen.ts";
import type { Turns } from "./turns.ts";
import type { View } from "./view.ts";

interface InterruptsContext {
  screen: Screen;
  view: View;
  keyboard: Keyboard;
  questionQueue: QuestionQueue;
  turns: Turns;
  backgroundNews: BackgroundNews;
  engine: () => Engine | undefined;
  /** Ends the conversation. */
  leave: () => void;
  /** Ends it without waiting for the running turn. */
  leaveNow: () => void;
}

export class Interrupts {
  readonly #context: InterruptsContext;

  constructor(context: InterruptsContext) {
    this.#context = context;
  }

  onControlC(): void {
    const { turns, screen, keyboard, questionQueue, view, backgroundNews, leave, leaveNow } = this.#context;
    if (turns.isRunning) {
      if (!turns.wasInterrupted) return this.#interrupt();
      if (screen.isHeld) keyboard.wipe();
      leaveNow();
    } else if (!questionQueue.giveUp() && keyboard.takeText() === "")
      return view.handleLateInterrupt() ? backgroundNews.hold() : leave();
  }

  /** Never exits, however often Esc is pressed. Returns whether Esc had an effect. */
  onEscape(): boolean {
    const { turns, questionQueue } = this.#context;
    if (questionQueue.refuse()) return true;
    if (turns.isRunning && !turns.wasInterrupted) this.#interrupt();
    return turns.isRunning;
  }

  #interrupt(): void {
    const { turns, questionQueue, view, engine } = this.#context;
    turns.interrupt(engine());
    if (!questionQueue.decline()) engine()?.interrupt("user");
    view.showInterrupt(questionQueue.isOpen);
  }
}
