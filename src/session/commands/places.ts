/** Where a setting is from, for people. */
const names: Partial<Record<string, string>> = {
  userSettings: "your settings",
  projectSettings: "the project's settings",
  localSettings: "the project's local settings",
  policySettings: "an administrator's settings",
  flagSettings: "--settings",
  cliArg: "a flag",
  session: "this session",
};

/** By the word of the convention, which stands for itself where it has no other. */
export function placeOf(source: string): string {
  return names[source] ?? source;
}
