/**
 * Scripts of awk that read nothing but what they are given, and write and run nothing. Nothing is taken apart, so that nothing can be
 * misread: what awk runs, writes, reads or loads with may stand nowhere, not even in a text.
 */

/** Other files, programs, the environment, and what reaches these by a name that is put together. */
const reaching = /\bsystem\b|getline|@|\b(?:ENVIRON|ARGV|ARGC|ARGIND|PROCINFO|SYMTAB|FUNCTAB)\b/u;
/** What joins lines may divide a word. */
const joining = /\\\s*[\r\n]|\\$/u;

export function isPlainAwk(script: string): boolean {
  if (script.trim() === "" || reaching.test(script) || joining.test(script)) return false;
  // A pipe; two of these are an "or".
  if (script.replaceAll("||", "").includes("|")) return false;
  // In front of the first word that prints it compares; behind one it may write.
  const printing = script.search(/print/u);
  return printing < 0 || !script.slice(printing).includes(">");
}
