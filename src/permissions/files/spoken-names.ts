/** Which names in a command's words are no files: those that its program takes for none, or that nothing is called by where it may look. */
import { isFolder, isThere, placeIn, type PathReader } from "../paths/path-forms.ts";
import { hasHole } from "../shell/fill.ts";
import { fromHome, namesIn } from "./named-words.ts";
import type { WordUse } from "./spoken-words.ts";

const maxFolders = 24;
const maxPieces = 200;
/** What nobody calls a file so: a text with blanks, and what is at an address elsewhere. */
const noFile =
  /\s|^(?:https?|wss?|ssh|s?ftps?|git|git\+(?:https?|ssh)|s3|gs|oci|docker|postgres(?:ql)?|mysql|mongodb(?:\+srv)?|rediss?|amqps?):\/\//iu;
const between = /[\s"'`()[\]{}<>|;,:=!?&]+/u;

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
  return (name, use) => {
    if ((use !== "any" && use !== "told") || hasHole(cwd)) return use === "said";
    if (name.includes("/") && !noFile.test(name)) return false;
    if (isThere(at(name), reader)) return false;
    if (use === "any" && namesFile(name, (piece) => isThere(at(piece), reader) && !isFolder(at(piece), reader)))
      return false;
    // A program may be told to work there.
    named ??= foldersNamed();
    return !named.some((folder) => isThere(at(name, at(folder)), reader));
  };
}

/** A script, or a line to run, may hold a file's name. */
function namesFile(text: string, isFile: (name: string) => boolean): boolean {
  const pieces = text.split(between, maxPieces);
  return pieces.length > 1 && pieces.some((piece) => piece !== "" && piece.length < 1024 && isFile(piece));
}
