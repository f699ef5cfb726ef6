/** Removes what may stand in front of a command: variable assignments, and keywords with the names that follow them. */
import type { Word } from "./text.ts";
import { compoundKeywords, isAssignment, keywords, nameTakingKeywords } from "./wrappers.ts";

export function withoutLeadingWords(written: readonly Word[]): Word[] {
  let start = 0;
  for (let first = written[0]; first !== undefined; first = written[start]) {
    const { text, known } = first;
    const isPlain = known === text.length;
    if (isPlain && text === "function") start += 2;
    else if (isPlain && nameTakingKeywords.has(text) && compoundKeywords.has(written[start + 2]?.text ?? ""))
      start += 2;
    else if ((isPlain && keywords.has(text)) || isAssignment(first)) start += 1;
    else break;
  }
  return written.slice(start);
}
