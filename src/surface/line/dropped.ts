/**
 * Pictures that are dropped onto the terminal: it types their paths, as a shell would want them. As mentions they come along with the
 * prompt, which text does not.
 */
import { stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Editor } from "./editor.ts";
import { canBeMentioned, mentionOf } from "./mention-of.ts";

const seen = /\.(?:png|jpe?g|gif|webp|pdf)$/iu;
/** Words as a shell reads them, in quotes or with backslashes. */
const shellWords = /(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+/gsu;
const most = 10;

/** Puts mentions in the place of what was pasted there, where it is nothing but files that are there, and still stands there once that is known. */
export async function mentionDropped(editor: Editor, { text: pasted, from }: Pasted): Promise<boolean> {
  for (const paths of readings(pasted)) {
    if (paths.length > most || !paths.every(isPicture)) continue;
    if (!(await Promise.all(paths.map(isFile))).every(Boolean)) continue;
    const { text, cursor } = editor;
    const to = from + pasted.length;
    if (text.slice(from, to) !== pasted || cursor < to) return false;
    const head = /[^\s(]$/u.test(text.slice(0, from)) ? " " : "";
    const mentions = head + paths.map((path) => `${mentionOf(path).text} `).join("");
    editor.set(text.slice(0, from) + mentions + text.slice(to), cursor + mentions.length - pasted.length);
    return true;
  }
  return false;
}

export interface Pasted {
  text: string;
  /** Where it begins at the prompt. */
  from: number;
}

function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** What may be meant, the likeliest first: some terminals leave blanks in a path as they are. */
function readings(pasted: string): string[][] {
  const whole = pasted.trim();
  const isWhole = whole.replaceAll(shellWords, "").trim() === "";
  const words = isWhole ? (whole.match(shellWords) ?? []) : [whole];
  return [[whole], words.map(unquoted)].map((paths) => paths.map(fromUrl));
}

function unquoted(word: string): string {
  return word.replaceAll(
    /'([^']*)'|"([^"]*)"|\\(.)/gsu,
    (_, single?: string, double?: string, escaped?: string) => single ?? double ?? escaped ?? "",
  );
}

function fromUrl(path: string): string {
  try {
    return path.startsWith("file://") ? fileURLToPath(path) : path;
  } catch {
    // Another machine's, or no URL.
    return path;
  }
}

function isPicture(path: string): boolean {
  return path.startsWith("/") && seen.test(path) && canBeMentioned(path);
}
