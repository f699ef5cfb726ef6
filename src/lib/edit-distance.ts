/** The number of characters to insert, delete, replace or swap with the next to turn one text into the other. */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swapped = isSwapped ? (before[column - 2] ?? Infinity) + 1 : Infinity;
      current.push(Math.min(replaced, swapped, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    before = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
}

/** Returns the name that was probably meant; undefined if none is close. Case is ignored. A name without its end is meant as that name. */
export function nearestName(wantedName: string, names: readonly string[]): string | undefined {
  const low = wantedName.toLowerCase();
  const [longer, another] = names.filter(
    (name) => name.toLowerCase().startsWith(low) && low.length >= (name.length * 2) / 3,
  );
  if (longer !== undefined && another === undefined) return longer;
  const most = Math.max(1, Math.min(3, Math.floor(wantedName.length / 3)));
  let nearest: { name: string; distance: number } | undefined;
  for (const name of names) {
    if (Math.abs(name.length - low.length) > most) continue;
    const distance = editDistance(low, name.toLowerCase());
    if (distance <= most && distance < (nearest?.distance ?? Infinity)) nearest = { name, distance };
  }
  return nearest?.name;
}
