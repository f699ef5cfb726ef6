/** Which files a search of a folder keeps to itself: those whose names say that they hold secrets, where reading them would be asked about. */
import { isTracked } from "../../permissions/git-tracked.ts";
import type { Permissions } from "../../permissions/permissions.ts";
import { mayBeSecret } from "../../permissions/secret-names.ts";
import { isPackaged } from "../../permissions/tree-walk.ts";

/** As of commands: what git tracks, and what packages bring, is there for all who have them; a rule of its own counts all the same. */
export async function isHeldBack(path: string, permissions: Pick<Permissions, "explain">): Promise<boolean> {
  if (!mayBeSecret(path)) return false;
  const { decision, rule } = await permissions.explain("Grep", { path }, true);
  if (decision === "allow") return false;
  return rule !== null || !(isPackaged(path) || isTracked(path));
}
