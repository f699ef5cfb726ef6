/** Finds the project's files a command names, however it is written. Finding too many costs a question; too few would never be asked. */
import { join, resolve } from "node:path";

/** A variable or substitution in front of a path, usually the project's folder or the folder the command runs in. */
const leadingVariable = /^(?:\$(?:\w+|\{[^}]*\}|\((?:[^()]|\([^()]*\))*\))|`[^`]*`)(?=\/)/u;
/** One word as a shell divides them; quotes and escapes may be inside it. */
const shellWord = /(?:"(?:[^"\\]|\\[^])*"|'[^']*'|\\[^]|[^\s"'\\`;|&()<>])+/gu;
/** Short options in one word, as many as may precede a value. By convention `-o` writes its file. */
const shortOptions = /^-([^-o][\da-np-zA-Z]{0,3})/u;
const wordSeparators = /[\s`;|&()<>=]+/u;

/** A redirection and its target. Quoted text, matched line by line, and process substitutions are not redirections. */
const redirection =
  /"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|\\.|(?<![<>])>{1,2}[|&]?[ \t]*((?:"[^"\n]*"|'[^'\n]*'|[^\s"'`;|&()<>\\])+)/gu;
/** A command, up to the next one, that writes or tests the files it names and runs none of them. */
const writeOnlyCommand =
  /(^|[;&|(){}`\n])([ \t]*(?:(?:then|do|else|!)[ \t]+)?(?:touch|tee|rm|test|\[{1,2})[ \t][^;&|(){}`\n]*)/gu;

/** Each of these folders is looked into for every word. */
const maxFoldersEntered = 4;
const folderChange =
  /(?:^|[\s;&|("'`\\])(?:cd|pushd)["']?\s+(?:-\S*\s+)*((?:"[^"\n]*"|'[^'\n]*'|\\.|\$\((?:[^()]|\([^()]*\))*\)|`[^`\n]*`|[^\s"'`\\;&|()<>])+)/gu;

export function findNamedFiles(command: string, folder: string, isFileIn: (path: string) => boolean): string[] {
  const readings = new Set([command, withVariableDefaults(command)]);
  return [...new Set([...readings].flatMap((each) => filesInReading(each, folder, isFileIn)))];
}

/** The text that results if no variable with a default is set: `${PLACE:-tools}/check.sh`. */
function withVariableDefaults(text: string): string {
  return text.replace(/\$\{(\w+)\}/gu, "$$$1").replace(/\$\{\w+:?[-=+]|\}/gu, "");
}

function filesInReading(command: string, folder: string, isFileIn: (path: string) => boolean): string[] {
  const text = withoutWrittenFiles(command);
  const plain = text.replace(/["'\\]/gu, "");
  const quoted = [...text.matchAll(/"([^"\n]*)"|'([^'\n]*)'/gu)].map(([, double, single = ""]) => double ?? single);
  const shellWords = (text.match(shellWord) ?? []).map((each) => each.replace(/\\([^])|["']/gu, "$1"));
  // In a command line given to a shell, quotes are nested in quotes.
  const inner = text.split(/["'\\\n]+/u);
  const words = new Set([
    ...text.split(/[\s"'`;|&()<>=]+/u),
    ...plain.split(wordSeparators),
    ...quoted,
    ...inner,
    ...shellWords,
  ]);
  const bases = foldersEntered(text, folder);
  const paths = [...words]
    .flatMap(possibleValues)
    .filter((word) => word !== "" && !word.startsWith("-"))
    // A rule of the older form ends in `:*`.
    .map((word) => word.replace(/:\*$/u, ""))
    .flatMap((word) => bases.flatMap((base) => [resolve(base, word), resolveFrom(base, word)]));
  return [...new Set(paths)].filter(isFileIn);
}

/** The possible values in a word: any of its short options may precede one, as in `awk -fscript` and `sed -nfscript`. */
function possibleValues(word: string): string[] {
  const options = shortOptions.exec(word)?.[1];
  return options === undefined ? [word] : Array.from(options, (_, at) => word.slice(at + 2));
}

/** The folders the command enters and its start: read as written, as a shell's own command line with escaped quotes, and without quotes. */
function foldersEntered(text: string, folder: string): string[] {
  const readings = new Set([text, text.replace(/\\/gu, ""), text.replace(/["'\\]/gu, "")]);
  const all = [...readings].flatMap((read) => {
    const bases = [folder];
    // Each folder may be relative to those before it.
    for (const [, to = ""] of [...read.matchAll(folderChange)].slice(0, maxFoldersEntered))
      bases.push(...bases.map((base) => resolveFrom(base, to.replace(/\\([^])|["']/gu, "$1"))));
    return bases;
  });
  return [...new Set(all)];
}

/** Resolves a word whose leading variable stands for a folder that is filled in at run time. */
function resolveFrom(base: string, word: string): string {
  const rest = word.replace(leadingVariable, "");
  return rest.startsWith(base) ? rest : join(base, rest);
}

/** Removes what a command only writes: otherwise a hook that appends to a log in its folder would end the trust with each line. */
function withoutWrittenFiles(command: string): string {
  const unwritten = command.replace(redirection, (matched, target?: string) => (target === undefined ? matched : " "));
  return unwritten.replace(writeOnlyCommand, (matched, before: string, recorded: string) =>
    hasBalancedQuotes(recorded) ? `${before} ` : matched,
  );
}

/** Whether quotes are balanced. Otherwise the command is inside a text, and what follows belongs to another command. */
function hasBalancedQuotes(text: string): boolean {
  return ['"', "'"].every((quote) => text.split(quote).length % 2 === 1);
}
