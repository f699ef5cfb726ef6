import { stripControls } from "../../lib/sanitize.ts";

/** For the model: no escape sequences, no controls, no blank lines around it. */
export function textForModel(text: string): string {
  return stripControls(text.replaceAll("\0", "\\0")).replace(/^(?:[ \t]*\n)+|\s+$/g, "");
}
