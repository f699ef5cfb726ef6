/**
 * Trust belongs to content: a change that pawl writes to a folder's settings at the user's request would end it. So trust is carried over
 * to exactly the content that this one change makes of the trusted content; any other change made at the same moment still ends it.
 */
import { realPathOf } from "../../lib/path-status.ts";
import { createCachedEvidenceReader } from "../../settings/evidence.ts";
import { diskReader, loadSettings, type ProjectSettings, type SettingsReader } from "../../settings/load.ts";
import { pawlHome } from "../../settings/paths.ts";
import type { SessionTrust } from "../../settings/settings-watch.ts";
import { addTrust, folderInMainWorktree } from "../../settings/trust.ts";
import type { ConfigChangeResult } from "./config-change.ts";
import type { EngineOptions } from "../options/options.ts";
import { settingsOptions, createTrustCheck, type SettingsPlaces } from "./read-settings.ts";

export interface TrustKeeper {
  options: EngineOptions;
  places: SettingsPlaces;
  /** ISO 8601. */
  now: () => string;
  /** The session's own trust, such as from `--trust`; absent if there is none. */
  session?: SessionTrust | undefined;
  /** Whether a folder whose settings needed no trust so far gains trust for this change. */
  admitsFirst: boolean;
}

/** Called after `change` is written. Throws the file system's errors. */
export async function keepTrust(change: ConfigChangeResult, keeper: TrustKeeper): Promise<void> {
  await keepTrustIn(change, keeper);
  const { cwd } = keeper.places;
  // The local settings file also counts for the main work tree.
  const main = folderInMainWorktree(realPathOf(cwd) ?? cwd);
  if (main === undefined || realPathOf(main) === undefined) return;
  await keepTrustIn(change, { ...keeper, places: { ...keeper.places, cwd: main }, session: undefined });
}

async function keepTrustIn(change: ConfigChangeResult, keeper: TrustKeeper): Promise<void> {
  const { places, session, admitsFirst, now } = keeper;
  const home = pawlHome(places.env, places.home);
  const { before, after } = projectBeforeAndAfter(change, keeper);
  if (after?.hash === undefined || after.isTrusted) return;
  const wanted = before !== undefined && before.wants.length > 0;
  const isKnown = wanted
    ? before.hash !== undefined && createTrustCheck(home, places.notice)(places.cwd, before.hash)
    : admitsFirst;
  if (isKnown) await addTrust(home, places.cwd, after.hash, now());
  else if (wanted && before.hash !== undefined && session?.trusts(before.hash) === true) session.trust(after.hash);
}

/** Reads the folder's settings twice, with the file as it was before and as it was written; all other files are read once for both. */
function projectBeforeAndAfter(
  { file, before, after }: ConfigChangeResult,
  { options, places }: TrustKeeper,
): { before: ProjectSettings | undefined; after: ProjectSettings | undefined } {
  const look = createCachedEvidenceReader();
  const texts = new Map<string, string | null>();
  const common = settingsOptions(options, places);
  const seen = (own: string | null): ProjectSettings | undefined => {
    const reader: SettingsReader = {
      read(path, maxBytes) {
        if (path === file) return own;
        if (!texts.has(path)) texts.set(path, diskReader.read(path, maxBytes));
        return texts.get(path) ?? null;
      },
    };
    const trusts = createTrustCheck(pawlHome(places.env, places.home), places.notice);
    return loadSettings({ ...common, look, reader, trusts }).project;
  };
  return { before: seen(before), after: seen(after) };
}
