/** A table with no names but its own: a looked-up name may be that of an inherited property, such as `constructor`. */
export function withoutPrototype<V>(entries: Readonly<Record<string, V>>): Readonly<Record<string, V>> {
  return Object.assign(Object.create(null) as Record<string, V>, entries);
}
