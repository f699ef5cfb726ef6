/** Writes permission changes that the host, or a user's own hook, wants to keep to the settings file they name. */
import { errorText } from "../../lib/error-text.ts";
import { ruleText, type PermissionUpdate } from "../../protocol/permission.ts";
import { changeSettings, NothingToRemove, type ConfigChange } from "../settings/config-change.ts";
import { keepTrust, type TrustKeeper } from "../settings/keep-trust.ts";

const scopes = { userSettings: "user", projectSettings: "project", localSettings: "local" } as const;

/** A change that cannot be written causes a notice; it still applies in this session. */
export async function keepPermissions(
  updates: readonly PermissionUpdate[],
  keeper: Omit<TrustKeeper, "admitsFirst">,
): Promise<void> {
  const { places } = keeper;
  for (const change of updates.flatMap(configChanges)) {
    try {
      const changed = await changeSettings(change, places);
      if (change.scope !== "user") await keepTrust(changed, { ...keeper, admitsFirst: true });
    } catch (error) {
      // A value that is not in the file need not be removed.
      if (error instanceof NothingToRemove) continue;
      const why = errorText(error);
      places.notice(`The change to ${change.key} holds for this session only: ${why}`);
    }
  }
}

function configChanges(update: PermissionUpdate): ConfigChange[] {
  const { destination } = update;
  if (destination === "session" || destination === "cliArg") return [];
  const scope = scopes[destination];
  switch (update.type) {
    case "addRules":
    case "removeRules": {
      const verb = update.type === "addRules" ? "add" : "remove";
      const key = `permissions.${update.behavior}`;
      return update.rules.map((rule) => ({ verb, key, value: JSON.stringify(ruleText(rule)), scope }));
    }
    case "replaceRules": {
      const value = JSON.stringify(update.rules.map(ruleText));
      return [{ verb: "set", key: `permissions.${update.behavior}`, value, scope }];
    }
    case "setMode":
      // The mode that asks nobody is for a single run.
      if (update.mode === "bypassPermissions") return [];
      return [{ verb: "set", key: "permissions.defaultMode", value: update.mode, scope }];
    case "addDirectories":
    case "removeDirectories": {
      const verb = update.type === "addDirectories" ? "add" : "remove";
      const key = "permissions.additionalDirectories";
      return update.directories.map((folder) => ({ verb, key, value: JSON.stringify(folder), scope }));
    }
    default:
      return update satisfies never;
  }
}
