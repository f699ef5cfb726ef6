/** The parts of a session that follow its settings while it runs. */
import type { OwnedHooks } from "../hooks/run.ts";
import { guardUnreadableRules } from "./permissions/guarded-rules.ts";
import { composeRunners } from "./hooks/hook-parts.ts";
import type { HookPartsOptions } from "./hooks/hook-parts-options.ts";
import { addedFolders, writtenRules } from "./permissions/permission-parts.ts";

export function attachLiveSettings(parts: HookPartsOptions, hooks: OwnedHooks): void {
  const { options, around, permissions } = parts;
  // The process's own variables take precedence over those from settings, as at the start.
  const own = options.env ?? process.env;
  const env = around.env as Record<string, string | undefined>;
  let added = Object.keys(around.settings.env);
  around.live?.attach({
    permissions,
    hooks,
    rulesOf(settings) {
      const written = writtenRules(options, settings);
      return guardUnreadableRules(written, permissions.problemsOf(written), settings).rules;
    },
    foldersOf: (settings) => addedFolders(options, settings),
    runnersOf: (settings) => composeRunners(parts, settings),
    setEnvironment(wanted) {
      for (const name of added) if (own[name] === undefined) delete env[name];
      for (const [name, value] of Object.entries(wanted)) if (own[name] === undefined) env[name] = value;
      added = Object.keys(wanted);
    },
  });
}
