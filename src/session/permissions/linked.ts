/** Where links in the user's own folders lead, for permissions and the sandbox. */
import { join } from "node:path";
import { linkedPlaces, type LinkedPlace } from "../../permissions/paths/linked-places.ts";
import { claudeHome } from "../../settings/paths.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

/** Looked up once, and not before it is asked for. */
export function linkedOf(
  { env, home, pawlHome, machine }: Pick<Surroundings, "env" | "home" | "pawlHome" | "machine">,
  notice?: (text: string) => void,
): () => readonly LinkedPlace[] {
  let found: readonly LinkedPlace[] | undefined;
  const folders = [claudeHome(env, home), pawlHome, join(home, ".agents")];
  const text = `There is more in ${folders.join(", ")} than can be looked at for links: what some of them lead to is not protected as what lies there is.`;
  return () => (found ??= linkedPlaces(folders, home, machine.paths, () => notice?.(text)));
}
