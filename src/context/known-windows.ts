/** Windows that servers stated, or that had to be guessed: a proxy or a local model may have a smaller window than the catalogue says. */
import { totalInputTokens, type ContextInput, type ModelInfo } from "../protocol/index.ts";
import type { World } from "./layer.ts";
import { lastCountedResponse } from "./measure.ts";

/** Records a model's window. A server's window is remembered beyond this process; an account's limit is not, because it may be raised. */
export function recordWindow(
  world: World,
  modelId: string,
  { maximum, isRate = false }: { maximum: number; isRate?: boolean | undefined },
): void {
  const { memory } = world;
  if (!Number.isSafeInteger(maximum) || maximum <= 0) return;
  if (isRate) {
    memory.rateLimits.set(modelId, maximum);
    return;
  }
  memory.guesses.delete(modelId);
  if (memory.windows.get(modelId) === maximum) return;
  memory.windows.set(modelId, maximum);
  world.onWindow?.(memory.windows);
}

/** The refused request's size is an estimate; this share of it is certainly smaller than the real size. */
const guessShare = 0.9;

/** Records a guess. It applies until the window is known better, and in this process only. */
export function guessWindow({ memory }: World, modelId: string, refusedTokens: number): void {
  const tokens = Math.floor(refusedTokens * guessShare);
  if (Number.isSafeInteger(tokens) && tokens > 0) memory.guesses.set(modelId, { tokens, refusedTokens });
}

/**
 * Corrects a guess by what was answered since: answered requests fit, so the guess is at least that large. If even the refused size was
 * answered, the refusal had another reason, and the guess is dropped, once: if the same guess is made again, the estimates are off, and
 * dropping it again would make every such request be refused. After a change of model, another server may be behind it, so all guesses are
 * dropped.
 */
export function correctGuess({ memory }: World, { messages, model }: ContextInput): void {
  if ((memory.lastModel ?? model.id) !== model.id) memory.guesses.clear();
  memory.lastModel = model.id;
  const guess = memory.guesses.get(model.id);
  const end = guess === undefined ? undefined : lastCountedResponse(messages)?.end;
  if (guess === undefined || end?.model !== model.id) return;
  const answered = totalInputTokens(end.usage) + end.usage.outputTokens;
  if (answered >= guess.refusedTokens && !memory.droppedGuesses.has(model.id)) {
    memory.droppedGuesses.add(model.id);
    memory.guesses.delete(model.id);
  } else if (answered > guess.tokens) guess.tokens = answered;
}

export function knownWindow({ memory }: World, { id, contextWindow }: ModelInfo): number {
  const statedWindow = memory.windows.get(id) ?? contextWindow;
  return Math.min(
    statedWindow,
    memory.rateLimits.get(id) ?? statedWindow,
    memory.guesses.get(id)?.tokens ?? statedWindow,
  );
}
