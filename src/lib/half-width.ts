/** Converts full-width signs, digits and Latin letters, which Chinese and Japanese input methods produce, such as `／`, `１` and `ｙ`. */

/** Keeps the length: every character stays at its index. */
export function toHalfWidth(text: string): string {
  return text.replace(/[\uff01-\uff5e\u3000\u3001\u3002]/g, (wide) => {
    if (wide === "\u3000") return " ";
    if (wide === "\u3001") return ",";
    return wide === "\u3002" ? "." : String.fromCharCode(wide.charCodeAt(0) - 0xfee0);
  });
}
