/** Signs, digits and Latin letters as input methods for Chinese and Japanese type them where an answer or a command is meant: `／`, `１`, `ｙ`. */

/** Of the same length, place by place. */
export function halfWidth(text: string): string {
  return text.replace(/[\uff01-\uff5e\u3000\u3001\u3002]/g, (wide) => {
    if (wide === "\u3000") return " ";
    if (wide === "\u3001") return ",";
    return wide === "\u3002" ? "." : String.fromCharCode(wide.charCodeAt(0) - 0xfee0);
  });
}
