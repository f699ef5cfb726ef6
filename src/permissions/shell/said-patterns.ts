/** Finds glob patterns in the output of programs that print their words: the shell expands them, as in `for f in $(echo '/etc/*')`. */

const piece = /'[^']*'|"(?:\\[^]|[^"\\])*"|\\[^]|[|;&()`\n]|[^\s'"\\|;&()`]+/gu;
const between = /^[|;&()`\n]$/u;
/** Programs that print their arguments, or one option's value. */
const sayers = "basename|date|dirname|echo|expr|printf|seq|stat";
const saying = new RegExp(String.raw`^(?:\S*/)?(?:${sayers})$`, "u");
const sayingAnywhere = new RegExp(String.raw`\b(?:${sayers})\s`, "u");
const sayingNext = /^(?:-printf|--(?:format|pretty)=?)$/u;
const putting = /^(?:\S*\/)?tr$/u;
/** A pattern, or a code from which `printf` and `echo -e` make one. */
const pattern = /[*?[]|\\(?:[0-7]|x[\da-f]|u)/iu;
/** For `tr`, brackets mostly mean character classes. */
const put = /[*?]|\\[0-7]/u;

/** Whether shell text contains such a pattern, protected by quotes or a backslash, where it is printed. */
export function saysPattern(source: string): boolean {
  let says: RegExp | undefined;
  let saysNext = false;
  for (const [text] of source.matchAll(piece)) {
    const isKept = /^['"\\]/u.test(text);
    if (isKept && (saysNext ? pattern : says)?.test(text) === true) return true;
    // The rest may have quotes of its own.
    if (/^"[^]*(?:\$\(|`)/u.test(text)) return sayingAnywhere.test(source) && pattern.test(source);
    saysNext = sayingNext.test(text);
    if (between.test(text)) says = undefined;
    else if (!isKept && says === undefined) says = saying.test(text) ? pattern : putting.test(text) ? put : undefined;
  }
  return false;
}
