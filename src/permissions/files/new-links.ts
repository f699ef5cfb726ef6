/** Links that a command line creates before it uses them: what is done through a link is done to its target. */
import { dirname, resolve } from "node:path";
import type { Line } from "./command-line.ts";
import { tooMany } from "./critical-remove.ts";
import { isInside, pathForms, type PathReader } from "../paths/path-forms.ts";
import type { PathSubject } from "../paths/path-subject.ts";
import { hasHole } from "../shell/fill.ts";
import { textsOf } from "../shell/text.ts";
import { programName, type PlausibleCommand } from "../shell/unwrap.ts";
import { writtenWords } from "./written-words.ts";

const maxLinks = 20;
/** Links that contain their own targets lead to more and more paths: `ln -s a b .` */
const maxLinked = 5_000;

interface NewLink {
  path: string;
  target: string;
}

export interface NewLinks {
  links: readonly NewLink[];
  /** The paths that commands other than those that create links use. */
  otherPaths: Record<PathSubject["access"], Set<string>>;
  /** Whether there is more than can be followed. */
  isOverLimit: boolean;
}

export function findNewLinks(line: Line): NewLinks {
  const linkers = line.commands.filter(isLinker);
  const all = linkers.flatMap((command) => line.starts.flatMap((start) => linksCreatedBy(command, start)));
  if (all.length === 0) return { links: [], otherPaths: { read: new Set(), write: new Set() }, isOverLimit: false };
  // `..` after a link means the folder above its target, not above the link.
  const goesUp = [...line.read, ...line.written].some((text) => /[^./]\/+\.\.(?:\/|$)/u.test(text));
  return { links: all.slice(0, maxLinks), otherPaths: usedPaths(line), isOverLimit: goesUp || all.length > maxLinks };
}

/** The paths as they are through new links. `isUsed`: something is done to them. */
export function throughLinks(
  paths: readonly PathSubject[],
  { links, otherPaths }: NewLinks,
  reader: PathReader,
  isUsed = false,
): PathSubject[] {
  let last = paths;
  const found = new Map<string, PathSubject>();
  // A link may lead to another link.
  for (let round = 0; round < links.length && last.length > 0; round += 1) {
    last = last.flatMap((subject) =>
      links.flatMap(({ path, target }): PathSubject[] => {
        // Creating a link does nothing to its target.
        if (!isInside(path, subject.path) || (!isUsed && !otherPaths[subject.access].has(subject.path))) return [];
        const through = target + subject.path.slice(path.length);
        otherPaths[subject.access].add(through);
        const key = `${subject.access}${subject.isWhole === true ? " whole" : ""} ${through}`;
        if (found.has(key) || through === subject.path) return [];
        const linkedSubject = { ...subject, path: through, forms: pathForms(through, reader), isNonFile: false };
        found.set(key, linkedSubject);
        if (found.size > maxLinked) throw new Error(tooMany);
        return [linkedSubject];
      }),
    );
  }
  return [...found.values()];
}

const linkOption = /^(?:-[A-Za-z]*[ls]|--(?:link|symbolic-link))/u;

function isLinker({ words }: PlausibleCommand): boolean {
  const program = programName(words[0]);
  return (
    program === "ln" || program === "link" || (program === "cp" && words.some(({ text }) => linkOption.test(text)))
  );
}

function usedPaths({ commands, redirected, starts }: Line): Record<PathSubject["access"], Set<string>> {
  const others = commands.filter((command) => !isLinker(command));
  const all = (texts: readonly string[]) =>
    new Set(starts.flatMap((start) => texts.map((text) => resolve(start, text))));
  return {
    read: all([...others.flatMap(({ words }) => textsOf(words.slice(1))), ...redirected.read]),
    write: all([...others.flatMap(writtenWords), ...redirected.written]),
  };
}

/** `command` may create links. */
function linksCreatedBy({ words, isIdle }: PlausibleCommand, start: string): NewLink[] {
  if (isIdle) return [];
  const texts = textsOf(words.slice(1));
  const isSoft = texts.some((text) => /^-[A-Za-z]*s|^--sym/u.test(text));
  const operands = texts.filter((text) => !text.startsWith("-") && !hasHole(text));
  const sources = operands.length > 1 ? operands.slice(0, -1) : operands;
  const last = operands.length > 1 ? operands.at(-1) : undefined;
  return sources.flatMap((source) => {
    const name = source.replace(/\/+$/u, "").split("/").at(-1) ?? "";
    const names = last === undefined ? [name] : [last, `${last}/${name}`];
    return names.map((each) => {
      const path = resolve(start, each);
      return { path, target: resolve(isSoft ? dirname(path) : start, source) };
    });
  });
}
