/** Which names in a command's words are no files: those that its program takes for none, or that nothing is called by where it may look. */
import { isFolder, isThere, placeIn, type PathReader } from "../paths/path-forms.ts";
import { filesFound } from "./found-files.ts";
import { hasHole } from "../shell/fill.ts";
import { fromHome, namesIn } from "./named-words.ts";
import type { WordUse } from "./spoken-words.ts";

const maxFolders = 24;
const maxPieces = 200;
/** What nobody calls a file so: a text with blanks, and what is at an address elsewhere. */
const noFile =
  /\s|^(?:https?|wss?|ssh|s?ftps?|git|git\+(?:https?|ssh)|s3|gs|oci|docker|postgres(?:ql)?|mysql|mongodb(?:\+srv)?|rediss?|amqps?):\/\//iu;
const between = /[\s"'`()[\]{}<>|;,:=!?&#]+/u;
const betweenPatterns = /[\s"'`(){}<>|;,:=!&#]+/u;
const maxPatterns = 8;

/** Of the words of a line that runs in `cwd`. */
export function spokenIn(
  words: readonly string[],
  cwd: string,
  home: string,
  reader: PathReader,
): (name: string, use: WordUse) => boolean {
  let named: string[] | undefined;
  const at = (name: string, folder = cwd): string => placeIn(folder, fromHome(name, home));
  const foldersNamed = (): string[] =>
    words
      .flatMap((word) => Object.values(namesIn(word)).flat())
      .filter((name) => name !== "" && isFolder(at(name), reader))
      .slice(0, maxFolders);
  const isFile = (name: string, folder = cwd): boolean =>
    isThere(at(name, folder), reader) && !isFolder(at(name, folder), reader);
  const isInFolders = (test: (folder: string) => boolean): boolean =>
    (named ??= foldersNamed()).some((each) => test(at(each)));
  const isSaid = (name: string): boolean => !isFile(name) && !isInFolders((folder) => isFile(name, folder));
  return (name, use) => {
    if (use === "file" || hasHole(cwd)) return use === "said";
    if (use === "said") return isSaid(name);
    if (use === "module") return isSaid(name) && !isFile(`${name.replaceAll(".", "/")}.py`);
    if (name.includes("/") && !noFile.test(name)) return false;
    if (isThere(at(name), reader)) return false;
    const isText = use === "told" && noFile.test(name);
    if (!isText && namesFile(name, isFile, (pattern) => filesFound(at(pattern))?.length !== 0)) return false;
    // A program may be told to work there.
    return !isInFolders((folder) => isThere(at(name, folder), reader));
  };
}

/** A script, or a line to run, may hold a file's name, or a pattern that finds some. */
function namesFile(text: string, isFile: (name: string) => boolean, finds: (pattern: string) => boolean): boolean {
  const isName = (piece: string): boolean => piece !== "" && piece.length < 1024;
  const pieces = text.split(between, maxPieces);
  if (pieces.length > 1 && pieces.some((piece) => isName(piece) && isFile(piece))) return true;
  if (!/[*?[]/u.test(text)) return false;
  const patterns = text.split(betweenPatterns, maxPieces).filter((piece) => isName(piece) && /[*?[]/u.test(piece));
  return patterns.length > maxPatterns || patterns.some(finds);
}
