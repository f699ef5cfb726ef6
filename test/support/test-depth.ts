/**
 * Returns how far a loop or a property goes: `fast` in `npm test`, which must stay short, and `wide` when the wide tests run the same file again.
 * Either can find a fault; only `wide` leaves nothing out.
 */
export function byTestDepth<T>(fast: T, wide: T): T {
  return process.env["TEST_DEPTH"] === "wide" ? wide : fast;
}
