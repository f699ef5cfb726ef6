/** Cleans text from servers of control and invisible characters, in which instructions could hide from a human reader. */
import { stripControls } from "../lib/sanitize.ts";
import { withoutInvisible } from "../lib/invisible-characters.ts";

export function cleanText(text: string, limit: number): string {
  const head = text.length > limit * 4 ? text.slice(0, limit * 4) : text;
  const clean = seenOf(head).trim();
  return clean.length > limit || head !== text ? `${clean.slice(0, limit - 1).toWellFormed()}…` : clean;
}

/** A value that must be kept as it is: spaces and line ends are part of it. */
export function cleanValue(text: string, limit: number): string {
  const seen = text.replaceAll("\r", "");
  return text.length <= limit && seenOf(seen) === seen ? text : cleanText(text, limit);
}

function seenOf(text: string): string {
  return withoutInvisible(stripControls(text));
}
