/** Detects options in the form of agent SDKs: the translation is not loaded for others. */
import { isRecord } from "../../lib/is-record.ts";
import type { EngineOptions } from "../options/options.ts";
import { translatedKind } from "../options/convention-rules.ts";
import type { QueryOptions } from "../options/query-options.ts";

export function isEngineOptions(options: QueryOptions): options is EngineOptions {
  const { hooks, debug, systemPrompt, tools, settings, agents } = options;
  return (
    Object.entries(options).every(([name, value]) => value === undefined || translatedKind(name) === undefined) &&
    typeof debug !== "boolean" &&
    (systemPrompt === undefined || typeof systemPrompt === "string") &&
    !isRecord(tools) &&
    !isRecord(settings) &&
    !Object.values(hooks ?? {}).some(
      (list) => Array.isArray(list) && list.some((entry) => isRecord(entry) && "hooks" in entry),
    ) &&
    !Object.values(agents ?? {}).some((agent) => isRecord(agent) && "omitClaudeMd" in agent)
  );
}
