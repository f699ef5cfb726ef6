/** Finds `@file` mentions in a prompt: which paths they name, and which lines. The reader checks whether the files exist. */
import { beforeNextMention, unspacedLetters, widePunctuation } from "../lib/unspaced.ts";
import { withoutUndefined } from "../lib/without-undefined.ts";
import { trimSentenceEnd } from "../lib/trim-end.ts";
import { paragraphsWithoutCode } from "./memory-imports.ts";

export interface Mention {
  /** As written, without the at sign and the line range. */
  path: string;
  /** From 1. */
  from?: number;
  /** The last line; if absent and `from` is set, only that line. */
  to?: number;
  /** Other readings if there is no such file, longest first: languages written without blanks may go on directly after a name. */
  shorter?: readonly Mention[];
}

/** How many mentions of a text are read. */
export const maxMentions = 20;
const maxShorterReadings = 8;

/** Characters that never begin a file name in a prompt: patterns, punctuation, closing brackets. */
const notFileNameStart = /^[*?<>|:;,=!%&^)\]}\\]/u;

/**
 * Returns each mention once, in order, at most `limit`. A mention may follow a blank, an opening bracket, or text written without blanks. Blanks in a path
 * are quoted or escaped with a backslash. `#L10-20` or `:10-20` gives lines; columns are ignored: `:12:5`, `#L10C1-L20C5`.
 */
export function findMentions(text: string, limit = maxMentions): Mention[] {
  if (!/[@＠]/u.test(text)) return [];
  const found = new Map<string, Mention>();
  for (const part of paragraphsWithoutCode(text)) {
    for (const [, quoted, range = "", bare = ""] of part.matchAll(mentionPattern())) {
      const written = quoted === undefined ? trimSentenceEnd(bare).replaceAll("\\ ", " ") : quoted + range;
      const mention = found.has(written) ? undefined : mentionOf(written);
      if (mention === undefined) continue;
      const shorter = quoted === undefined ? shorterReadings(written) : [];
      found.set(written, { ...mention, ...(shorter.length === 0 ? {} : { shorter }) });
      if (found.size >= limit) return [...found.values()];
    }
  }
  return [...found.values()];
}

const linePattern = String.raw`\d{1,7}(?:[:C]\d{1,7})?`;
const lineRangePattern = `(?:#L?|:)${linePattern}(?:-L?${linePattern})?`;
const pathWithRange = new RegExp(`^(.+?)(${lineRangePattern})?$`, "u");

const mentionPattern = (): RegExp =>
  new RegExp(
    String.raw`(?<=^|[\s([{${unspacedLetters}${widePunctuation}])[@\uff20](?:"([^"\n]+)"(${lineRangePattern})?|((?:\\ |(?!${beforeNextMention})[^\s"'${"`"}])+))`,
    "gu",
  );

function mentionOf(written: string): Mention | undefined {
  const [, path = "", range] = pathWithRange.exec(written) ?? [];
  if (path === "" || notFileNameStart.test(path) || /[\p{Cc}]/u.test(path)) return undefined;
  if (range === undefined) return { path };
  const [from, to] = range.split("-").map((each) => Number(/\d+/u.exec(each)));
  return { path, ...withoutUndefined({ from, to }) };
}

const possibleEnds = new RegExp(String.raw`[${widePunctuation}]|(?<=[\w)\]}])[${unspacedLetters}]`, "gu");

/** Returns shorter readings: a path may end before a full-width character, or where another script begins: `src/a.ts，然后`, `src/a.ts的`. */
function shorterReadings(written: string): Mention[] {
  const starts = Array.from(written.matchAll(possibleEnds), ({ index }) => index).slice(0, maxShorterReadings);
  return starts.reverse().flatMap((at) => mentionOf(trimSentenceEnd(written.slice(0, at))) ?? []);
}
