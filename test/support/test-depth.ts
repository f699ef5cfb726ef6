/**
 * How far a loop or a property goes: `npm test` takes the first, so that it stays short; the wide tests run the files that call this once more, with
 * the second. Either can find a fault; the second leaves nothing out.
 */
export function byTestDepth<T>(fast: T, wide: T): T {
  return process.env["TEST_DEPTH"] === "wide" ? wide : fast;
}
