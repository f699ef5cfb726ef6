/** Words in front of a program that allow rules look behind. */

/** How many leading words belong to wrappers that do not change what is run. */
export function wrapperLength(words: readonly string[]): number {
  const [first = "", second = "", third = ""] = words;
  if (["time", "nohup", "command", "builtin", "noglob"].includes(first)) return second.startsWith("-") ? 0 : 1;
  if (first === "nice")
    return second === "-n" && /^-?\d+$/u.test(third) ? 3 : /^-\d+$/u.test(second) ? 2 : second.startsWith("-") ? 0 : 1;
  if (first === "timeout") return /^\d+(?:\.\d+)?[smhd]?$/u.test(second) ? 2 : 0;
  if (first !== "stdbuf") return 0;
  const options = words.slice(1).findIndex((word) => !/^-[ioe](?:L|\d+)$/u.test(word));
  return options > 0 ? options + 1 : 0;
}

/** The index of the program that a rule may be for, behind the words an allow rule skips. */
export function programIndex(words: readonly string[]): number {
  let at = 0;
  for (let length = 1; length > 0; at += length) length = frontLength(words.slice(at));
  return at;
}

export function frontLength(words: readonly string[]): number {
  return isFeedingXargs(words) ? 1 : wrapperLength(words);
}

export function isFeedingXargs([first, second]: readonly string[]): boolean {
  return first === "xargs" && second !== undefined && !second.startsWith("-");
}
