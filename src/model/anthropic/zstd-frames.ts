/** Finds where the frames of a zstd body begin: Node's decoder drops whatever follows a frame's end in the same chunk. */

/** The bytes after the first byte of a frame, and of a skippable frame. */
const [frame, skippableFrame] = [
  [0xb5, 0x2f, 0xfd],
  [0x2a, 0x4d, 0x18],
];

/** Whether a frame may begin there. At the end of the bytes so far, its first bytes are enough. */
export function mayBeginFrame(bytes: Uint8Array, at = 0): boolean {
  const first = bytes[at] ?? 0;
  const rest = first === 0x28 ? frame : (first & 0xf0) === 0x50 ? skippableFrame : undefined;
  return rest?.every((byte, index) => (bytes[at + 1 + index] ?? byte) === byte) === true;
}

/** Splits the bytes so that no chunk continues past a frame's end. This also splits within a frame where its data looks like another. */
export async function* splitAtFrames(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
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
