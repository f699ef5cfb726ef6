/** How much a model thinks for a summary, and which earlier thinking it gets. */
import {
  mostThinking,
  type ApiMessage,
  type Message,
  type ModelFailure,
  type ModelInfo,
  type ThinkingSetting,
} from "../protocol/index.ts";
import { holdsUnsigned } from "../protocol/thinking.ts";
import { lacksItsThinking, takesBudget } from "../protocol/turn-thinking.ts";
import type { World } from "./layer.ts";

interface Asked {
  model: ModelInfo;
  /** `max_tokens` of the conversation's own requests. */
  maxTokens: number;
}

/** Uses the setting of the conversation's requests, to hit their cache. A fixed budget is cut to what those requests' length allowed. */
export function thinkingOf(world: World, { model, maxTokens }: Asked): ThinkingSetting {
  const thinking = thinkingFor(world, model);
  if (thinking.type !== "enabled") return thinking;
  return { ...thinking, budgetTokens: Math.min(thinking.budgetTokens, mostThinking(maxTokens)) };
}

/** Uses the setting of the conversation's own request: thinking is disabled if thinking of the current turn is not sent. */
export function thinkingIn(
  world: World,
  task: Asked,
  [messages, sent]: [readonly Message[], readonly ApiMessage[]],
): ThinkingSetting {
  const thinking = thinkingOf(world, task);
  const isLacking = takesBudget(thinking, task.model) && lacksItsThinking(messages, sent, task.model);
  return isLacking ? { type: "disabled" } : thinking;
}

/** Uses the requested setting, unless the server misses thinking that it cannot be given. */
export function thinkingFor(world: World, { id }: ModelInfo): ThinkingSetting {
  return world.memory.unthinking.has(id) ? { type: "disabled" } : world.requestBase().thinking;
}

/** Returns true if the next request will include unsigned thinking that the server missed. */
export function learnsUnsigned(
  world: World,
  { id, unsignedThinking }: ModelInfo,
  messages: readonly Message[],
  { thinkingMissed, isOfTurn }: ModelFailure,
): boolean {
  const isSent = unsignedThinking === true && world.requestBase().thinking.type !== "disabled";
  if (thinkingMissed !== true || isOfTurn === true || isSent) return false;
  if (world.memory.unsigned.has(id) || !holdsUnsigned(messages, id)) return false;
  world.memory.unsigned.add(id);
  return true;
}

/** Returns true if the next request will be made without thinking. */
export function learnsMissed({ memory }: World, { id }: ModelInfo, { thinkingMissed }: ModelFailure): boolean {
  if (thinkingMissed !== true || memory.unthinking.has(id)) return false;
  memory.unthinking.add(id);
  return true;
}
