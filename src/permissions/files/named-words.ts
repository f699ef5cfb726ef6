/** The files that one word of a command may name: it may be a path, or contain one after an option's letter or a sign. */

import { placeIn } from "../paths/path-forms.ts";

/** A word with more names is not a list of options and files. */
const maxNames = 24;
const maxLength = 1024;
const urlForm = /^(?!file:)[a-z][a-z0-9_+.-]*:\/\//iu;
/** Exclusions name nothing that is read. */
const exclusionForm = /^--(?:exclude|exclude-dir|ignore|ignore-dir)=|^(?:-g|--i?glob=|-x[r\d-]*)?!\S*$/u;
/** A `sed` script with one of these signs as its delimiter. */
const sedSubstitution = /^[\d,$]*[sy]([@=:])[^]*\1[^]*\1/u;

export interface WordNames {
  /** Names to be considered whatever exists. */
  sure: string[];
  /** Names to be considered only if such a file exists, or if they contain a folder. */
  maybe: string[];
}

export function isExclusion(word: string): boolean {
  return exclusionForm.test(word);
}

export function namesInWord(written: string): WordNames {
  if (isExclusion(written)) return { sure: [], maybe: [] };
  const word = /file:/iu.test(written) ? decodeUrl(written) : written;
  const bare = word.replace(/^-L[^]*:(?=[^:]+$)|^-[^=]*=|^@|^if=/u, "");
  const sure = [bare, ...revisionFiles(bare)];
  return { sure, maybe: namesWithinWord(word).filter((name) => !sure.includes(name)) };
}

/** Decodes the escapes of a URL, each of which is a byte. */
function decodeUrl(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/giu, (bytes) => Buffer.from(bytes.replaceAll("%", ""), "hex").toString());
}

/** `HEAD:file` names a file as of a revision. */
function revisionFiles(word: string): string[] {
  const file = /^[^\s:/]*(?:\/[^\s:]+)?:(?:[0-3]:|\([^)]*\))?([^:/][^:]*)$/u.exec(word)?.[1];
  return file === undefined ? [] : [file];
}

/** Names in `-ffile`, `-nffile`, `-d@file`, `name=@file`, `name=<file`, `type=bind,source=file,target=…` and `file:/place`. */
function namesWithinWord(word: string): string[] {
  if (word.length > maxLength || urlForm.test(word) || sedSubstitution.test(word)) return [];
  const glued = /^-([A-Za-z]{1,4})/u.exec(word)?.[1]?.length ?? 0;
  const starts = Array.from({ length: glued }, (_, index) => index + 2);
  for (const { index } of word.matchAll(/[=@<:]/gu)) starts.push(index + 1);
  if (word.includes(":")) starts.push(0);
  return starts.slice(0, maxNames).flatMap((start) => {
    const rest = word.slice(start);
    const end = rest.search(/[,;:]/u);
    return end > 0 ? [rest, rest.slice(0, end)] : [rest];
  });
}

/** The folder that the command runs in, which is not always pawl's own. */
const ownFolder = /^\/+proc\/+(?:thread-)?self\/+(?:task\/+\d+\/+)?cwd(?=\/|$)/u;

/** Where a name leads for a command that runs in `folder`. */
export function placeOfName(folder: string, name: string, home: string): string {
  return placeIn(
    folder,
    expandHome(name, home).replace(ownFolder, () => folder),
  );
}

function expandHome(word: string, home: string): string {
  return word.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/u, home);
}
