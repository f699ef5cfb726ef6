/** Scripts of `sed` that are understood to their end, and neither read, write nor run anything. */

const sign = String.raw`(?<sign>[/|,#@%:~_!^+])`;
/** Up to the sign. A list in brackets with one of these, or a bracket, in it is read in two ways: it is not understood. */
const regular = String.raw`(?:(?!\k<sign>)[^\\\n[]|\\[^\n]|\[\^?(?:(?!\k<sign>)[^\\\n[\]])+\])*\k<sign>`;
const replacement = String.raw`(?:(?!\k<sign>)[^\\\n]|\\[^\n])*\k<sign>`;
const matched = String.raw`\/(?:[^\\\n[\/]|\\[^\n]|\[\^?[^\\\n[\]\/]+\])*\/[IM]*`;
const place = String.raw`(?:\d+(?:~\d+)?|\$|${matched})(?:,[ \t]*(?:[+~]?\d+|\$|${matched}))?[ \t]*(?:![ \t]*)?`;
const does = String.raw`[=dDgGhHnNpPxz]|[qQlL]\d*|[btT:][ \t]*\w*|s${sign}${regular}${replacement}[gpiIMm\d]*`;
const step = new RegExp(String.raw`[\s;]*(?:${place})?(?:\{|(?:${does})[ \t]*(?=[;\n}]|$))[\s;}]*`, "uy");

const flags = /^-[nEruzs]+$/u;
const scriptOption = /^(?:-[nEruzs]*e|--expression)$/u;
/** What only the shell knows. */
const hole = /[\u{e000}-\u{f8ff}]/u;

/** `texts`: the words behind its name. One script with plain flags, and files. */
export function isPlainSed(texts: readonly string[]): boolean {
  const at = texts.findIndex((text) => scriptOption.test(text));
  if (!texts.every((text, index) => !text.startsWith("-") || index === at || flags.test(text))) return false;
  const script = at < 0 ? texts.find((text) => !text.startsWith("-")) : texts[at + 1];
  return script !== undefined && !hole.test(script) && isPlain(script);
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
