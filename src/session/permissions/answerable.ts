/** Tools whose calls are for people to answer: offered where one can be asked, since elsewhere each call would be refused. */
import type { Tool } from "../../protocol/tool.ts";
import type { EngineOptions } from "../options.ts";

export function answerable(
  tools: readonly Tool[],
  { ask, permissionPromptToolName: prompter }: EngineOptions,
): readonly Tool[] {
  const canAsk = ask !== undefined || prompter !== undefined;
  return canAsk ? tools : tools.filter((tool) => tool.requiresUserInteraction !== true);
}
