/** Scripts of `sed` that are understood to their end, and neither read, write nor run anything. */

const sign = String.raw`(?<sign>[/|,#@%:~_!^+])`;
/** Up to the sign. A list in brackets with one of these, or a bracket, in it is read in two ways: it is not understood, but for `[[:space:]]`. */
const regular = String.raw`(?:(?!\k<sign>)[^\\\n[]|\\[^\n]|\[\^?(?:(?!\k<sign>)[^\\\n[\]]|\[(?!\k<sign>):[a-z]+:\])+\])*\k<sign>`;
const replacement = String.raw`(?:(?!\k<sign>)[^\\\n]|\\[^\n])*\k<sign>`;
const matched = String.raw`\/(?:[^\\\n[\/]|\\[^\n]|\[\^?(?:[^\\\n[\]\/]|\[:[a-z]+:\])+\])*\/[IM]*`;
const place = String.raw`(?:\d+(?:~\d+)?|\$|${matched})(?:,[ \t]*(?:[+~]?\d+|\$|${matched}))?[ \t]*(?:![ \t]*)?`;
/** To some a brace belongs to a label: where the label ends to them, the next step has to begin. */
const label = String.raw`[btT:][ \t]*\w*(?=\}*(?:[\s;]|$))`;
const does = String.raw`[=dDgGhHnNpPxz]|[qQlL]\d*|${label}|s${sign}${regular}${replacement}[gpiIMm\d]*`;
const step = new RegExp(String.raw`[\s;]*(?:${place})?(?:\{|(?:${does})[ \t]*(?=[;\n}]|$))[\s;}]*`, "uy");

const flags = /^(?:-[nEruzs]+|--(?:quiet|silent|regexp-extended|null-data|separate))$/u;
const scriptOption = /^(?:-[nEruzs]*e|--expression)$/u;
/** What only the shell knows. */
const hole = /[\u{e000}-\u{f8ff}]/u;

/** `texts`: the words behind its name. Scripts with plain flags, and files. */
export function isPlainSed(texts: readonly string[]): boolean {
  return plainSedWords(texts) !== undefined;
}

/** Where in `texts` the scripts stand, and where the files; undefined where it is not understood. */
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
