/** Without the fields that are not there: where a field that says undefined would be one too many. */
export function present<Values extends object>(
  values: Values,
): { [Key in keyof Values]?: Exclude<Values[Key], undefined> } {
  const set = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as { [Key in keyof Values]?: Exclude<Values[Key], undefined> };
}
