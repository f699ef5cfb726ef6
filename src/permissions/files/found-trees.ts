/** The folders that `find` and `fd` go through, for those that do something with what they find there. */
import { certainWord } from "../shell/text.ts";
import { isShower } from "./shown-words.ts";
import { namedBy, treeAt, type Tree } from "./tree.ts";
import { writtenWords } from "./written-words.ts";

const finderAction = /^-(?:exec|execdir|ok|okdir|delete)$/u;
/** More of them may do anything to all that is found. */
const maxActions = 8;
/** They show nothing of what is in a file. */
const showsNames = new Set(
  "echo printf ls stat test [ basename dirname realpath readlink file wc du touch mkdir chmod chown chgrp rm rmdir unlink shred truncate true md5sum sha1sum sha256sum cksum".split(
    " ",
  ),
);

export function foundBy(texts: readonly string[]): Tree[] {
  const actions = [...texts.keys()].filter((at) => finderAction.test(texts[at] ?? ""));
  if (actions.length > maxActions) {
    const anything = [...texts.filter((text) => text !== "-maxdepth"), ","];
    return [...placesOf(anything, "read"), ...placesOf(anything, "write")];
  }
  return actions.flatMap((at) => {
    // What stands behind it says nothing of what it is done to.
    const before = texts.slice(0, at);
    if (texts[at] === "-delete") return placesOf(before, "write");
    const words = texts.slice(at + 1);
    const end = words.findIndex((word) => word === ";" || word === "+");
    const run = end < 0 ? words : words.slice(0, end);
    const tests = goesBelow(run) ? before.filter((text) => text !== "-maxdepth") : before;
    return doneBy(run).flatMap((access) => placesOf(tests, access));
  });
}

/** What it is given may be a folder, with all that lies in it. */
export function goesBelow(words: readonly string[]): boolean {
  return words[0] === "mv" || words.some((word) => /^-[A-Za-z]*[rRa]|^--(?:rec|arch|delete)/u.test(word));
}

/** What these words do to the files that stand behind them. */
export function doneBy(words: readonly string[]): Tree["access"][] {
  const [program = ""] = words;
  const name = program.slice(program.lastIndexOf("/") + 1);
  const changed = writtenWords({ words: [...words, "x"].map(certainWord), isIdle: false });
  return [
    ...(changed.length > 0 ? ["write" as const] : []),
    ...(isShower(name) || !showsNames.has(name) ? ["read" as const] : []),
  ];
}

/** Whatever it finds, by its folders and the names it looks for. */
export function placesOf(texts: readonly string[], access: Tree["access"]): Tree[] {
  let at = 0;
  while (/^-(?:[HLP]|O\d|D)$/u.test(texts[at] ?? "")) at += texts[at] === "-D" ? 2 : 1;
  const links = texts.slice(0, at);
  const first = texts.slice(at).findIndex((text) => /^[-(!,)]/u.test(text));
  const places = first < 0 ? texts.slice(at) : texts.slice(at, at + first);
  const tests = first < 0 ? [] : texts.slice(at + first);
  const isNamed = namesOf(tests);
  const depth = wordOf(tests, "-maxdepth");
  const isAll = links.includes("-L") || tests.includes("-follow");
  return (places.length === 0 ? ["."] : places).map((place) =>
    treeAt(place, {
      access,
      // Where a folder has such a name, what is done to it is done to all in it.
      meets: (name, above) =>
        isNamed === undefined || isNamed(name) || [place.split("/").at(-1) ?? "", ...above].some(isNamed),
      follows: isAll
        ? "all"
        : tests.some((text, index) => text === "-type" && tests[index + 1] === "f")
          ? "none"
          : "files",
      depth: depth !== undefined && /^\d+$/u.test(depth) ? Number(depth) : Number.POSITIVE_INFINITY,
    }),
  );
}

/**
 * The names that it looks for; undefined where it may find others. Each of the alternatives has to say one; what is left out may be
 * left out of this.
 */
function namesOf(tests: readonly string[]): ((name: string) => boolean) | undefined {
  const kept = tests.filter(
    (text, index) =>
      !isNegation(text, tests[index + 1]) &&
      !isNegation(tests[index - 1], text) &&
      !isNegation(tests[index - 2], tests[index - 1]),
  );
  if (kept.some((text) => /^(?:,|!|-not)$/u.test(text))) return undefined;
  const alternatives: string[][] = [[]];
  for (const text of kept)
    if (text === "-o" || text === "-or") alternatives.push([]);
    else alternatives.at(-1)?.push(text);
  const patterns = alternatives.filter((each) => !each.includes("-prune")).map((each) => wordOf(each, "-name"));
  const named = patterns.map((pattern) => (pattern === undefined ? undefined : namedBy(pattern)));
  return named.includes(undefined) ? undefined : (name) => named.some((test) => test?.(name));
}

/** Of one test that takes a word. */
function isNegation(text: string | undefined, next: string | undefined): boolean {
  return (
    (text === "!" || text === "-not") &&
    /^-(?:i?name|i?path|i?wholename|i?regex|newer|size|user|perm|type)$/u.test(next ?? "")
  );
}

/** The word of the first test of that name. */
function wordOf(tests: readonly string[], name: string): string | undefined {
  const at = tests.indexOf(name);
  return at < 0 ? undefined : tests[at + 1];
}

/** `fd`: its pattern is an expression, so all it could find is meant. */
export function foundByFd(texts: readonly string[]): Tree[] {
  const at = texts.findIndex((text) => /^(?:-[A-Za-z]*[xX]|--exec(?:-batch)?)$/u.test(text));
  if (at < 0) return [];
  const run = texts.slice(at + 1);
  const before = texts.slice(0, at);
  const [, ...places] = before.filter(
    (text, index) => !text.startsWith("-") && !/^-[edtESo]$/u.test(before[index - 1] ?? ""),
  );
  const skips = {
    ignored: false,
    hidden: !before.some((text) => /^(?:-[A-Za-z]*[Hu]|--hidden|--unrestricted)/u.test(text)),
  };
  return doneBy(run).flatMap((access) =>
    (places.length === 0 ? ["."] : places).map((place) => treeAt(place, { access, skips, follows: "files" })),
  );
}
