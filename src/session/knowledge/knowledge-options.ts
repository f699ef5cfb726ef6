/** Where skills, commands and agents are looked for. */
import { resolve } from "node:path";
import type { KnowledgeOptions } from "../../knowledge/load-knowledge.ts";
import { claudeHome } from "../../settings/paths.ts";
import type { EngineOptions } from "../options/options.ts";
import { pluginWishes } from "../plugins/wishes.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { createTextTrust } from "./trusted.ts";

export function knowledgeOptions(options: EngineOptions, around: Surroundings): KnowledgeOptions {
  const { cwd, env, home, pawlHome } = around;
  const places = { cwd, pawlHome, claudeHome: claudeHome(env, home) };
  const sources = options.settingSources === undefined ? {} : { sources: options.settingSources };
  const plugins = pluginWishes(options, around.settings);
  const addedFolders = options.addDirs?.map((folder) => resolve(cwd, folder));
  return { ...places, ...sources, home, addedFolders, plugins, trusts: createTextTrust(around) };
}
