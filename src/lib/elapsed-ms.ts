/** Ms since an arbitrary moment, unaffected by changes of the clock. Used because loading `performance` takes half a millisecond. */
export function elapsedMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}
