/** For the model: no escape sequences, no controls, no blank lines around it, and of a line that overwrites itself its end. */
import { stripControls } from "../../lib/sanitize.ts";

export function textForModel(text: string): string {
  // No `\s+$`: it looks again from each blank of a long row of them.
  return stripControls(withoutOverwritten(text.replaceAll("\0", "\\0")))
    .replace(/^(?:[ \t]*\n)+/, "")
    .trimEnd();
}

/** As many are shown one below the other: they are no bar. */
const mostStates = 3;
const comparedStates = 40;

/** A progress bar writes its line anew some hundred times, and a terminal shows the last. Told, for old files end lines so. */
function withoutOverwritten(text: string): string {
  // Of such a file, alone, nothing else ends a line; a bar that does so begins by it.
  if (!/\r[^\r\n]/.test(text) || !/^\r|\n/.test(text)) return text;
  return text
    .split("\n")
    .map((line) => {
      const states = line.split("\r").filter((state) => state !== "");
      if (states.length <= mostStates) return line;
      const last = states.findLastIndex((state) => stripControls(state).trim() !== "");
      if (last < mostStates || !isBar(states.slice(Math.max(0, last + 1 - comparedStates), last + 1))) return line;
      return `[… ${last} earlier states of this line, overwritten by \\r, left out …]\n${states[last] ?? ""}`;
    })
    .join("\n");
}

/** Its states say the same with other figures; lines of a text do not. */
function isBar(states: readonly string[]): boolean {
  const words = new Set(states.map((state) => stripControls(state).replace(/\P{L}+/gu, "")));
  return words.size <= states.length / 2;
}
