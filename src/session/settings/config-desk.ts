/** Settings for a person at the command line: what applies and why, and changes to one key of one file. No session, API key or network. */
import type { SettingsProblem } from "../../settings/source.ts";
import { reportAll, reportOf, type KeyReport } from "../../settings/report.ts";
import { isAboveSettings, noSuchSetting } from "../../settings/no-such-setting.ts";
import { systemClock } from "../surroundings/clock.ts";
import type { ConfigChange } from "./config-change.ts";
import type { EngineOptions } from "../options/options.ts";
import { problemsInside } from "./problems-inside.ts";
import { loadFor, settingsPlaces } from "./read-settings.ts";

export type { ConfigChange } from "./config-change.ts";

export interface ConfigDesk {
  all(): KeyReport[];
  one(key: string): KeyReport;
  /** Returns a sentence if the key can never have a value. */
  unknown(key: string): string | undefined;
  /** Problems: values that are ignored, and keys that nobody knows. */
  problems(): SettingsProblem[];
  /** Returns sentences about what was done. Throws `UsageError`, without changing anything, if the change is not possible. */
  change(change: ConfigChange): Promise<string[]>;
}

export function openConfigDesk(options: EngineOptions): ConfigDesk {
  const places = settingsPlaces(options);
  const loaded = loadFor(options, places);
  return {
    all: () => reportAll(loaded),
    one: (key) => reportOf(loaded, key),
    unknown: (key) => (isAboveSettings(key) ? undefined : noSuchSetting(key)),
    problems: () => [...loaded.problems, ...problemsInside(loaded, places)],
    async change(change) {
      const [{ changeSettings }, { keepTrust }] = await Promise.all([
        import("./config-change.ts"),
        import("../permissions/keep-trust.ts"),
      ]);
      const done = await changeSettings(change, places);
      const { clock = systemClock } = options;
      const now = (): string => clock.timestamp();
      if (change.scope !== "user") await keepTrust(done, { options, places, now, admitsFirst: false });
      const { sayings } = reportOf(loadFor(options, places), change.key);
      const own = sayings.find(({ file }) => file === done.file);
      const left = own?.why === undefined ? [] : [`It has no effect yet: ${own.why}.`];
      return [...done.told, ...left.map((text) => text.replace(/\.\.$/u, "."))];
    },
  };
}
