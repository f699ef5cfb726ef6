/** A session's title or tag as somebody gives it: one line that a list can show. */
import { oneLine } from "../lib/sanitize.ts";

const mostCharacters = 500;

export function titleOf(text: string): string {
  return oneLine(text, mostCharacters);
}
