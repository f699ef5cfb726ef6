/** Settings for a person at the command line: what counts and why, and one key changed in one file. No session, no key, no network. */
import { readHooks } from "../hooks/read-hooks.ts";
import { diskPaths } from "../../permissions/paths/path-forms.ts";
import { parseRule } from "../../permissions/rules/rule.ts";
import type { LoadedSettings } from "../../settings/load.ts";
import type { SettingsProblem } from "../../settings/source.ts";
import { reportAll, reportOf, type KeyReport } from "../../settings/report.ts";
import { systemClock } from "../surroundings/clock.ts";
import type { ConfigChange } from "./config-change.ts";
import type { EngineOptions } from "../options/options.ts";
import { loadFor, settingsPlaces, type SettingsPlaces } from "./read-settings.ts";

export type { ConfigChange } from "./config-change.ts";

export interface ConfigDesk {
  all(): KeyReport[];
  one(key: string): KeyReport;
  /** What is not obeyed, and what nobody knows. */
  problems(): SettingsProblem[];
  /** Answers what was done, a sentence each. Throws `UsageError`, and nothing was changed, where it cannot be. */
  change(change: ConfigChange): Promise<string[]>;
}

export function openConfigDesk(options: EngineOptions): ConfigDesk {
  const places = settingsPlaces(options);
  const loaded = loadFor(options, places);
  return {
    all: () => reportAll(loaded),
    one: (key) => reportOf(loaded, key),
    problems: () => [...loaded.problems, ...inside(loaded, places)],
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
      const left = own?.why === undefined ? [] : [`It does not count yet: ${own.why}.`];
      return [...done.told, ...left.map((text) => text.replace(/\.\.$/u, "."))];
    },
  };
}

/** What the rooms that read rules and hooks say of those in force. */
function inside({ settings }: LoadedSettings, { cwd, home }: SettingsPlaces): SettingsProblem[] {
  const reading = { cwd, home, reader: diskPaths };
  const rules = (["deny", "ask", "allow"] as const).flatMap((behavior) =>
    settings.permissions[behavior].flatMap((rule) =>
      parseRule(rule, behavior, reading).problems.map(({ level, text, source }) => ({
        level,
        text,
        source,
        key: `permissions.${behavior}`,
      })),
    ),
  );
  const hooks = settings.hooks.flatMap(({ value, origin, source }) =>
    readHooks(value, origin, source).problems.map(({ level, text }) => ({ level, text, source, key: "hooks" })),
  );
  return [...rules, ...hooks];
}
