/** Windows that servers told: a proxy's or a local model's may be smaller than the catalogue says. */
import type { World } from "./layer.ts";

/** From now on the model's window is taken for no other; what told it is remembered beyond this process. */
export function believeWindow(world: World, modelId: string, tokens: number): void {
  if (!Number.isSafeInteger(tokens) || tokens <= 0 || world.memory.windows.get(modelId) === tokens) return;
  world.memory.windows.set(modelId, tokens);
  world.onWindow?.(world.memory.windows);
}
