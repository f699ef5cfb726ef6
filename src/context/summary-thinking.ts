/** How much a model thinks for a summary, and which earlier thinking it gets. */
import {
  mostThinking,
  type ApiMessage,
  type Message,
  type ModelFailure,
  type ModelInfo,
  type ThinkingSetting,
} from "../protocol/index.ts";
import { hasWithheldThinking } from "../protocol/thinking.ts";
import { isTurnThinkingMissing, sendsThinkingBudget } from "../protocol/turn-thinking.ts";
import type { World } from "./layer.ts";

interface ThinkingTask {
  model: ModelInfo;
  /** `max_tokens` of the conversation's own requests. */
  maxTokens: number;
}

/** Uses the setting of the conversation's requests, to hit their cache. A fixed budget is cut to what those requests' length allowed. */
export function thinkingWithinBudget(world: World, { model, maxTokens }: ThinkingTask): ThinkingSetting {
  const thinking = thinkingSetting(world, model);
  if (thinking.type !== "enabled") return thinking;
  return { ...thinking, budgetTokens: Math.min(thinking.budgetTokens, mostThinking(maxTokens)) };
}

/** Uses the setting of the conversation's own request: thinking is disabled if thinking of the current turn is not sent. */
export function thinkingForRequest(
  world: World,
  task: ThinkingTask,
  [messages, sent]: [readonly Message[], readonly ApiMessage[]],
): ThinkingSetting {
  const thinking = thinkingWithinBudget(world, task);
  const isLacking = sendsThinkingBudget(thinking, task.model) && isTurnThinkingMissing(messages, sent, task.model);
  return isLacking ? { type: "disabled" } : thinking;
}

/** Uses the requested setting, unless the server misses thinking that it cannot be given. */
export function thinkingSetting(world: World, { id }: ModelInfo): ThinkingSetting {
  return world.memory.modelsWithoutThinking.has(id) ? { type: "disabled" } : world.requestBase(id).thinking;
}

/** Returns true if the next request will include unsigned thinking that the server missed. */
export function learnToSendUnsigned(
  world: World,
  { id, unsignedThinking }: ModelInfo,
  messages: readonly Message[],
  { thinkingMissed, isOfTurn }: ModelFailure,
): boolean {
  const isSent = unsignedThinking === true && world.requestBase(id).thinking.type !== "disabled";
  if (thinkingMissed !== true || isOfTurn === true || isSent) return false;
  if (world.memory.modelsNeedingUnsigned.has(id) || !hasWithheldThinking(messages, id)) return false;
  world.memory.modelsNeedingUnsigned.add(id);
  return true;
}

/** Returns true if the next request will be made without thinking. */
export function learnToSkipThinking({ memory }: World, { id }: ModelInfo, { thinkingMissed }: ModelFailure): boolean {
  if (thinkingMissed !== true || memory.modelsWithoutThinking.has(id)) return false;
  memory.modelsWithoutThinking.add(id);
  return true;
}
