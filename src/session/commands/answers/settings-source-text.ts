/** Where a setting comes from, for people. */
const settingsSourceTexts: Partial<Record<string, string>> = {
  userSettings: "your settings",
  projectSettings: "the project's settings",
  localSettings: "the project's local settings",
  policySettings: "an administrator's settings",
  flagSettings: "--settings",
  cliArg: "a flag",
  session: "this session",
};

/** Translates the convention's word; an unknown word stays as it is. */
export function settingsSourceText(source: string): string {
  return settingsSourceTexts[source] ?? source;
}
