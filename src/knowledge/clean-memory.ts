/** Memory text as a reader sees it: without comments and without characters that only the model would see. */

export interface CleanMemory {
  text: string;
  /** Code points taken out, such as `U+E0041`; each once. */
  hidden: string[];
  /** A comment never ends: what follows it was left out, as a page would not show it either. */
  isCutByComment: boolean;
}

export function cleanMemory(text: string): CleanMemory {
  const hidden = new Set<string>();
  const visible = text.replaceAll(/\r\n?/g, "\n").replaceAll(invisible, (character, offset: number, whole: string) => {
    if (joins(character, whole, offset)) return character;
    hidden.add(`U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`);
    return "";
  });
  const { lines, isCut } = withoutComments(visible.split("\n"));
  return { text: lines.join("\n").trim(), hidden: [...hidden].slice(0, 8), isCutByComment: isCut };
}

/** Tag characters and variation supplements, bidirectional controls, zero-width characters and fillers, and controls other than line feed and tab. */
const invisible =
  /[\u{e0000}-\u{e01ef}]|\u034f|\u17b4|\u17b5|[\u180b-\u180f]|[\u00ad\u061c\u115f\u1160\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|(?![\n\t])\p{Cc}/gu;

const letter = /\p{L}|\p{M}/u;

/** A joiner between two emoji, or a joiner or non-joiner between letters of a script that writes with them, changes what is seen. */
function joins(character: string, text: string, offset: number): boolean {
  if (character !== "\u200d" && character !== "\u200c") return false;
  const before = Array.from(text.slice(Math.max(0, offset - 4), offset));
  const after = String.fromCodePoint(text.codePointAt(offset + 1) ?? 0);
  const last = before.at(-1) ?? "";
  const isJoined = last > "\u0590" && after > "\u0590" && letter.test(last) && letter.test(after);
  if (isJoined || character === "\u200c") return isJoined;
  return (
    /\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?$/u.test(before.join("")) &&
    /^\p{Extended_Pictographic}/u.test(after)
  );
}

const fence = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)$/;

/** Takes out HTML comments that begin a line, outside code fences. */
function withoutComments(lines: readonly string[]): { lines: string[]; isCut: boolean } {
  const kept: string[] = [];
  let open: string | undefined;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const [, mark, info = ""] = fence.exec(line) ?? [];
    if (open !== undefined) {
      const closes = mark !== undefined && mark.startsWith(open) && info.trim() === "";
      if (closes) open = undefined;
    } else if (mark !== undefined) open = mark;
    else if (/^ {0,3}<!--/.test(line)) {
      const end = endOfComment(lines, at);
      if (end === undefined) return { lines: kept, isCut: lines.slice(at + 1).some((rest) => rest.trim() !== "") };
      if (end.rest.trim() !== "") kept.push(end.rest);
      at = end.at;
      continue;
    }
    kept.push(line);
  }
  return { lines: kept, isCut: false };
}

function endOfComment(lines: readonly string[], from: number): { at: number; rest: string } | undefined {
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const found = line.indexOf("-->", at === from ? line.indexOf("<!--") + 2 : 0);
    if (found >= 0) return { at, rest: line.slice(found + 3) };
  }
  return undefined;
}
