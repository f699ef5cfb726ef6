/** The files of a project that a command names, however it is written. A word too many is asked about once more, one too few never. */
import { join, resolve } from "node:path";

/** Mostly the project's folder, or the one that the command runs in. */
const variable = /^(?:\$(?:\w+|\{[^}]*\}|\((?:[^()]|\([^()]*\))*\))|`[^`]*`)(?=\/)/u;
/** As a shell divides them: some of its quotes and escapes may stand within one. */
const shellWord = /(?:"(?:[^"\\]|\\[^])*"|'[^']*'|\\[^]|[^\s"'\\`;|&()<>])+/gu;
/** Short options in one word, as many as may stand before a value; by convention `-o` is written. */
const shortOptions = /^-([^-o][\da-np-zA-Z]{0,3})/u;
const between = /[\s`;|&()<>=]+/u;

/** A redirection and its target; what is quoted, line by line, and processes in the place of files, are none. */
const redirection =
  /"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|\\.|(?<![<>])>{1,2}[|&]?[ \t]*((?:"[^"\n]*"|'[^'\n]*'|[^\s"'`;|&()<>\\])+)/gu;
/** A command, up to the next one, that writes or looks for what it names, and runs none of it. */
const recorder =
  /(^|[;&|(){}`\n])([ \t]*(?:(?:then|do|else|!)[ \t]+)?(?:touch|tee|rm|test|\[{1,2})[ \t][^;&|(){}`\n]*)/gu;

/** Each is looked into for every word. */
const mostEntered = 4;
const entering =
  /(?:^|[\s;&|("'`\\])(?:cd|pushd)["']?\s+(?:-\S*\s+)*((?:"[^"\n]*"|'[^'\n]*'|\\.|\$\((?:[^()]|\([^()]*\))*\)|`[^`\n]*`|[^\s"'`\\;&|()<>])+)/gu;

export function filesNamed(command: string, folder: string, isFileIn: (path: string) => boolean): string[] {
  const readings = new Set([command, withDefaults(command)]);
  return [...new Set([...readings].flatMap((each) => namedIn(each, folder, isFileIn)))];
}

/** What it says where no variable is set that has a default: `${PLACE:-tools}/check.sh`. */
function withDefaults(text: string): string {
  return text.replace(/\$\{(\w+)\}/gu, "$$$1").replace(/\$\{\w+:?[-=+]|\}/gu, "");
}

function namedIn(command: string, folder: string, isFileIn: (path: string) => boolean): string[] {
  const text = withoutRecords(command);
  const plain = text.replace(/["'\\]/gu, "");
  const quoted = [...text.matchAll(/"([^"\n]*)"|'([^'\n]*)'/gu)].map(([, double, single = ""]) => double ?? single);
  const whole = (text.match(shellWord) ?? []).map((each) => each.replace(/\\([^])|["']/gu, "$1"));
  // Within a command of a shell's own, quotes stand in quotes.
  const inner = text.split(/["'\\\n]+/u);
  const words = new Set([...text.split(/[\s"'`;|&()<>=]+/u), ...plain.split(between), ...quoted, ...inner, ...whole]);
  const bases = foldersEntered(text, folder);
  const paths = [...words]
    .flatMap(valuesIn)
    .filter((word) => word !== "" && !word.startsWith("-"))
    // Of a rule in the elder form.
    .map((word) => word.replace(/:\*$/u, ""))
    .flatMap((word) => bases.flatMap((base) => [resolve(base, word), within(base, word)]));
  return [...new Set(paths)].filter(isFileIn);
}

/** Behind any of its short options may stand a value, as in `awk -fscript` and `sed -nfscript`. */
function valuesIn(word: string): string[] {
  const options = shortOptions.exec(word)?.[1];
  return options === undefined ? [word] : Array.from(options, (_, at) => word.slice(at + 2));
}

/** And the one it starts in: as it is written; by a command of a shell's own, whose quotes may be escaped ones; and where quotes stand within `cd`. */
function foldersEntered(text: string, folder: string): string[] {
  const readings = new Set([text, text.replace(/\\/gu, ""), text.replace(/["'\\]/gu, "")]);
  const all = [...readings].flatMap((read) => {
    const bases = [folder];
    // Each may stand behind those before it.
    for (const [, to = ""] of [...read.matchAll(entering)].slice(0, mostEntered))
      bases.push(...bases.map((base) => within(base, to.replace(/\\([^])|["']/gu, "$1"))));
    return bases;
  });
  return [...new Set(all)];
}

/** As it is meant behind a folder that is filled in when it runs. */
function within(base: string, word: string): string {
  const rest = word.replace(variable, "");
  return rest.startsWith(base) ? rest : join(base, rest);
}

/** A log that a hook keeps would end the trust in its folder with each line. */
function withoutRecords(command: string): string {
  const unwritten = command.replace(redirection, (all, target?: string) => (target === undefined ? all : " "));
  return unwritten.replace(recorder, (all, before: string, recorded: string) =>
    isWhole(recorded) ? `${before} ` : all,
  );
}

/** Otherwise it stands within a text, and what follows is another command's. */
function isWhole(text: string): boolean {
  return ['"', "'"].every((quote) => text.split(quote).length % 2 === 1);
}
