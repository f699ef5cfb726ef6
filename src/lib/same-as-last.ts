/** What was made last, again where the same is asked for: sessions of a process that are alike hold one of it, and what is kept beside it. */
export function sameAsLast<A extends readonly (string | number | boolean | undefined)[], R>(
  make: (...given: A) => R,
): (...given: A) => R {
  let last: { given: A; made: R } | undefined;
  return (...given) => {
    const isSame = last !== undefined && given.every((each, index) => each === last?.given[index]);
    if (last === undefined || !isSame) last = { given, made: make(...given) };
    return last.made;
  };
}
