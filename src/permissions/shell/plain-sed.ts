/** Recognises `sed` scripts that are fully understood and that read, write and run nothing. */

const delimiterForm = String.raw`(?<sign>[/|,#@%:~_!^+])`;
/** Up to the sign. A bracket list that contains the sign or a bracket is ambiguous and so not understood, except for `[[:space:]]`. */
const regexForm = String.raw`(?:(?!\k<sign>)[^\\\n[]|\\[^\n]|\[\^?(?:(?!\k<sign>)[^\\\n[\]]|\[(?!\k<sign>):[a-z]+:\])+\])*\k<sign>`;
const replacementForm = String.raw`(?:(?!\k<sign>)[^\\\n]|\\[^\n])*\k<sign>`;
const addressRegex = String.raw`\/(?:[^\\\n[\/]|\\[^\n]|\[\^?(?:[^\\\n[\]\/]|\[:[a-z]+:\])+\])*\/[IM]*`;
const addressForm = String.raw`(?:\d+(?:~\d+)?|\$|${addressRegex})(?:,[ \t]*(?:[+~]?\d+|\$|${addressRegex}))?[ \t]*(?:![ \t]*)?`;
/** Some versions take a brace as part of a label. A label must end where it ends for these, too. */
const labelForm = String.raw`[btT:][ \t]*\w*(?=\}*(?:[\s;]|$))`;
const commandForm = String.raw`[=dDgGhHnNpPxz]|[qQlL]\d*|${labelForm}|s${delimiterForm}${regexForm}${replacementForm}[gpiIMm\d]*`;
const stepForm = new RegExp(
  String.raw`[\s;]*(?:${addressForm})?(?:\{|(?:${commandForm})[ \t]*(?=[;\n}]|$))[\s;}]*`,
  "uy",
);

/** Whether a script has the flag of `s` that runs the resulting text. */
export const flagRunsText = /[^\w\s][gpiIMm\d]*e[gpiIMm\d]*(?:[\s;}]|$)/u;

const plainFlags = /^(?:-[nEruzs]+|--(?:quiet|silent|regexp-extended|null-data|separate))$/u;
const scriptOption = /^(?:-[nEruzs]*e|--expression)$/u;
/** A part that only the shell knows. */
const holeCharacter = /[\u{e000}-\u{f8ff}]/u;

/** `texts` are the words after the program's name: plain flags, scripts and files. */
export function isPlainSed(texts: readonly string[]): boolean {
  return plainSedWords(texts) !== undefined;
}

/** The indexes of the scripts and of the files in `texts`; undefined if they are not understood. */
export function plainSedWords(texts: readonly string[]): { scripts: number[]; files: number[] } | undefined {
  const scripts: number[] = [];
  const files: number[] = [];
  for (let at = 0; at < texts.length; at += 1) {
    const text = texts[at] ?? "";
    if (scriptOption.test(text)) scripts.push((at += 1));
    else if (!text.startsWith("-")) files.push(at);
    else if (!plainFlags.test(text)) return undefined;
  }
  const [first] = files;
  if (scripts.length === 0 && first !== undefined) scripts.push(...files.splice(0, 1));
  const isUnderstood = (at: number): boolean => !holeCharacter.test(texts[at] ?? "") && isPlainScript(texts[at] ?? "");
  return scripts.length > 0 && scripts.every(isUnderstood) ? { scripts, files } : undefined;
}

function isPlainScript(script: string): boolean {
  let at = 0;
  while (at < script.length) {
    stepForm.lastIndex = at;
    if (!stepForm.test(script)) return false;
    at = stepForm.lastIndex;
  }
  return script !== "";
}
