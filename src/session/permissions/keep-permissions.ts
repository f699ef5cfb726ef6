/** Changes to permissions that the host, or a hook of the user's own, wants kept: written to the settings file they name. */
import { errorText } from "../../lib/error-text.ts";
import { ruleText, type PermissionUpdate } from "../../protocol/permission.ts";
import { changeSettings, NothingToTakeOut, type ConfigChange } from "../settings/config-change.ts";
import { keepTrust, type TrustKeeper } from "./keep-trust.ts";

const scopes = { userSettings: "user", projectSettings: "project", localSettings: "local" } as const;

/** What cannot be written is told: this session has taken it up all the same. */
export async function keepPermissions(
  updates: readonly PermissionUpdate[],
  keeper: Omit<TrustKeeper, "admitsFirst">,
): Promise<void> {
  const { places } = keeper;
  for (const change of updates.flatMap(changesOf)) {
    try {
      const changed = await changeSettings(change, places);
      if (change.scope !== "user") await keepTrust(changed, { ...keeper, admitsFirst: true });
    } catch (error) {
      // What is not there need not be taken out.
      if (error instanceof NothingToTakeOut) continue;
      const why = errorText(error);
      places.notice(`The change to ${change.key} holds for this session only: ${why}`);
    }
  }
}

function changesOf(update: PermissionUpdate): ConfigChange[] {
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
      // A mode in which nobody is asked is for one run.
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
