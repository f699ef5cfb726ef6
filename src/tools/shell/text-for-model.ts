/** For the model: no escape sequences, no controls, no blank lines around it. */
import { stripControls } from "../../lib/sanitize.ts";

export function textForModel(text: string): string {
  // No `\s+$`: it looks again from each blank of a long row of them.
  return stripControls(text.replaceAll("\0", "\\0"))
    .replace(/^(?:[ \t]*\n)+/, "")
    .trimEnd();
}
