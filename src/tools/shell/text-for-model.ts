/** Output for the model: no escape sequences, controls or surrounding blank lines, and only the last state of a progress bar. */
import { stripControls } from "../../lib/sanitize.ts";
import { foldProgressBar } from "./overwritten.ts";

/** The most characters by which the counts of left-out states may lengthen a text: each may be longer than the states themselves. */
const mostAdded = 1_000;

export function textForModel(text: string): string {
  // Not `\s+$`, which takes quadratic time on a long run of blanks.
  const plain = text.replaceAll("\0", "\\0").replace(overstruck, "$1$2");
  return stripControls(withoutOverwritten(plain))
    .replace(/^(?:[ \t]*\n)+/, "")
    .trimEnd();
}

/** How printers and manual pages (mandoc) make bold and underlined letters: `N\bN`, `_\bN`. */
const overstruck = /(?:_[\b])?([^\n])(?:[\b]\1)+|_[\b]([^\n])/gu;

/** Keeps the last state of a progress bar, as a terminal does, and says so. In files with old Mac line ends \r ends a line. */
function withoutOverwritten(text: string): string {
  // In such a file \r is the only line end; a progress bar without \n begins with \r.
  if (!/\r[^\r\n]/.test(text) || !/^\r|\n/.test(text)) return text;
  let room = mostAdded;
  const shortened = text.split("\n").map((line) => {
    const folded = foldProgressBar(line) ?? line;
    const added = Math.max(0, folded.length - line.length);
    if (added > room) return line;
    room -= added;
    return folded;
  });
  return shortened.join("\n");
}
