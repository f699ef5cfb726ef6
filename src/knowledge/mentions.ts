/** `@file` in a prompt: which paths it names, and which lines of them. Whether there is such a file is for who reads them to see. */
import { withoutEnd } from "../lib/without-end.ts";
import { outsideCode } from "./memory-imports.ts";
import { asNames, beforeNames, beforeNext } from "./sentence-marks.ts";

export interface Mention {
  /** As written, without the at sign and the lines. */
  path: string;
  /** From 1. */
  from?: number;
  /** The last one; absent with `from`: that line alone. */
  to?: number;
}

const mostMentions = 20;
const mention = new RegExp(`(?<=^|[\\s([{${beforeNames}])@(?:"([^"\\n]+)"|((?:(?!${beforeNext})[^\\s"'\`])+))`, "gu");

/** Each once, in order. Behind a blank or an opening bracket; with blanks in it between quotes; `#L10-20` or `:10-20` for lines. */
export function findMentions(text: string): Mention[] {
  if (!text.includes("@")) return [];
  const found = new Map<string, Mention>();
  for (const part of outsideCode(text)) {
    for (const [, quoted, bare = ""] of part.matchAll(mention)) {
      for (const written of quoted === undefined ? asNames(withoutSentence(bare)) : [quoted]) {
        const [, path = "", start, end] = /^(.+?)(?:(?:#L?|:)(\d{1,7})(?:-L?(\d{1,7}))?)?$/u.exec(written) ?? [];
        if (!/^[\p{L}\p{N}._~/-]/u.test(path) || /[\p{Cc}]/u.test(path)) continue;
        const lines =
          start === undefined ? {} : { from: Number(start), ...(end === undefined ? {} : { to: Number(end) }) };
        found.set(written, { path, ...lines });
        if (found.size >= mostMentions) return [...found.values()];
      }
    }
  }
  return [...found.values()];
}

/** What the sentence around it adds is no part of a name, but a bracket is that the name itself has opened: `app/[id]`. */
function withoutSentence(bare: string): string {
  let end = withoutEnd(bare, ".,;:!?)]}'>").length;
  const open: Record<string, number> = { ")": 0, "]": 0, "}": 0 };
  for (const character of bare.slice(0, end)) {
    const closing = closings[character];
    if (closing !== undefined) open[closing] = (open[closing] ?? 0) + 1;
    else if (character in open) open[character] = Math.max((open[character] ?? 0) - 1, 0);
  }
  for (let next = bare.charAt(end); (open[next] ?? 0) > 0; next = bare.charAt(++end))
    open[next] = (open[next] ?? 0) - 1;
  return bare.slice(0, end);
}

const closings: Record<string, string> = { "(": ")", "[": "]", "{": "}" };
