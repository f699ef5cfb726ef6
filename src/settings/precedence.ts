/** Which value counts where the highest file does not simply decide, consistent with `merge.ts` and the modules that read settings. */
import type { Json } from "../lib/json.ts";
import { efforts } from "../protocol/effort.ts";
import { commandKeys } from "./keys.ts";
import type { LoadedSettings } from "./load.ts";
import { sandboxKeys } from "./sandbox-keys.ts";
import type { SettingsSource } from "./source.ts";

/** Keys for which no file can take back another file's `true`. */
const lockingKeys = new Set([
  "permissions.blockReadsOutsideWorkingDirectories",
  "permissions.blockWritesOutsideWorkingDirectories",
  "permissions.denyInsteadOfPrompting",
]);

/** `values`: the values that count, lowest first. */
export function findDecidingValue<T extends { value: Json }>(values: readonly T[], key: string): T | undefined {
  const lock = lockingKeys.has(key) ? values.findLast(({ value }) => value === true) : undefined;
  const least = key === "maxEffortLevel" ? efforts.find((level) => values.some(({ value }) => value === level)) : null;
  return lock ?? values.findLast(({ value }) => least === null || value === least);
}

const policyListOnly = "only an administrator's list counts";

/** Why a valid value of a file does not count. */
export function overrulingReason(
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
      return policies.some(({ values }) => values[key] !== undefined) ? policyListOnly : undefined;
    case "permissions.blockReadsExemptPaths":
      return policies.some(({ permissions }) => permissions.blockReadsOutsideWorkingDirectories !== undefined)
        ? policyListOnly
        : undefined;
    case "sandbox.network.allowedDomains":
      return settings.sandbox?.network.allowManagedDomainsOnly === true ? policyListOnly : undefined;
    case "sandbox.filesystem.allowRead":
      return policies.some(({ sandbox }) => sandbox["filesystem.allowManagedReadPathsOnly"] === true)
        ? policyListOnly
        : undefined;
    default:
      return sandboxKeys[key.replace(/^sandbox\./u, "")]?.owner === "policy"
        ? "it counts in an administrator's files only"
        : undefined;
  }
}
