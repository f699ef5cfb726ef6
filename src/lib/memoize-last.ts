/** Caches the last result: sessions in one process that are alike then share one object, and what is stored with it. */
export function memoizeLast<A extends readonly (string | number | boolean | undefined)[], R>(
  make: (...given: A) => R,
): (...given: A) => R {
  let last: { given: A; made: R } | undefined;
  return (...given) => {
    const isSame = last !== undefined && given.every((each, index) => each === last?.given[index]);
    if (last === undefined || !isSame) last = { given, made: make(...given) };
    return last.made;
  };
}
