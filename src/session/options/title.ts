/** A session's title or tag as somebody gives it: one line that a list can show. */
import { oneLine } from "../../lib/sanitize.ts";

const mostCharacters = 500;

export function titleOf(text: string): string {
  return oneLine(text, mostCharacters);
}

/** Of a copy, so that the two are told apart: `Parser (fork)`, `Parser (fork 2)`. Undefined for a session without a title. */
export function copyTitle(title: string | undefined): string | undefined {
  if (title === undefined) return undefined;
  const [, base = title, number] = /^(.*) \(fork(?: (\d{1,6}))?\)$/su.exec(title) ?? [];
  if (base === title) return titleOf(`${title} (fork)`);
  return titleOf(`${base} (fork ${number === undefined ? 2 : Number(number) + 1})`);
}
