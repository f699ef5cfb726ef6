/** Ms since some moment before this process, which no change of the clock moves. What `performance` is part of takes half a millisecond to load. */
export function elapsedMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}
