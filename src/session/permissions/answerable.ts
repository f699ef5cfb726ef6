/** Tools whose calls a person has to answer: only offered if a person can be asked or a hook answers, since they would all be refused. */
import { isRecord } from "../../lib/is-record.ts";
import type { Tool } from "../../protocol/tool.ts";
import { activeHooks } from "../../settings/policy.ts";
import type { Settings } from "../../settings/settings.ts";
import { enabledExtraHooks, type HookDefinitions } from "../hooks/extra-hooks.ts";
import type { EngineOptions } from "../options/options.ts";

const answeringEvents = ["PreToolUse", "PermissionRequest"] as const;

function canAsk({ ask, permissionPromptToolName: prompter }: EngineOptions): boolean {
  return ask !== undefined || prompter !== undefined;
}

/** Where answers may come from. */
export interface AnswerSources {
  options: EngineOptions;
  settings: Settings;
  /** Hooks of plugins. */
  pluginHooks: readonly HookDefinitions[];
}

/** Whether calls of the tool with this name can be answered. */
export function canAnswer(name: string, { options, settings, pluginHooks }: AnswerSources): boolean {
  if (canAsk(options)) return true;
  const configured = [...activeHooks(settings), ...enabledExtraHooks(pluginHooks, settings)];
  const hookValues = [options.hooks, ...configured.map(({ value }) => value)];
  return hookValues.some((hooks) =>
    answeringEvents.some((event) => isRecord(hooks) && matchedToolNames(hooks[event]).includes(name)),
  );
}

export function answerableTools(tools: readonly Tool[], sources: AnswerSources): readonly Tool[] {
  return tools.filter((tool) => tool.requiresUserInteraction !== true || canAnswer(tool.name, sources));
}

/** Returns the tool names in the matchers. A hook for every call does not answer for a person; a hook that does names its tool. */
function matchedToolNames(entries: unknown): string[] {
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry: unknown) => {
    const matcher = isRecord(entry) ? entry["matcher"] : undefined;
    return typeof matcher === "string" ? matcher.split(/\W+/u) : [];
  });
}
