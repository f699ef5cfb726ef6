/** Where links in the user's own configuration folders lead, for permissions and the sandbox. */
import { join } from "node:path";
import { linkedPlaces, type LinkedPlace } from "../../permissions/paths/linked-places.ts";
import { claudeHome } from "../../settings/paths.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

/** One list per session, shared with its agents. */
const placesBySession = new WeakMap<Surroundings, readonly LinkedPlace[]>();

/** Looked up once, when first asked for. */
export function linkedPlacesOf(around: Surroundings): () => readonly LinkedPlace[] {
  return () => {
    const places = placesBySession.get(around) ?? findLinkedPlaces(around);
    placesBySession.set(around, places);
    return places;
  };
}

function findLinkedPlaces({ env, home, pawlHome, machine, notice }: Surroundings): readonly LinkedPlace[] {
  const folders = [claudeHome(env, home), pawlHome, join(home, ".agents")];
  const text = `There is too much in ${folders.join(", ")} to look through for links: the targets of some links are not protected like the files there.`;
  return linkedPlaces(folders, home, machine.paths, () => notice(text));
}
