/** Tools whose calls are for people to answer: offered where one can be asked, since elsewhere each call would be refused. */
import type { Tool } from "../../protocol/tool.ts";
import type { EngineOptions } from "../options.ts";

export function canAsk({ ask, permissionPromptToolName: prompter }: EngineOptions): boolean {
  return ask !== undefined || prompter !== undefined;
}

export function answerable(tools: readonly Tool[], options: EngineOptions): readonly Tool[] {
  return canAsk(options) ? tools : tools.filter((tool) => tool.requiresUserInteraction !== true);
}
