/** Drops undefined fields, for uses where a field with the value undefined would be wrong. */
export function withoutUndefined<Values extends object>(
  values: Values,
): { [Key in keyof Values]?: Exclude<Values[Key], undefined> } {
  const set = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as { [Key in keyof Values]?: Exclude<Values[Key], undefined> };
}
