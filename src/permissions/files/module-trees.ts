/** The folders that modules of Python pack or serve when they are run as programs: `python3 -m zipfile -c a.zip .` */
import { treeAt, type Tree } from "./tree.ts";

export function isPython(program: string): boolean {
  return /^(?:py(?:thon)?|pypy)[\d.]*$/u.test(program);
}

/** Options may be in one word with `-m`, and the module's name as well: `-Im zipfile`, `-mzipfile`. */
const moduleOption = /^-[A-Za-z]*?m(.*)$/su;

/** These take the next word as their value. */
const valuedOption = /^-[A-Za-z]*[WX]$/u;

/** The index of the option that names a module; -1 if a script or code comes first, whose options are not Python's. */
function moduleIndex(texts: readonly string[]): number {
  for (let at = 0; at < texts.length; at += 1) {
    const text = texts[at] ?? "";
    if (!text.startsWith("-") || /^-(?!-)[A-Za-z]*?c/u.test(text.split(/[mWX]/u, 1)[0] ?? "")) return -1;
    if (/^-(?!-)/u.test(text) && moduleOption.test(text.split(/[WX]/u, 1)[0] ?? "")) return at;
    if (valuedOption.test(text) || text === "--check-hash-based-pycs") at += 1;
  }
  return -1;
}

export function treesOfPython(texts: readonly string[]): Tree[] {
  const at = moduleIndex(texts);
  const glued = moduleOption.exec(texts[at] ?? "")?.[1] ?? "";
  const module = glued === "" ? texts[at + 1] : glued;
  const words = at < 0 ? [] : texts.slice(at + (glued === "" ? 2 : 1));
  switch (module) {
    case "tarfile":
      return packedPlaces(words).map((place) => treeAt(place));
    // It packs what links lead to.
    case "zipfile":
      return packedPlaces(words).map((place) => treeAt(place, { follows: "all" }));
    case "http.server":
    case "SimpleHTTPServer":
    case "RangeHTTPServer":
    case "uploadserver":
    case "pyftpdlib":
      return [treeAt(servedFolder(words), { follows: "all" })];
    default:
      return [];
  }
}

/** All words that are no options: the archive among them is a file, or does not exist yet. */
function packedPlaces(words: readonly string[]): string[] {
  const isPacking = words.some((word) => /^(?:-[a-z]*c|--c)/u.test(word));
  return isPacking ? words.filter((word) => !word.startsWith("-")) : [];
}

function servedFolder(words: readonly string[]): string {
  const option = /^(?:-d|--d[a-z]*(?:=|$))(.*)$/su;
  const at = words.findLastIndex((word) => option.test(word));
  if (at < 0) return ".";
  return option.exec(words[at] ?? "")?.[1] || (words[at + 1] ?? ".");
}
