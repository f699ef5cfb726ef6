/**
 * Line ends of event streams. A line may end with a carriage return alone, but the transports' parser waits for what follows one at the
 * end of a chunk, as it may be half of a line end: an answer would wait for the next one.
 */
const lineFeed = 10;
const carriageReturn = 13;

/** Returns a function that makes the chunks of one stream end with whole line ends. */
export function createLineEndRepair(): (chunk: Uint8Array) => Uint8Array {
  let isLineFeedAdded = false;
  return (chunk) => {
    if (chunk.length === 0) return chunk;
    const rest = isLineFeedAdded && chunk[0] === lineFeed ? chunk.subarray(1) : chunk;
    isLineFeedAdded = rest.at(-1) === carriageReturn;
    return isLineFeedAdded ? Buffer.concat([rest, Buffer.of(lineFeed)]) : rest;
  };
}
