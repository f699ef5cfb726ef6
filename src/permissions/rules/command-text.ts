/** A command as rules are held against it: its words with single blanks between them, and how far these are certain. */
import type { Word } from "../shell/text.ts";
import type { PlausibleCommand } from "../shell/unwrap.ts";

export interface CommandText {
  text: string;
  /** How many characters of it are certain. */
  known: number;
  /** What it was made of; absent where something else stands in front of that. */
  words?: readonly Word[];
}

export function joined(words: readonly Word[]): CommandText {
  const text = words.map((word) => word.text).join(" ");
  let known = 0;
  for (const [index, word] of words.entries()) {
    known += word.known;
    if (word.known < word.text.length) break;
    if (index < words.length - 1) known += 1;
  }
  return { text, known, words };
}

/** Under each name its program may be called by. */
export function textsOf({ words }: PlausibleCommand): CommandText[] {
  const whole = joined(words);
  const { text, known } = whole;
  const program = words[0]?.text ?? "";
  const start = program.lastIndexOf("/") + 1;
  if ((words[0]?.known ?? 0) < program.length)
    return [whole, { text: text.slice(start), known: Math.max(0, known - start), words }];
  const base = program.slice(start);
  const names = new Set([program, base, base.toLowerCase()]);
  return [...names].map((name) => ({
    text: name + text.slice(program.length),
    known: known - program.length + name.length,
    words,
  }));
}
