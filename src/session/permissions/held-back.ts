/** Which files a search of a folder keeps to itself: those whose reading would be asked about, by a rule, or because their names say that they hold secrets. */
import { trackedLookup } from "../../permissions/git/git-tracked.ts";
import type { RulesInForce } from "../../permissions/permission-options.ts";
import type { Permissions } from "../../permissions/permissions.ts";
import { mayBeSecret } from "../../permissions/paths/secret-names.ts";
import { isPackaged } from "../../permissions/files/tree-walk.ts";

/** For one search. As of commands: what git tracks, and what packages bring, is there for all who have them; a rule of its own counts all the same. */
export function heldBack(permissions: Pick<Permissions, "explain" | "rules">): (path: string) => Promise<boolean> {
  const isTracked = trackedLookup();
  const isAsked = permissions.rules().ask.some(asksAboutFiles);
  return async (path) => {
    const isSecret = mayBeSecret(path);
    if (!isSecret && !isAsked) return false;
    const { decision, rule } = await permissions.explain("Grep", { path }, true);
    if (decision === "allow") return false;
    return rule !== null || (isSecret && !(isPackaged(path) || isTracked(path)));
  };
}

function asksAboutFiles({ specifiers }: RulesInForce["ask"][number]): boolean {
  return specifiers.some((specifier) => specifier.kind === "path" && specifier.access === "read");
}
