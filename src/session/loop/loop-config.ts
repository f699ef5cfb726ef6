/** The loop's configuration for one user turn, from what is chosen when it begins, and the model chosen by now. */
import type { ChosenModel, LoopConfig } from "../../loop/ports.ts";
import type { Joined } from "../joined.ts";

export function chosenModelOf({ models, selected }: Pick<Joined, "models" | "selected">): ChosenModel {
  const { current: model, effort } = selected;
  return { model, thinking: models.thinkingOf(model, effort), effort: models.effortOf(model, effort) };
}

export function loopConfigOf(joined: Joined): LoopConfig {
  const { options, models, system, store } = joined;
  const { maxOutputTokens, taskBudget, speed } = models.wishes;
  const { thinking, effort } = chosenModelOf(joined);
  const isOwn = options.subagent === undefined;
  return {
    sessionId: store.sessionId,
    system,
    fallbackModels: models.fallbacks,
    thinking,
    effort,
    maxOutputTokens,
    querySource: isOwn ? (options.headless === true ? "sdk" : "main") : "subagent",
    taskBudget,
    speed,
    includeRawEvents: options.includePartialMessages === true,
  };
}
