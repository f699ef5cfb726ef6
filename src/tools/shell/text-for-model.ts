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

/** A progress bar writes its line anew some hundred times, and a terminal shows the last. Told, for old files end lines so. */
function withoutOverwritten(text: string): string {
  if (!/\r[^\r\n]/.test(text)) return text;
  return text
    .split("\n")
    .map((line) => {
      const states = line.split("\r").filter((state) => state !== "");
      if (states.length <= mostStates) return line;
      const last = states.findLastIndex((state) => stripControls(state).trim() !== "");
      if (last < mostStates) return line;
      return `[… ${last} earlier states of this line, overwritten by \\r, left out …]\n${states[last] ?? ""}`;
    })
    .join("\n");
}
