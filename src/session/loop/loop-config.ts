/** The loop's configuration for one user turn: fixed for the turn, from what is chosen when it begins. */
import type { LoopConfig } from "../../loop/ports.ts";
import type { Joined } from "../joined.ts";

export function loopConfigOf({ options, models, system, selected, store }: Joined): LoopConfig {
  const { maxOutputTokens, taskBudget, speed } = models.wishes;
  const isOwn = options.subagent === undefined;
  return {
    sessionId: store.sessionId,
    system,
    fallbackModels: models.fallbacks,
    thinking: models.thinkingOf(selected.current, selected.effort),
    effort: models.effortOf(selected.current, selected.effort),
    maxOutputTokens,
    querySource: isOwn ? (options.headless === true ? "sdk" : "main") : "subagent",
    taskBudget,
    speed,
    includeRawEvents: options.includePartialMessages === true,
  };
}
