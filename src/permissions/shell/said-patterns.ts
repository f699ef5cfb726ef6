/** Patterns that programs only say: to the shell they are patterns like any other, as in `for f in $(echo '/etc/*')`. */

const piece = /'[^']*'|"(?:\\[^]|[^"\\])*"|\\[^]|[|;&()`\n]|[^\s'"\\|;&()`]+/gu;
const between = /^[|;&()`\n]$/u;
/** They say what they are told, others what they are told by one option. */
const sayers = "basename|date|dirname|echo|expr|printf|seq|stat";
const saying = new RegExp(String.raw`^(?:\S*/)?(?:${sayers})$`, "u");
const sayingAnywhere = new RegExp(String.raw`\b(?:${sayers})\s`, "u");
const sayingNext = /^(?:-printf|--(?:format|pretty)=?)$/u;
const putting = /^(?:\S*\/)?tr$/u;
/** As it is, or as a number that `printf` and `echo -e` make one of. */
const pattern = /[*?[]|\\(?:[0-7]|x[\da-f]|u)/iu;
/** Its brackets are kinds of characters mostly. */
const put = /[*?]|\\[0-7]/u;

/** Whether a text of the shell holds one that is kept from it by quotes or a backslash, where it is said. */
export function saysPattern(source: string): boolean {
  let says: RegExp | undefined;
  let saysNext = false;
  for (const [text] of source.matchAll(piece)) {
    const isKept = /^['"\\]/u.test(text);
    if (isKept && (saysNext ? pattern : says)?.test(text) === true) return true;
    // What follows may stand in quotes of its own.
    if (/^"[^]*(?:\$\(|`)/u.test(text)) return sayingAnywhere.test(source) && pattern.test(source);
    saysNext = sayingNext.test(text);
    if (between.test(text)) says = undefined;
    else if (!isKept && says === undefined) says = saying.test(text) ? pattern : putting.test(text) ? put : undefined;
  }
  return false;
}
