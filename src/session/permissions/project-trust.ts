/** What a folder's own settings would do, whether the user trusts them, and how to change that. */
import { realpathSync } from "node:fs";
import { UsageError } from "../../lib/usage-error.ts";
import type { ProjectSettings } from "../../settings/load.ts";
import { addTrust, readTrust, revokeTrust, type TrustedFolder } from "../../settings/trust.ts";
import { surroundingsWithoutKey } from "../surroundings/read-surroundings.ts";
import type { EngineOptions } from "../options/options.ts";

export interface TrustDesk {
  /** Undefined if the folder has no settings of its own. */
  project?: ProjectSettings;
  trusted(): TrustedFolder[];
  /** Throws `UsageError` if nothing in the folder needs trust. */
  add(): Promise<void>;
  /** Returns false if the folder was not trusted. */
  revoke(folder: string): Promise<boolean>;
}

export function openTrustDesk(options: EngineOptions): TrustDesk {
  const { pawlHome, project, clock, cwd } = surroundingsWithoutKey(options);
  return {
    ...(project === undefined ? {} : { project }),
    trusted: () => readTrust(pawlHome),
    async add() {
      if (project === undefined || project.wants.length === 0)
        throw new UsageError(`${cwd} has no settings of its own that need trust.`);
      if (project.hash === undefined)
        throw new UsageError(
          `${cwd} holds too much in its hook folders to look at, so it cannot be trusted as a whole.`,
        );
      await addTrust(pawlHome, realpathSync(cwd), project.hash, clock.timestamp());
    },
    revoke: (folder) => revokeTrust(pawlHome, folder),
  };
}
