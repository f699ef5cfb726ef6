/** The output style a session is given: what settings name, where there is such a style. */
import {
  chooseStyle,
  builtInStyles,
  findStyles,
  type FoundStyles,
  type OutputStyle,
} from "../../knowledge/output-styles.ts";
import { knowledgeRoots, type KnowledgePlaces } from "../../knowledge/places.ts";
import { findRepository } from "../../knowledge/git-folder.ts";

export interface StylePlaces extends KnowledgePlaces {
  trusts: (path: string, text: string) => boolean;
}

export async function listStyles(places: StylePlaces): Promise<FoundStyles> {
  const { policy, user, project } = knowledgeRoots(places);
  const bounds = [findRepository(places.cwd) ?? places.cwd, places.pawlHome, places.claudeHome];
  return await findStyles({ roots: [...policy, ...user, ...project], bounds, trusts: places.trusts });
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
