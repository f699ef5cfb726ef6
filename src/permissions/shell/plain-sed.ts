/** Recognises `sed` scripts that are fully understood and that read, write and run nothing. */

const sign = String.raw`(?<sign>[/|,#@%:~_!^+])`;
/** Up to the sign. A bracket list that contains the sign or a bracket is ambiguous and so not understood, except for `[[:space:]]`. */
const regular = String.raw`(?:(?!\k<sign>)[^\\\n[]|\\[^\n]|\[\^?(?:(?!\k<sign>)[^\\\n[\]]|\[(?!\k<sign>):[a-z]+:\])+\])*\k<sign>`;
const replacement = String.raw`(?:(?!\k<sign>)[^\\\n]|\\[^\n])*\k<sign>`;
const matched = String.raw`\/(?:[^\\\n[\/]|\\[^\n]|\[\^?(?:[^\\\n[\]\/]|\[:[a-z]+:\])+\])*\/[IM]*`;
const place = String.raw`(?:\d+(?:~\d+)?|\$|${matched})(?:,[ \t]*(?:[+~]?\d+|\$|${matched}))?[ \t]*(?:![ \t]*)?`;
/** Some versions take a brace as part of a label. A label must end where it ends for these, too. */
const label = String.raw`[btT:][ \t]*\w*(?=\}*(?:[\s;]|$))`;
const does = String.raw`[=dDgGhHnNpPxz]|[qQlL]\d*|${label}|s${sign}${regular}${replacement}[gpiIMm\d]*`;
const step = new RegExp(String.raw`[\s;]*(?:${place})?(?:\{|(?:${does})[ \t]*(?=[;\n}]|$))[\s;}]*`, "uy");

const flags = /^(?:-[nEruzs]+|--(?:quiet|silent|regexp-extended|null-data|separate))$/u;
const scriptOption = /^(?:-[nEruzs]*e|--expression)$/u;
/** A part that only the shell knows. */
const hole = /[\u{e000}-\u{f8ff}]/u;

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
    else if (!flags.test(text)) return undefined;
  }
  const [first] = files;
  if (scripts.length === 0 && first !== undefined) scripts.push(...files.splice(0, 1));
  const isUnderstood = (at: number): boolean => !hole.test(texts[at] ?? "") && isPlain(texts[at] ?? "");
  return scripts.length > 0 && scripts.every(isUnderstood) ? { scripts, files } : undefined;
}

function isPlain(script: string): boolean {
  let at = 0;
  while (at < script.length) {
    step.lastIndex = at;
    if (!step.test(script)) return false;
    at = step.lastIndex;
  }
  return script !== "";
}
