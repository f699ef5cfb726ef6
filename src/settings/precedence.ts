/** Whose word counts where it is not simply the highest file's, as `merge.ts` and the rooms have it. */
import type { Json } from "../lib/json.ts";
import { efforts } from "../protocol/effort.ts";
import { commandKeys } from "./keys.ts";
import type { LoadedSettings } from "./load.ts";
import { sandboxKeys } from "./sandbox-keys.ts";
import type { SettingsSource } from "./source.ts";

/** No file takes back what another one says with `true`. */
const locks = new Set([
  "permissions.blockReadsOutsideWorkingDirectories",
  "permissions.blockWritesOutsideWorkingDirectories",
  "permissions.denyInsteadOfPrompting",
]);

/** `sayings`: those that count, lowest first. */
export function decidingAmong<T extends { value: Json }>(sayings: readonly T[], key: string): T | undefined {
  const lock = locks.has(key) ? sayings.findLast(({ value }) => value === true) : undefined;
  const least = key === "maxEffortLevel" ? efforts.find((level) => sayings.some(({ value }) => value === level)) : null;
  return lock ?? sayings.findLast(({ value }) => least === null || value === least);
}

const administrators = "an administrator's list stands alone";

/** Why a file's word is fit and does not count all the same. */
export function overruledBy(
  { settings, layers }: LoadedSettings,
  { origin }: SettingsSource,
  key: string,
): string | undefined {
  if (origin === "policy") return undefined;
  const policies = layers.filter(({ source }) => source.origin === "policy");
  const isOff = settings.disableAllHooks === true && ["hooks", ...commandKeys].includes(key);
  if (isOff) return '"disableAllHooks" switches it off';
  switch (key) {
    case "availableModels":
      return policies.some(({ values }) => values[key] !== undefined) ? administrators : undefined;
    case "permissions.blockReadsExemptPaths":
      return policies.some(({ permissions }) => permissions.blockReadsOutsideWorkingDirectories !== undefined)
        ? administrators
        : undefined;
    case "sandbox.network.allowedDomains":
      return settings.sandbox?.network.allowManagedDomainsOnly === true ? administrators : undefined;
    case "sandbox.filesystem.allowRead":
      return policies.some(({ sandbox }) => sandbox["filesystem.allowManagedReadPathsOnly"] === true)
        ? administrators
        : undefined;
    default:
      return sandboxKeys[key.replace(/^sandbox\./u, "")]?.owner === "policy"
        ? "it counts in an administrator's files only"
        : undefined;
  }
}
