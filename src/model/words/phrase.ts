/** The tables of this folder: what servers say, whose words they are, and what such a server really said. */

/**
 * Whose words they are (`unnamed`: nobody said so who sent the text), and one of their texts, shortened: a message, or a whole body in
 * JSON. Status 400 where none stands.
 */
export type Example = readonly [server: string, text: string, status?: number];

/** The pattern is one of text in lower case. A test has each example judged, and demands that no other row of its table says the same. */
export type Phrase = readonly [pattern: RegExp, ...examples: Example[]];

export function says(phrases: readonly Phrase[], lower: string): boolean {
  return phrases.some(([pattern]) => pattern.test(lower));
}

/** Of the first phrase that is said and has some. */
export function figuresIn(phrases: readonly Phrase[], lower: string): Record<string, number>[] {
  return phrases.flatMap(([pattern]) => {
    const groups = pattern.exec(lower)?.groups;
    if (groups === undefined) return [];
    const told = Object.entries(groups).filter(([, figure]) => figure !== undefined);
    return [Object.fromEntries(told.map(([name, figure]) => [name, Number(figure.replaceAll(",", ""))]))];
  });
}
