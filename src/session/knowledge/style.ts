/** The output style a session is given: what settings name, where there is such a style. */
import { join } from "node:path";
import {
  chooseStyle,
  builtInStyles,
  findStyles,
  type FoundStyles,
  type OutputStyle,
} from "../../knowledge/output-styles.ts";
import { knowledgeRoots, type KnowledgePlaces } from "../../knowledge/places.ts";
import type { Plugin } from "../../knowledge/plugins.ts";
import type { Joined } from "../joined.ts";
import { knowledgeOptions } from "./knowledge-options.ts";

export interface StylePlaces extends KnowledgePlaces {
  /** Plugins. */
  brought: readonly Plugin[];
  trusts: (path: string, text: string) => boolean;
}

type StyleRooms = Pick<Joined, "options" | "around" | "knowledge" | "style">;

export async function listStyles(places: StylePlaces): Promise<FoundStyles> {
  const { policy, user, project, top } = knowledgeRoots(places);
  const { brought, trusts } = places;
  const own = [top, places.pawlHome, places.claudeHome];
  const bounds = [...own, ...brought.map(({ root }) => root)];
  const folders = [...policy, ...user, ...project].map(({ folder, source }) => ({
    folder: join(folder, "output-styles"),
    source,
  }));
  const plugins = brought.flatMap(({ name: prefix, styles }) =>
    styles.map((folder) => ({ folder, source: "plugin" as const, prefix })),
  );
  return await findStyles({ places: [...folders, ...plugins], bounds, trusts });
}

export async function findStyle(
  wanted: string,
  places: StylePlaces,
  notice: (text: string) => void,
): Promise<OutputStyle | undefined> {
  const { styles } = await listStyles(places);
  const style = chooseStyle(wanted, styles);
  const names = [...styles, ...builtInStyles].map(({ name }) => name).join(", ");
  if (style === undefined) notice(`There is no output style "${wanted}"; there are default, ${names}.`);
  return style;
}

export function isStyle(wanted: string, styles: readonly OutputStyle[]): boolean {
  return wanted.toLowerCase() === "default" || chooseStyle(wanted, styles) !== undefined;
}

/** Of all there are now, those of pawl first. */
export async function styleNames({ options, around, knowledge, style }: StyleRooms): Promise<string[]> {
  const places = { ...knowledgeOptions(options, around), brought: knowledge.plugins };
  const { styles } = await listStyles(places);
  const names = [...builtInStyles, ...styles].map(({ name }) => name);
  return [...new Set(["default", ...(style === undefined ? [] : [style.name]), ...names])];
}
