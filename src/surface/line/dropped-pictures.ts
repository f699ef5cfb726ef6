/**
 * Pictures that are dropped onto the terminal, which then types their paths quoted for a shell. They are turned into mentions, so
 * that the pictures are sent with the prompt.
 */
import { stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Editor } from "./editor.ts";
import { canBeMentioned, formatMention } from "./mention.ts";

const pictureExtension = /\.(?:png|jpe?g|gif|webp|pdf)$/iu;
/** Shell words, with quotes or backslashes. */
const shellWords = /(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+/gsu;
const maxDroppedPaths = 10;

/** Replaces pasted text by mentions if it names only existing files and is still in place once that is known. */
export async function mentionDroppedPictures(editor: Editor, { text: pasted, from }: Pasted): Promise<boolean> {
  for (const paths of possiblePaths(pasted)) {
    if (paths.length > maxDroppedPaths || !paths.every(isPicture)) continue;
    if (!(await Promise.all(paths.map(isFile))).every(Boolean)) continue;
    const { text, cursor } = editor;
    const to = from + pasted.length;
    if (text.slice(from, to) !== pasted || cursor < to) return false;
    const head = /[^\s(]$/u.test(text.slice(0, from)) ? " " : "";
    const mentions = head + paths.map((path) => `${formatMention(path).text} `).join("");
    editor.set(text.slice(0, from) + mentions + text.slice(to), cursor + mentions.length - pasted.length);
    return true;
  }
  return false;
}

export interface Pasted {
  text: string;
  /** Where the text begins in the prompt. */
  from: number;
}

function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** Returns possible readings, the likeliest first: some terminals do not quote blanks in a path. */
function possiblePaths(pasted: string): string[][] {
  const whole = pasted.trim();
  const isWhole = whole.replaceAll(shellWords, "").trim() === "";
  const words = isWhole ? (whole.match(shellWords) ?? []) : [whole];
  return [[whole], words.map(unquote)].map((paths) => paths.map(fromUrl));
}

function unquote(word: string): string {
  return word.replaceAll(
    /'([^']*)'|"([^"]*)"|\\(.)/gsu,
    (_, single?: string, double?: string, escaped?: string) => single ?? double ?? escaped ?? "",
  );
}

function fromUrl(path: string): string {
  try {
    return path.startsWith("file://") ? fileURLToPath(path) : path;
  } catch {
    // The URL names another machine, or is not valid.
    return path;
  }
}

function isPicture(path: string): boolean {
  return path.startsWith("/") && pictureExtension.test(path) && canBeMentioned(path);
}
