/** Finds `@file` mentions in a prompt: which paths they name, and which lines. The reader checks whether the files exist. */
import { beforeNext, unspacedLetters, widePunctuation } from "../lib/unspaced.ts";
import { present } from "../lib/present.ts";
import { withoutSentence } from "../lib/without-end.ts";
import { outsideCode } from "./memory-imports.ts";

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

const mostMentions = 20;
const mostShorter = 8;

/** Characters that never begin a file name in a prompt: patterns, punctuation, closing brackets. */
const noName = /^[*?<>|:;,=!%&^)\]}\\]/u;

/**
 * Returns each mention once, in order. A mention may follow a blank, an opening bracket, or text written without blanks. Blanks in a path
 * are quoted or escaped with a backslash. `#L10-20` or `:10-20` gives lines; columns are ignored: `:12:5`, `#L10C1-L20C5`.
 */
export function findMentions(text: string): Mention[] {
  if (!/[@＠]/u.test(text)) return [];
  const found = new Map<string, Mention>();
  for (const part of outsideCode(text)) {
    for (const [, quoted, range = "", bare = ""] of part.matchAll(mentionForm())) {
      const written = quoted === undefined ? withoutSentence(bare).replaceAll("\\ ", " ") : quoted + range;
      const mention = found.has(written) ? undefined : mentionOf(written);
      if (mention === undefined) continue;
      const shorter = quoted === undefined ? shorterThan(written) : [];
      found.set(written, { ...mention, ...(shorter.length === 0 ? {} : { shorter }) });
      if (found.size >= mostMentions) return [...found.values()];
    }
  }
  return [...found.values()];
}

const line = String.raw`\d{1,7}(?:[:C]\d{1,7})?`;
const lines = `(?:#L?|:)${line}(?:-L?${line})?`;
const writtenForm = new RegExp(`^(.+?)(${lines})?$`, "u");

const mentionForm = (): RegExp =>
  new RegExp(
    String.raw`(?<=^|[\s([{${unspacedLetters}${widePunctuation}])[@\uff20](?:"([^"\n]+)"(${lines})?|((?:\\ |(?!${beforeNext})[^\s"'${"`"}])+))`,
    "gu",
  );

function mentionOf(written: string): Mention | undefined {
  const [, path = "", range] = writtenForm.exec(written) ?? [];
  if (path === "" || noName.test(path) || /[\p{Cc}]/u.test(path)) return undefined;
  if (range === undefined) return { path };
  const [from, to] = range.split("-").map((each) => Number(/\d+/u.exec(each)));
  return { path, ...present({ from, to }) };
}

const ends = new RegExp(String.raw`[${widePunctuation}]|(?<=[\w)\]}])[${unspacedLetters}]`, "gu");

/** Returns shorter readings: a path may end before a full-width character, or where another script begins: `src/a.ts，然后`, `src/a.ts的`. */
function shorterThan(written: string): Mention[] {
  const starts = Array.from(written.matchAll(ends), ({ index }) => index).slice(0, mostShorter);
  return starts.reverse().flatMap((at) => mentionOf(withoutSentence(written.slice(0, at))) ?? []);
}
