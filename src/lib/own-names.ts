/** A table without names but its own: what is looked up may be called as every object's properties are, such as `constructor`. */
export function ownNames<V>(entries: Readonly<Record<string, V>>): Readonly<Record<string, V>> {
  return Object.assign(Object.create(null) as Record<string, V>, entries);
}
