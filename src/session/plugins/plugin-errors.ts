/** The plugins of a session that are missing or incomplete. */
import { normalize } from "node:path";
import { isWithin } from "../../lib/is-within.ts";
import type { Knowledge } from "../../knowledge/load-knowledge.ts";
import type { KnowledgeProblem } from "../../protocol/knowledge.ts";
import type { EngineOptions } from "../options/options.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { pluginWishes } from "./wishes.ts";

/** `explicitFolders`: plugin folders that were named explicitly. */
export function explicitPluginProblems(
  { plugins, problems }: Knowledge,
  explicitFolders: readonly string[],
): KnowledgeProblem[] {
  const roots = [...plugins.map(({ root }) => root), ...explicitFolders.map((folder) => normalize(folder))];
  const isLost = (path: string): boolean =>
    explicitFolders.includes(path) || (path.endsWith(".json") && roots.some((root) => isWithin(path, root)));
  return problems.filter(({ path }) => isLost(path) || /^[^/\\]+@/u.test(path));
}

interface PluginRooms {
  knowledge: Knowledge;
  options: EngineOptions;
  around: Pick<Surroundings, "settings">;
}

/** The errors in the form of `system/init`; absent if there are none. */
export function pluginErrors({ knowledge, options, around }: PluginRooms): {
  plugin_errors?: { plugin: string; type: string; message: string }[];
} {
  if (knowledge.problems.length === 0) return {};
  const lost = explicitPluginProblems(knowledge, pluginWishes(options, around.settings).dirs);
  const errors = lost.map(({ path: plugin, reason: message }) => ({ plugin, type: "generic-error", message }));
  return errors.length === 0 ? {} : { plugin_errors: errors };
}
