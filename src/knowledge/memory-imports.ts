/** Finds the `@path` imports of a memory file: anywhere in its text except in code, where an at sign means something else. */
import { dirname, resolve } from "node:path";
import type { DiskSpellings } from "../lib/path-status.ts";
import { expandHome } from "../lib/home-folder.ts";
import { beforeNextMention, unspacedLetters, wideEndMarks, widePunctuation } from "../lib/unspaced.ts";
import { trimEndCharacters } from "../lib/trim-end.ts";
import { CodeFences } from "./code-fences.ts";

const maxImports = 1_000;

/** Brackets, quotes and emphasis that may precede an import. No letters: an at sign after a letter is part of an e-mail address. */
const openingMarks = String.raw`([{<*"'\u00ab\u00bb\u201e`;

/** Returns each import once, in order, as written: relative to the file, absolute, or from `~`. */
export function findImports(text: string): string[] {
  const found = new Set<string>();
  if (!text.includes("@")) return [];
  // Underscores for emphasis count too, as formatters write them; after a letter they are part of an address.
  const underscores = String.raw`(?:^|[^\p{L}\p{M}\p{N}_])_{1,3}`;
  const form = new RegExp(
    String.raw`(?:^|(?<=[\s${openingMarks}${widePunctuation}]|${underscores})|(?<letter>(?<=[${unspacedLetters}]_{0,3})))@((?:\\ |(?!${beforeNextMention})[^\s\\])+)`,
    "gu",
  );
  for (const paragraph of withoutIndentedCode(paragraphsOutsideFences(text)).map(withoutCodeSpans)) {
    for (const { 1: letter, 2: written = "", index } of paragraph.matchAll(form)) {
      const name = cutFollowingText(written.replaceAll("\\ ", " "));
      const ends = `.,;:!?)]}>*'"»«“${wideEndMarks}`;
      const bare = trimEndCharacters(name, `${ends}_`);
      // Emphasis may have begun earlier, as in `_see @docs/a.md_`.
      const isEmphasised = paragraph.charAt(index - 1) === "_" || /\.[A-Za-z]\w{0,7}$/u.test(bare);
      const path = isEmphasised ? bare : trimEndCharacters(name, ends);
      // After a letter it may be an e-mail address.
      const isName = letter === undefined || path.includes("/") || /\.(?:md|mdc|txt)$/u.test(path);
      if (isName && /^[\p{L}\p{N}._~/-]/u.test(path) && !/\p{Cc}/u.test(path)) found.add(path);
      if (found.size >= maxImports) return [...found];
    }
  }
  return [...found];
}

/**
 * Where an import's name ends. A wide bracket after a digit may be part of the name, and after other letters if the name continues to a
 * file extension: `v1.2（新）.md`, `Vue.js（入门）.md`.
 */
const importEnd = new RegExp(
  String.raw`\][([]|(?<=\.\w{1,8})[${wideEndMarks}]|(?<=\.(?:md|mdc|txt))[${widePunctuation}${unspacedLetters}]|(?<=\.[A-Za-z]\w{0,7})[${widePunctuation}](?!\S{0,100}\.(?:md|mdc|txt)(?!\w))`,
  "u",
);

/** Cuts text that follows a name directly, in languages written without blanks: `@docs/a.md，并遵守`, `@docs/a.md（必读）`, `@docs/a.md的规定`. */
function cutFollowingText(written: string): string {
  const end = importEnd.exec(written)?.index;
  return end === undefined ? written : written.slice(0, end);
}

/** Returns the path of an import. If the file's name on disk has decomposed accents, that spelling is used. */
export function importedPath(written: string, file: string, home: string, spellings: DiskSpellings): string {
  const path = resolve(dirname(file), expandHome(written, home));
  return spellings.spellingOf(path) ?? path;
}

/** Returns the paragraphs of a text, without fenced code and code spans. */
export function paragraphsWithoutCode(text: string): string[] {
  return paragraphsOutsideFences(text).map(withoutCodeSpans);
}

function paragraphsOutsideFences(text: string): string[] {
  const paragraphs: string[] = [];
  let lines: string[] = [];
  // A fence indented by more than three blanks is code in a list, or code because of its indent.
  const fences = new CodeFences(Infinity);
  const end = (): void => {
    if (lines.length > 0) paragraphs.push(lines.join("\n"));
    lines = [];
  };
  for (const line of text.split("\n")) {
    if (fences.isCode(line) || line.trim() === "") end();
    else lines.push(line);
  }
  end();
  return paragraphs;
}

const indented = /^(?: {4}| {0,3}\t)/u;
const item = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)/u;

/** Removes lines at a paragraph's head indented by four blanks: they are code, except below a list item, whose text they may be. */
function withoutIndentedCode(paragraphs: readonly string[]): string[] {
  let isInList = false;
  return paragraphs.map((paragraph) => {
    const lines = paragraph.split("\n");
    const end = isInList ? 0 : lines.findIndex((line) => !indented.test(line));
    const kept = end < 0 ? [] : lines.slice(end);
    if (kept.some((line) => item.test(line))) isInList = true;
    else if (/^ ?\S/u.test(kept[0] ?? "")) isInList = false;
    return kept.join("\n");
  });
}

/** Removes code spans: a span lies between two runs of backticks of the same length. */
function withoutCodeSpans(text: string): string {
  const runs = [...text.matchAll(/`+/gu)].map(({ index, 0: run }) => ({ start: index, length: run.length }));
  if (runs.length < 2) return text;
  const nextOfLength = new Map<number, number>();
  const closing: (number | undefined)[] = [];
  for (let at = runs.length - 1; at >= 0; at -= 1) {
    const { length } = runs[at]!;
    closing[at] = nextOfLength.get(length);
    nextOfLength.set(length, at);
  }
  let kept = "";
  let from = 0;
  for (let at = 0; at < runs.length; at += 1) {
    const close = closing[at];
    if (close === undefined) continue;
    kept += `${text.slice(from, runs[at]!.start)}\``;
    from = runs[close]!.start + runs[close]!.length;
    at = close;
  }
  return kept + text.slice(from);
}
