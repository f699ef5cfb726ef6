/** The names of files that code may write. What the code does with a file is not followed: each name counts unless the code plainly reads it. */
import { isFolder, isThere, type PathReader } from "../paths/path-forms.ts";
import { placeOfName } from "./named-words.ts";
import { anythingBelow } from "./written-paths.ts";

const quotedText = String.raw`(?:r|b|f|u|rb)?(?:"[^"\n]*"|'[^'\n]*'|\x60[^\x60\n]*\x60)`;
const readMode = String.raw`(?:\s*,\s*(?:mode\s*=\s*)?["']r[bt]?["'])?(?:\s*,\s*(?:encoding|errors|newline)\s*=\s*["'][^"'\n]*["'])*`;
const readCalls =
  "require(?:\\.resolve)?|import|readFile(?:Sync)?|createReadStream|exists(?:Sync)?|(?:l?stat|access|readdir|realpath)(?:Sync)?|" +
  "readTextFile(?:Sync)?|loadEnvFile|file_get_contents|file_exists|is_file|is_dir|isfile|isdir|getsize|getmtime|listdir|scandir|File\\.read|IO\\.read|" +
  "readlines|foreach|safe_load|load_file|loadtxt|read_(?:csv|json|parquet|excel|text|bytes|html|xml|feather)|imread|Image\\.open|glob";
/** Names that the code plainly only reads. */
const readForms = [
  new RegExp(String.raw`(?<![\w.])(?:io\.|codecs\.|gzip\.|File\.)?open\(\s*${quotedText}${readMode}\s*\)`, "gu"),
  new RegExp(String.raw`(?<!\w)(?:${readCalls})\s*(?:\(\s*)?${quotedText}`, "gu"),
  new RegExp(String.raw`\bfrom\s+${quotedText}`, "gu"),
  new RegExp(
    String.raw`\bPath\(\s*${quotedText}\s*\)\.(?:read_text|read_bytes|exists|is_file|is_dir|stat|iterdir|r?glob|resolve|name|stem|suffix)\b`,
    "gu",
  ),
  /["']<(?::\w+(?:\([\w-]+\))?)?["']\s*,\s*(?:"[^"\n]*"|'[^'\n]*')|["']<[^"'>\n]*["']/gu,
  /^(?:[\d,.$]|[^\S\n\r\u2028\u2029])*r(?:ead?)?[ \t]+[^!\s]\S*$/gmu,
  /(?<![^\n])[^\S\n]*\.(?:import|read)[ \t]+\S+/gu,
];
const quoted = /"([^"\n]+)"|'([^'\n]+)'|`([^`\n]+)`/gu;
const pieceSeparator = /[\s"'`()[\]{}<>|;,:=!?*&#%^+@\\]+/u;
/** Signs of a redirection or of a mode in front of a name: `">x"`, `"+<x"`, `"file:x"`. */
const leadingSigns = /^(?:\+?[<>]{1,2}|file:(?:\/\/)?)\s*/u;
/** What writes, removes or runs. */
const writingSign =
  />|\b(?:\w*(?:write|output|unlink|remove|delete|rename|replace|move|copy|mkdir|touch|chmod|truncate|save|dump|append|create|link|system|exec|spawn|popen|shell)\w*|open|rm\w*|run|call|cp|mv|ln|put\w*|into|attach)\b|["'][rwax]?b?[wax+]b?\+?["']/iu;
/** What is done to a whole folder. */
const folderSign =
  /rmtree|rm_rf|rm_r\b|rm(?:dir)?(?:Sync)?\b|remove|delete|unlink|rename|replace|move|copy|\bmv\b|\bcp\b|\brm\b/iu;
/** Commands of line editors and consoles that write to a file, with its bare name. */
const bareTargets = [
  /(?:^|[|,$%\d\s])(?:w(?:q|rite)?|sav(?:eas)?|up(?:date)?|e(?:dit)?|redir|W)!?[ \t]*(?:>>?[ \t]*)?([^\s|!>][^\s|]*)[ \t]*(?=$|\|)/gmu,
  /^[^\S\n\r\u2028\u2029]*\.(?:o[a-z]*|once|save|backup|clone|log|open)[ \t]+(?:-\S+[ \t]+)*(\S+)/gmu,
  /\\[ow][ \t]+(\S+)/gu,
];
const pathLike = /^[^\s]*(?:\/|\.\w)[^\s]*$/u;
/** As many as are looked up for reading; a line with more is in doubt. */
const maxNames = 10_000;
const maxFolders = 20;
const maxJoined = 200;
const maxLength = 4_096;

interface CodePlaces {
  home: string;
  reader: PathReader;
}

/** The names that the codes may write, seen from `cwd`. */
export function namesInCode(codes: readonly string[], cwd: string, places: CodePlaces): string[] {
  return [...new Set(codes.flatMap((code) => namesInText(code, cwd, places)))];
}

function namesInText(code: string, cwd: string, { home, reader }: CodePlaces): string[] {
  const open = readForms.reduce((text, form) => text.replace(form, " "), code);
  const at = (name: string): string => placeOfName(cwd, name, home);
  const isFile = (name: string): boolean => isThere(at(name), reader) && !isFolder(at(name), reader);
  const inQuotes = [...open.matchAll(quoted)]
    .map(([, double, single, back]) => (double ?? single ?? back ?? "").replace(leadingSigns, ""))
    .filter((name) => name !== "" && !name.startsWith("-"))
    .slice(0, maxNames);
  const folders = inQuotes.filter((name) => isFolder(at(name), reader)).slice(0, maxFolders);
  const joined = folders.flatMap((folder) => inQuotes.slice(0, maxJoined).map((name) => `${folder}/${name}`));
  const bare = bareTargets.flatMap((form) => [...open.matchAll(form)].map(([, name = ""]) => name));
  const pieces = open.split(pieceSeparator).filter((piece) => piece !== "" && piece.length < maxLength);
  const found = [...new Set([...inQuotes, ...joined, ...pieces.slice(0, maxNames)])].filter(isFile);
  const made = writingSign.test(open) ? [...inQuotes, ...bare].filter((name) => pathLike.test(name)) : bare;
  const whole = folderSign.test(open) ? folders.flatMap((folder) => [folder, folder + anythingBelow]) : [];
  return [...found, ...made.slice(0, maxNames), ...whole];
}
