/** Removes the characters of `characters` at the end. Not `+$`, which would rescan from each of a thousand blanks in the middle. */
export function trimEndCharacters(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

const closings: Record<string, string> = { "(": ")", "[": "]", "{": "}" };

/** Removes the sentence's punctuation (and `otherCharacters`) from a name; a closing bracket stays if the name itself opened it: `app/[id]`. */
export function trimSentenceEnd(text: string, otherCharacters = ""): string {
  let end = trimEndCharacters(text, `.,;:!?)]}'>${otherCharacters}`).length;
  const open: Record<string, number> = { ")": 0, "]": 0, "}": 0 };
  for (const character of text.slice(0, end)) {
    const closing = closings[character];
    if (closing !== undefined) open[closing] = (open[closing] ?? 0) + 1;
    else if (character in open) open[character] = Math.max((open[character] ?? 0) - 1, 0);
  }
  for (let next = text.charAt(end); (open[next] ?? 0) > 0; next = text.charAt(++end))
    open[next] = (open[next] ?? 0) - 1;
  return text.slice(0, end);
}
