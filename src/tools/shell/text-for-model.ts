/** Output for the model: no escape sequences, controls or surrounding blank lines, and only the last state of a progress bar. */
import { stripControls } from "../../lib/sanitize.ts";

export function textForModel(text: string): string {
  // Not `\s+$`, which takes quadratic time on a long run of blanks.
  const plain = text.replaceAll("\0", "\\0").replace(overstruck, "$1$2");
  return stripControls(withoutOverwritten(plain))
    .replace(/^(?:[ \t]*\n)+/, "")
    .trimEnd();
}

/** How printers and manual pages (mandoc) make bold and underlined letters: `N\bN`, `_\bN`. */
const overstruck = /(?:_[\b])?([^\n])(?:[\b]\1)+|_[\b]([^\n])/gu;

/** Up to this many states are shown one below the other: that is not a progress bar. */
const mostStates = 3;
const comparedStates = 40;

/** Keeps the last state of a progress bar, as a terminal does, and says so: in files with old Mac line ends \r ends a line. */
function withoutOverwritten(text: string): string {
  // In such a file \r is the only line end; a progress bar without \n begins with \r.
  if (!/\r[^\r\n]/.test(text) || !/^\r|\n/.test(text)) return text;
  return text
    .split("\n")
    .map((line) => {
      const states = line.split("\r").filter((state) => state !== "");
      if (states.length <= mostStates) return line;
      const last = states.findLastIndex((state) => stripControls(state).trim() !== "");
      if (last < mostStates || !isProgressBar(states.slice(Math.max(0, last + 1 - comparedStates), last + 1)))
        return line;
      return `[… ${last} earlier states of this line, overwritten by \\r, left out …]\n${states[last] ?? ""}`;
    })
    .join("\n");
}

/** The states of a bar differ only in their figures; lines of a text do not. */
function isProgressBar(states: readonly string[]): boolean {
  const words = new Set(states.map((state) => stripControls(state).replace(/\P{L}+/gu, "")));
  return words.size <= states.length / 2;
}
