/** Decides which files a project's memory files may not import, before anybody could be asked. */
import { createTrackedTest } from "../git/git-tracked.ts";
import { mayBeSecret } from "./secret-names.ts";

/** True for a file with a secret-looking name that git does not track. `name`: relative to the project; `path`: its real path. */
export function isSecretImport(name: string, path: string): boolean {
  return mayBeSecret(name) && !createTrackedTest()(path);
}
