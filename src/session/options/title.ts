/** A session's title or tag as given by a person or program: one line that a list can show. */
import { oneLine } from "../../lib/sanitize.ts";

const maxTitleChars = 500;

export function titleOf(text: string): string {
  return oneLine(text, maxTitleChars);
}

/** Returns the title of a copy, to tell the two apart: `Parser (fork)`, `Parser (fork 2)`. Undefined if the session has no title. */
export function copyTitle(title: string | undefined): string | undefined {
  if (title === undefined) return undefined;
  const [, base = title, number] = /^(.*) \(fork(?: (\d{1,6}))?\)$/su.exec(title) ?? [];
  if (base === title) return titleOf(`${title} (fork)`);
  return titleOf(`${base} (fork ${number === undefined ? 2 : Number(number) + 1})`);
}
