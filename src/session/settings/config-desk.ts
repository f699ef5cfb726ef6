/** Settings for a person at the command line: what applies and why, and changes to one key of one file. No session, API key or network. */
import type { SettingsProblem } from "../../settings/source.ts";
import { reportAllKeys, reportKey, type KeyReport } from "../../settings/report.ts";
import { hasSettingsBelow, unknownSettingMessage } from "../../settings/setting-names.ts";
import { systemClock } from "../../lib/system-clock.ts";
import type { ConfigChange } from "./config-change.ts";
import type { EngineOptions } from "../options/options.ts";
import { ruleAndHookProblems } from "./rule-and-hook-problems.ts";
import { loadSettingsFor, settingsPlaces } from "./read-settings.ts";

export type { ConfigChange } from "./config-change.ts";

export interface ConfigDesk {
  reportAll(): KeyReport[];
  report(key: string): KeyReport;
  /** Returns a sentence if the key can never have a value. */
  unknown(key: string): string | undefined;
  /** Problems: values that are ignored, and keys that nobody knows. */
  problems(): SettingsProblem[];
  /** Returns sentences about what was done. Throws `UsageError`, without changing anything, if the change is not possible. */
  change(change: ConfigChange): Promise<string[]>;
}

export function openConfigDesk(options: EngineOptions): ConfigDesk {
  const places = settingsPlaces(options);
  const loaded = loadSettingsFor(options, places);
  return {
    reportAll: () => reportAllKeys(loaded),
    report: (key) => reportKey(loaded, key),
    unknown: (key) => (hasSettingsBelow(key) ? undefined : unknownSettingMessage(key)),
    problems: () => [...loaded.problems, ...ruleAndHookProblems(loaded, places)],
    async change(change) {
      const [{ changeSettings }, { keepTrust }] = await Promise.all([
        import("./config-change.ts"),
        import("./keep-trust.ts"),
      ]);
      const done = await changeSettings(change, places);
      const { clock = systemClock } = options;
      const now = (): string => clock.timestamp();
      if (change.scope !== "user") await keepTrust(done, { options, places, now, admitsFirst: false });
      const { sayings } = reportKey(loadSettingsFor(options, places), change.key);
      const own = sayings.find(({ file }) => file === done.file);
      const left = own?.why === undefined ? [] : [`It has no effect yet: ${own.why.replace(/\.$/u, "")}.`];
      return [...done.messages, ...left];
    },
  };
}
