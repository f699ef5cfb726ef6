/** Text of servers: controls and characters that cannot be seen are taken out, in which instructions could hide from whoever reads along. */
import { stripControls } from "../lib/sanitize.ts";
import { withoutUnseen } from "../lib/unseen.ts";

export function cleanText(text: string, limit: number): string {
  const head = text.length > limit * 4 ? text.slice(0, limit * 4) : text;
  const clean = seenOf(head).trim();
  return clean.length > limit || head !== text ? `${clean.slice(0, limit - 1).toWellFormed()}…` : clean;
}

/** A value that has to be given as it is: blanks and line ends are part of it. */
export function cleanValue(text: string, limit: number): string {
  const seen = text.replaceAll("\r", "");
  return text.length <= limit && seenOf(seen) === seen ? text : cleanText(text, limit);
}

function seenOf(text: string): string {
  return withoutUnseen(stripControls(text));
}
