/** The entries of the tables in this folder: what servers say, whose words they are, and real examples. */

/**
 * Whose words they are (`unnamed`: the report of the text did not say), and an example, shortened: a message, or a whole body as
 * JSON. The status is 400 if none is given.
 */
export type Example = readonly [server: string, text: string, status?: number];

/** The pattern matches lower-case text. A test judges each example, and requires that no other row of its table matches it. */
export type Phrase = readonly [pattern: RegExp, ...examples: Example[]];

export function matchesAny(phrases: readonly Phrase[], lower: string): boolean {
  return phrases.some(([pattern]) => pattern.test(lower));
}

/** The figures of each phrase that matches and has named groups, in the order of the table. */
export function figuresIn(phrases: readonly Phrase[], lower: string): Record<string, number>[] {
  return phrases.flatMap(([pattern]) => {
    const groups = pattern.exec(lower)?.groups;
    if (groups === undefined) return [];
    const statedFigures = Object.entries(groups).filter(([, figure]) => figure !== undefined);
    return [Object.fromEntries(statedFigures.map(([name, figure]) => [name, Number(figure.replaceAll(",", ""))]))];
  });
}
