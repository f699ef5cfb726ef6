/** Tools whose calls are for people to answer: offered where one can be asked, or a hook answers, since elsewhere each call would be refused. */
import { isRecord } from "../../lib/is-record.ts";
import type { Tool } from "../../protocol/tool.ts";
import { hooksThatRun } from "../../settings/policy.ts";
import type { Settings } from "../../settings/settings.ts";
import type { EngineOptions } from "../options.ts";

const answering = ["PreToolUse", "PermissionRequest"] as const;

export function canAsk({ ask, permissionPromptToolName: prompter }: EngineOptions): boolean {
  return ask !== undefined || prompter !== undefined;
}

/** Whether calls of the tool of that name may have an answer. */
export function canAnswer(name: string, options: EngineOptions, settings: Settings): boolean {
  if (canAsk(options)) return true;
  const given = [options.hooks, ...hooksThatRun(settings).map(({ value }) => value)];
  return given.some((hooks) => answering.some((event) => isRecord(hooks) && namesIn(hooks[event]).includes(name)));
}

export function answerable(tools: readonly Tool[], options: EngineOptions, settings: Settings): readonly Tool[] {
  return tools.filter((tool) => tool.requiresUserInteraction !== true || canAnswer(tool.name, options, settings));
}

/** A hook of every call is not meant as a person's answer: one that is names the tool. */
function namesIn(entries: unknown): string[] {
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry: unknown) => {
    const matcher = isRecord(entry) ? entry["matcher"] : undefined;
    return typeof matcher === "string" ? matcher.split(/\W+/u) : [];
  });
}
