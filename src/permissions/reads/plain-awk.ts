/**
 * Recognises awk scripts that read only their input, and write and run nothing. The script is not parsed, so nothing can be misparsed:
 * whatever lets awk run, write, read or load something may not occur at all, not even in a string.
 */

/** Access to other files, programs, the environment, and ways to reach these by computed names. */
const reachingWord = /\bsystem\b|getline|@|\b(?:ENVIRON|ARGV|ARGC|ARGIND|PROCINFO|SYMTAB|FUNCTAB)\b/u;
/** A continued line may split a word. */
const continuedLine = /\\\s*[\r\n]|\\$/u;

export function isPlainAwk(script: string): boolean {
  if (script.trim() === "" || reachingWord.test(script) || continuedLine.test(script)) return false;
  // A single pipe. Two of them mean "or".
  if (script.replaceAll("||", "").includes("|")) return false;
  // Before the first print statement, `>` compares; after it, `>` may write.
  const printing = script.search(/print/u);
  return printing < 0 || !script.slice(printing).includes(">");
}
