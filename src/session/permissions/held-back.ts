/** Decides which files a folder search leaves out: files whose reading would be asked about, by a rule or for a secret-looking name. */
import { createTrackedTest } from "../../permissions/git/git-tracked.ts";
import type { RulesInForce } from "../../permissions/permission-options.ts";
import type { Permissions } from "../../permissions/permissions.ts";
import { mayBeSecret } from "../../permissions/paths/secret-names.ts";
import { isInPackage } from "../../permissions/files/tree-walk.ts";

/**
 * Returns the check for one search. Secret-looking files that git tracks or packages contain are not held back, as for commands: everyone
 * who has the repository or package has them. A rule that asks about the file still holds it back.
 */
export function createHeldBackCheck(
  permissions: Pick<Permissions, "explain" | "rules">,
): (path: string) => Promise<boolean> {
  const isTracked = createTrackedTest();
  const isAsked = permissions.rules().ask.some(asksAboutFiles);
  return async (path) => {
    const isSecret = mayBeSecret(path);
    if (!isSecret && !isAsked) return false;
    const { decision, rule } = await permissions.explain("Grep", { path }, true);
    if (decision === "allow") return false;
    return rule !== null || (isSecret && !(isInPackage(path) || isTracked(path)));
  };
}

function asksAboutFiles({ specifiers }: RulesInForce["ask"][number]): boolean {
  return specifiers.some((specifier) => specifier.kind === "path" && specifier.access === "read");
}
