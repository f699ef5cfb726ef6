/** Finds glob patterns in the output of programs that print their words: the shell expands them, as in `for f in $(echo '/etc/*')`. */

const textPiece = /'[^']*'|"(?:\\[^]|[^"\\])*"|\\[^]|[|;&()`\n]|[^\s'"\\|;&()`]+/gu;
const separator = /^[|;&()`\n]$/u;
/** Programs that print their arguments, or one option's value. */
const printingPrograms = "basename|date|dirname|echo|expr|printf|seq|stat";
const printingProgram = new RegExp(String.raw`^(?:\S*/)?(?:${printingPrograms})$`, "u");
const printingAnywhere = new RegExp(String.raw`\b(?:${printingPrograms})\s`, "u");
const formatOption = /^(?:-printf|--(?:format|pretty)=?)$/u;
const trProgram = /^(?:\S*\/)?tr$/u;
/** A pattern, or a code from which `printf` and `echo -e` make one. */
const pattern = /[*?[]|\\(?:[0-7]|x[\da-f]|u)/iu;
/** For `tr`, brackets mostly mean character classes. */
const trPattern = /[*?]|\\[0-7]/u;

/** Whether shell text contains such a pattern, protected by quotes or a backslash, where it is printed. */
export function printsPattern(source: string): boolean {
  let currentPattern: RegExp | undefined;
  let isFormatNext = false;
  for (const [text] of source.matchAll(textPiece)) {
    const isKept = /^['"\\]/u.test(text);
    if (isKept && (isFormatNext ? pattern : currentPattern)?.test(text) === true) return true;
    // The rest may have quotes of its own.
    if (/^"[^]*(?:\$\(|`)/u.test(text)) return printingAnywhere.test(source) && pattern.test(source);
    isFormatNext = formatOption.test(text);
    if (separator.test(text)) currentPattern = undefined;
    else if (!isKept && currentPattern === undefined)
      currentPattern = printingProgram.test(text) ? pattern : trProgram.test(text) ? trPattern : undefined;
  }
  return false;
}
