/** Where frames of a zstd body begin: Node's decoder leaves out all that comes behind the end of one in the same bytes. */

/** What follows the first byte of a frame, and of one that is to be skipped. */
const [frame, skipped] = [
  [0xb5, 0x2f, 0xfd],
  [0x2a, 0x4d, 0x18],
];

/** Whether one may begin there; at the end of what has come, its first bytes are enough. */
export function mayBeginFrame(bytes: Uint8Array, at = 0): boolean {
  const first = bytes[at] ?? 0;
  const rest = first === 0x28 ? frame : (first & 0xf0) === 0x50 ? skipped : undefined;
  return rest?.every((byte, index) => (bytes[at + 1 + index] ?? byte) === byte) === true;
}

/** The same bytes, none of which go on behind a frame's end. They are cut within a frame too, where it looks like another. */
export async function* cutAtFrames(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
  for await (const bytes of packed) {
    let from = 0;
    for (let at = 1; at < bytes.length; at++) {
      if (!mayBeginFrame(bytes, at)) continue;
      yield bytes.subarray(from, at);
      from = at;
    }
    yield bytes.subarray(from);
  }
}
