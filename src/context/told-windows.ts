/** Windows that servers told: a proxy's or a local model's may be smaller than the catalogue says. */
import type { World } from "./layer.ts";

/** From now on the model's window is taken for no other; what told it is remembered beyond this process. */
export function believeWindow({ memory, onWindow }: World, modelId: string, tokens: number): void {
  if (!Number.isSafeInteger(tokens) || tokens <= 0 || memory.windows.get(modelId) === tokens) return;
  memory.windows.set(modelId, tokens);
  onWindow?.(memory.windows);
}
