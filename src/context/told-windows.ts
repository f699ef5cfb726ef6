/** Windows that servers told, or let guess: a proxy's or a local model's may be smaller than the catalogue says. */
import { totalInputTokens, type ContextInput, type ModelInfo } from "../protocol/index.ts";
import type { World } from "./layer.ts";
import { lastCounted } from "./measure.ts";

/** From now on the model's window is taken for no other; a server's is remembered beyond this process, an account's is not: it may be raised. */
export function believeWindow(
  world: World,
  modelId: string,
  { maximum, isRate = false }: { maximum: number; isRate?: boolean | undefined },
): void {
  const { memory } = world;
  if (!Number.isSafeInteger(maximum) || maximum <= 0) return;
  if (isRate) {
    memory.rates.set(modelId, maximum);
    return;
  }
  memory.guesses.delete(modelId);
  if (memory.windows.get(modelId) === maximum) return;
  memory.windows.set(modelId, maximum);
  world.onWindow?.(memory.windows);
}

/** What is surely smaller than the refused request, which is an estimate. */
const surelySmaller = 0.9;

/** Held to until it is known better, and in this process alone. */
export function guessWindow({ memory }: World, modelId: string, refused: number): void {
  const tokens = Math.floor(refused * surelySmaller);
  if (Number.isSafeInteger(tokens) && tokens > 0) memory.guesses.set(modelId, { tokens, refused });
}

/**
 * What was answered since fits: a guess is no smaller, and one that was refused for something else is given up, once: where the
 * next guess is the same the estimates are off, and giving it up again would have every such request refused. A model that was
 * chosen anew may have another server behind it.
 */
export function correctGuess({ memory }: World, { messages, model }: ContextInput): void {
  if ((memory.lastModel ?? model.id) !== model.id) memory.guesses.clear();
  memory.lastModel = model.id;
  const guess = memory.guesses.get(model.id);
  const end = guess === undefined ? undefined : lastCounted(messages)?.end;
  if (guess === undefined || end?.model !== model.id) return;
  const answered = totalInputTokens(end.usage) + end.usage.outputTokens;
  if (answered >= guess.refused && !memory.misled.has(model.id)) {
    memory.misled.add(model.id);
    memory.guesses.delete(model.id);
  } else if (answered > guess.tokens) guess.tokens = answered;
}

export function believedWindow({ memory }: World, { id, contextWindow }: ModelInfo): number {
  const told = memory.windows.get(id) ?? contextWindow;
  return Math.min(told, memory.rates.get(id) ?? told, memory.guesses.get(id)?.tokens ?? told);
}
