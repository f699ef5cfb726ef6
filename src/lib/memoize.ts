/** Calls `compute` once for each text; what it throws is thrown again each time. */
export function memoize<T>(compute: (text: string) => T): (text: string) => T {
  const known = new Map<string, { result: T } | { error: unknown }>();
  return (text) => {
    let found = known.get(text);
    if (found === undefined) known.set(text, (found = settle(compute, text)));
    if ("error" in found) throw found.error;
    return found.result;
  };
}

function settle<T>(compute: (text: string) => T, text: string): { result: T } | { error: unknown } {
  try {
    return { result: compute(text) };
  } catch (error) {
    return { error };
  }
}
