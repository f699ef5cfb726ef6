/** The output style of a session: the one that settings name, if it exists. */
import { join } from "node:path";
import {
  chooseStyle,
  builtInStyles,
  findStyles,
  forcedStyle,
  type FoundStyles,
  type OutputStyle,
} from "../../knowledge/output-styles.ts";
import type { Knowledge } from "../../knowledge/load-knowledge.ts";
import { knowledgeRoots, type KnowledgePlaces } from "../../knowledge/knowledge-places.ts";
import type { Plugin } from "../../knowledge/plugins.ts";
import type { EngineOptions } from "../options/options.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { knowledgeOptions } from "./knowledge-options.ts";

export interface StylePlaces extends KnowledgePlaces {
  /** Plugins that may bring styles. */
  stylePlugins: readonly Plugin[];
  trusts: (path: string, text: string) => boolean;
}

interface StyleRooms {
  options: EngineOptions;
  around: Surroundings;
  knowledge: Knowledge;
  /** Undefined for the default. */
  style: OutputStyle | undefined;
}

export async function listStyles(places: StylePlaces): Promise<FoundStyles> {
  const { policy, user, project, top } = knowledgeRoots(places);
  const { stylePlugins, trusts } = places;
  const own = [top, places.pawlHome, places.claudeHome];
  const bounds = [...own, ...stylePlugins.map(({ root }) => root)];
  const folders = [...policy, ...user, ...project].map(({ folder, source }) => ({
    folder: join(folder, "output-styles"),
    source,
  }));
  const plugins = stylePlugins.flatMap(({ name: prefix, styles }) =>
    styles.map((folder) => ({ folder, source: "plugin" as const, prefix })),
  );
  return await findStyles({ places: [...folders, ...plugins], bounds, trusts });
}

/** Undefined for the default. */
export async function findStyle(
  styleName: string,
  places: StylePlaces,
  notice: (text: string) => void,
): Promise<OutputStyle | undefined> {
  const { styles } = await listStyles(places);
  const forced = forcedStyle(styles);
  const chosenStyle = isDefault(styleName) ? undefined : chooseStyle(styleName, styles);
  if (forced !== undefined) {
    if (chosenStyle !== undefined && chosenStyle !== forced)
      notice(`The output style "${forced.name}", which its plugin forces, replaces "${chosenStyle.name}".`);
    return forced;
  }
  const names = [...styles, ...builtInStyles].map(({ name }) => name).join(", ");
  if (chosenStyle === undefined && !isDefault(styleName))
    notice(`There is no output style "${styleName}"; the styles are default, ${names}.`);
  return chosenStyle;
}

function isDefault(styleName: string): boolean {
  return styleName.toLowerCase() === "default";
}

/** The style in force, given what settings name and which styles exist: its name, and whether it exists. */
export function styleInForce(styleName: string, styles: readonly OutputStyle[]): { chosen: string; isThere: boolean } {
  const forced = forcedStyle(styles);
  if (forced !== undefined) return { chosen: forced.name, isThere: true };
  return { chosen: styleName, isThere: isDefault(styleName) || chooseStyle(styleName, styles) !== undefined };
}

/** All styles available now, pawl's own first. */
export async function styleNames({ options, around, knowledge, style }: StyleRooms): Promise<string[]> {
  const places = { ...knowledgeOptions(options, around), stylePlugins: knowledge.plugins };
  const { styles } = await listStyles(places);
  const names = [...builtInStyles, ...styles].map(({ name }) => name);
  return [...new Set(["default", ...(style === undefined ? [] : [style.name]), ...names])];
}
