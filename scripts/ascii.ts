// Converts the built code to ASCII.

/** Escapes the few characters beyond ASCII, because a text with one of them takes twice the memory and longer to read. */
export function toAscii(code: string): string {
  const [raw] = /String\.raw`[^`]*[^\0-\x7f`]/.exec(code) ?? [];
  if (raw !== undefined) throw new Error(`${raw}: it shows escapes as they stand; write its text in ASCII`);
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
