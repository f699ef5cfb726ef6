/** Where links in the user's own folders lead, for permissions and the sandbox. */
import { join } from "node:path";
import { linkedPlaces, type LinkedPlace } from "../../permissions/paths/linked-places.ts";
import { claudeHome } from "../../settings/paths.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

/** Looked up once, and not before it is asked for. */
export function linkedOf({
  env,
  home,
  pawlHome,
  machine,
}: Pick<Surroundings, "env" | "home" | "pawlHome" | "machine">): () => readonly LinkedPlace[] {
  let found: readonly LinkedPlace[] | undefined;
  return () => (found ??= linkedPlaces([claudeHome(env, home), pawlHome, join(home, ".agents")], home, machine.paths));
}
