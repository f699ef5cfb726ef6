/** The sandbox of a session, if its settings want one: loaded, tested and joined with the session's permissions. */
import { arch } from "node:os";
import { join } from "node:path";
import { realPathOf } from "../../lib/path-status.ts";
import { temporaryFolder } from "../../lib/temporary-folder.ts";
import { UsageError } from "../../lib/usage-error.ts";
import type { SandboxPort } from "../../protocol/sandbox.ts";
import type { RulesInForce } from "../../permissions/permission-options.ts";
import type { Permissions } from "../../permissions/permissions.ts";
import { claimFolder, removeAbandonedFolders } from "../surroundings/owned-folder.ts";
import { linkedPlacesOf } from "./linked.ts";
import { protectedSteeringFiles, steeringOf, type Steering } from "./steering.ts";
import type { EngineOptions } from "../options/options.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

export interface SandboxParts {
  sandbox: SandboxPort;
  /** Absolute path of the folder for temporary files of sandboxed commands. */
  temporary: string;
  /**
   * Connects the sandbox to a session, once that exists. The permissions of the first session that joins apply: agents below it have no
   * more rights, and whatever it is allowed later also applies to them and to what its hooks start. Each session adds its folders for
   * long output.
   */
  join(joined: { permissions: Permissions; spills: readonly string[]; steering: Steering }): void;
}

/** The path of a socket file may have at most 107 characters in all. */
const maxPlaceChars = 40;

const basePrefix = "pawl-sandbox-";

const noRules: RulesInForce = { allow: [], deny: [], ask: [] };

/** Returns the real path: a link leads nowhere while the sandbox is being set up. */
function sandboxPlace(temporary: string): string {
  const real = realPathOf(temporary) ?? temporary;
  return real.length > maxPlaceChars ? (realPathOf("/tmp") ?? "/tmp") : real;
}

/** Returns undefined if commands run unconfined, with a notice if the settings want a sandbox. Throws `UsageError` if they require one. */
export async function composeSandbox(options: EngineOptions, around: Surroundings): Promise<SandboxParts | undefined> {
  const { settings, cwd, env, home, pawlHome, machine, clock, ids, notice } = around;
  if (settings.sandbox?.enabled !== true) return undefined;
  const { openSandbox } = await import("../../permissions/sandbox/sandbox.ts");
  const { releaseLeftoverFolders } = await import("../../permissions/sandbox/kept-empty.ts");
  let permissions: Permissions | undefined;
  const spilled = new Set<string>();
  const linked = linkedPlacesOf(around);
  let steering = steeringOf(options, around);
  const place = sandboxPlace(temporaryFolder(env));
  const base = join(place, `${basePrefix}${ids.uuid()}`);
  removeAbandonedFolders(place, basePrefix, machine.processes, clock.now(), releaseLeftoverFolders);
  const folders = [cwd, ...(options.addDirs ?? []), ...settings.permissions.additionalDirectories];
  const opened = await openSandbox({
    settings: settings.sandbox,
    platform: machine.platform,
    processor: arch(),
    environment: env,
    findRipgrep: async () =>
      await (
        await import("../../tools/search/ripgrep.ts")
      ).findRipgrepUncached({ environment: env, cwd: { get: () => cwd } }),
    clock,
    around: { cwd, home, reader: machine.paths },
    pawlHome,
    base,
    onBaseCreated: () => claimFolder(base, machine.processes),
    folders: () => permissions?.folders() ?? folders,
    spill: () => [...spilled],
    steeringPaths: () => [...linked().map(({ target }) => target), ...protectedSteeringFiles(steering())],
    notice,
    rules: () => permissions?.rules() ?? noRules,
    ...(options.ask === undefined
      ? {}
      : {
          askAboutHost: async (question, signal) => {
            if (permissions === undefined) throw new Error("No command runs before its session is joined.");
            return await permissions.askAboutHost(question, signal);
          },
        }),
  });
  if (opened.ok)
    return {
      sandbox: opened.sandbox,
      temporary: join(base, "tmp"),
      join(joined) {
        if (permissions === undefined) ({ permissions, steering } = joined);
        for (const folder of joined.spills) spilled.add(folder);
      },
    };
  if (settings.sandbox.failIfUnavailable)
    throw new UsageError(`The settings require a sandbox (sandbox.failIfUnavailable), but ${opened.why}.`);
  notice(
    `WARNING: the settings switch the sandbox on, but ${opened.why}. COMMANDS RUN WITHOUT A SANDBOX, under the permission rules alone.`,
  );
  return undefined;
}
