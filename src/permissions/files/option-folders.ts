/** The folders that options and variables tell programs to work in: `git -C`, `env --chdir`, `GIT_WORK_TREE`. */
import { resolve } from "node:path";
import { fillWordForms, type ValueOf } from "../shell/fill.ts";
import { textsOf, type LexedCommand } from "../shell/text.ts";
import { programName, type PlausibleCommand } from "../shell/unwrap.ts";

/** The folders, and those that options and work trees name in them. */
export function withOptionFolders(
  folders: readonly string[],
  commands: readonly PlausibleCommand[],
  trees: readonly string[],
): string[] {
  const optioned = commands.filter(({ words }) => folderOptions.has(programName(words[0]) ?? ""));
  const all = [...folders, ...folders.flatMap((folder) => foldersFromOptions(optioned, folder))];
  return [...new Set([...all, ...all.flatMap((folder) => trees.map((tree) => resolve(folder, tree)))])];
}

/** The work trees that variables give to git. */
export function workTrees(written: readonly LexedCommand[], valueOf: ValueOf, source: string): string[] {
  if (!source.includes("GIT_WORK_TREE")) return [];
  const texts = written.flatMap(({ words }) => words.flatMap((word) => textsOf(fillWordForms(word, valueOf).flat())));
  return texts.flatMap((text) => /^GIT_WORK_TREE=(.+)$/su.exec(text)?.[1] ?? []);
}

/** Options for a working directory: the value is the rest of the word, or the next word. */
const folderOptions = new Map([
  ["git", /^(?:-C$|--work-tree(?:=|$))(.*)$/su],
  ["env", /^(?:-[0iv]*C|--c(?:h(?:d(?:ir?)?)?)?(?:=|$))(.*)$/su],
  ["sudo", /^(?:-[ABbEeHiKklNnPSsv]*D|--chd(?:ir?)?(?:=|$))(.*)$/su],
]);

/** The folders that git, `env` and `sudo` are told to work in, each relative to the one before. */
function foldersFromOptions(commands: readonly PlausibleCommand[], start: string): string[] {
  return commands.flatMap(({ words }) => {
    const option = folderOptions.get(programName(words[0]) ?? "");
    if (option === undefined) return [];
    let place = start;
    const texts = textsOf(words);
    return texts.flatMap((text, index) => {
      const folder = option.exec(texts[index - 1] ?? "")?.[1] === "" ? text : option.exec(text)?.[1];
      return folder === undefined || folder === "" ? [] : [(place = resolve(place, folder))];
    });
  });
}
