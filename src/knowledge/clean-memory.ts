/** Memory text as a reader sees it: without comments and without characters that only the model would see. */

export interface CleanMemory {
  text: string;
  /** Code points taken out, such as `U+E0041`; each once. */
  hidden: string[];
}

export function cleanMemory(text: string): CleanMemory {
  const hidden = new Set<string>();
  const visible = text.replaceAll("\r\n", "\n").replaceAll(invisible, (character, offset: number, whole: string) => {
    if (character === "\u200d" && joinsEmoji(whole, offset)) return character;
    hidden.add(`U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`);
    return "";
  });
  return { text: withoutComments(visible).trim(), hidden: [...hidden].slice(0, 8) };
}

/** Tag characters, bidirectional controls, zero-width characters, and control characters other than line feed and tab. */
const invisible =
  /[\u{e0000}-\u{e007f}]|[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\u061c\ufeff\u00ad]|(?![\n\t])\p{Cc}/gu;

function joinsEmoji(text: string, offset: number): boolean {
  return (
    /\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?$/u.test(text.slice(Math.max(0, offset - 4), offset)) &&
    /^\p{Extended_Pictographic}/u.test(text.slice(offset + 1, offset + 3))
  );
}

const fence = /^ {0,3}(`{3,}|~{3,})/;

/** Takes out HTML comments that begin a line, outside code fences; one that never ends hides nothing. */
function withoutComments(text: string): string {
  const kept: string[] = [];
  const lines = text.split("\n");
  let open: string | undefined;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    const mark = fence.exec(line)?.[1];
    if (open !== undefined) {
      if (mark !== undefined && mark[0] === open[0] && mark.length >= open.length) open = undefined;
    } else if (mark !== undefined) open = mark;
    else if (/^ {0,3}<!--/.test(line)) {
      const end = endOfComment(lines, at);
      if (end !== undefined) {
        if (end.rest.trim() !== "") kept.push(end.rest);
        at = end.at;
        continue;
      }
    }
    kept.push(line);
  }
  return kept.join("\n");
}

function endOfComment(lines: readonly string[], from: number): { at: number; rest: string } | undefined {
  for (let at = from; at < lines.length; at++) {
    const start = at === from ? lines[at]!.indexOf("<!--") + 4 : 0;
    const found = lines[at]!.indexOf("-->", start);
    if (found >= 0) return { at, rest: lines[at]!.slice(found + 3) };
  }
  return undefined;
}
