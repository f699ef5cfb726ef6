/** Distinguishes texts where no cryptography is available: 64 bits, FNV-1a over two halves. Not for texts where a collision could be abused. */
export function textDigest(text: string): string {
  let [one, other] = [0x811c9dc5, 0x9747b28c];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    one = Math.imul(one ^ unit, 0x01000193);
    other = Math.imul(other ^ (unit + at), 0x01000193);
  }
  return `${hex(one)}${hex(other)}`;
}

function hex(half: number): string {
  return (half >>> 0).toString(16).padStart(8, "0");
}
