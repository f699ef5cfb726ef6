/** Collects what the readers of rules and hooks say about those in force. */
import { diskPaths } from "../../permissions/paths/path-forms.ts";
import { parseRule } from "../../permissions/rules/rule.ts";
import { mergeProblems } from "../../permissions/rules/merge-problems.ts";
import type { LoadedSettings } from "../../settings/load.ts";
import type { SettingsProblem } from "../../settings/source.ts";
import { readHooks } from "./read-hooks.ts";
import { miscasedRuleTexts } from "../../permissions/rules/miscased-rules.ts";
import type { SettingsPlaces } from "./read-settings.ts";

export function ruleAndHookProblems({ settings }: LoadedSettings, { cwd, home }: SettingsPlaces): SettingsProblem[] {
  const reading = { cwd, home, reader: diskPaths };
  const read = (["deny", "ask", "allow"] as const).flatMap((behavior) =>
    settings.permissions[behavior].flatMap((rule) => parseRule(rule, behavior, reading).problems),
  );
  const rules = mergeProblems(read).map(({ level, text, source, behavior }) => ({
    level,
    text,
    source,
    key: `permissions.${behavior}`,
  }));
  const miscased = settings.permissions.allow.flatMap((rule) =>
    miscasedRuleTexts([rule]).map((text) => ({
      level: "notice" as const,
      text,
      source: rule.source,
      key: "permissions.allow",
    })),
  );
  const hooks = settings.hooks.flatMap(({ value, origin, source }) =>
    readHooks(value, origin, source).problems.map(({ level, text }) => ({ level, text, source, key: "hooks" })),
  );
  return [...rules, ...miscased, ...hooks];
}
