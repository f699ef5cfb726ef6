/** JSON as Python, and others, write it by default: with words for numbers that JSON has no word for. */

const words = ["NaN", "Infinity", "-Infinity"];
const [quote, backslash, capitalN, capitalI, minus] = [0x22, 0x5c, 0x4e, 0x49, 0x2d];

/** The same with `null` for each, as JavaScript writes them; undefined where there is none. A look at each character, for a text of any length. */
export function withPlainNumbers(text: string): string | undefined {
  let made = "";
  let taken = 0;
  let isString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) isString = !isString;
    else if (isString && code === backslash) at++;
    if (isString || (code !== capitalN && code !== capitalI && code !== minus)) continue;
    const word = words.find((each) => text.startsWith(each, at));
    if (word === undefined) continue;
    made += `${text.slice(taken, at)}null`;
    taken = at + word.length;
    at = taken - 1;
  }
  return taken === 0 ? undefined : made + text.slice(taken);
}
