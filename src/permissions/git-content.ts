/** What git shows of the content of files, also of those that are named nowhere, and whether rules for reading may mean them. */
import { resolve } from "node:path";
import { repositoryAt } from "./git-tracked.ts";
import type { Law } from "./law.ts";
import { has, valuesOf, type Operands } from "./operands.ts";
import { folderForms, isInside, isThere } from "./path-forms.ts";

export interface ShownContent {
  /** Files by their revision, as in `HEAD:file`: each is all that is shown of it. */
  files: string[];
  /** Behind `--`. */
  paths: string[];
  /** Revisions, or paths where such files are there. */
  others: string[];
  /** Files whose lines are followed (`-L`). */
  traced: string[];
  /** What differs from the index: of files that it knows. */
  isOfIndex: boolean;
}

const alwaysShown = new Set(["diff", "show", "whatchanged", "range-diff", "cat-file"]);
const shownAsPatch = new Set(
  "log reflog reflog:show stash:list stash:show diff-tree diff-files diff-index status".split(" "),
);
const asPatch =
  /^--(?:patch|unified|word-diff|color-words|cc|binary|remerge-diff|function-context|diff-merges|check|batch$|verbose)|^-[pucmvWUL]$/u;
const asSummary =
  /^--(?:stat|numstat|shortstat|summary|dirstat|compact-summary|name-only|name-status|raw|quiet|no-patch|batch-check)|^-[ste]$/u;
const revision = /^(?!:[(!^/])[^:]*:(?:[0-3]:)?[^:]+$/u;

export function showsContent({ given }: Operands, needsPatch: boolean): boolean {
  const isPatch = given.some(({ name }) => asPatch.test(name));
  return isPatch || (!needsPatch && !given.some(({ name }) => asSummary.test(name)));
}

/** Files whose lines are followed (`-L`). */
export function tracedBy(read: Operands): string[] {
  return valuesOf(read, "-L").flatMap((value) => /:([^:]+)$/u.exec(value)?.[1] ?? []);
}

/** Undefined where no content is shown: names, numbers and messages are none. */
export function shownContent(command: string, read: Operands): ShownContent | undefined {
  const { operands, paths, given } = read;
  if (!alwaysShown.has(command) && !shownAsPatch.has(command)) return undefined;
  // Its other options are about names: `-u` of it is no patch.
  const isShown = command === "status" ? has(read, "-v", "--verbose") : showsContent(read, !alwaysShown.has(command));
  if (!isShown) return undefined;
  const words = operands.slice(0, operands.length - paths.length);
  return {
    files: words.filter((word) => revision.test(word)),
    paths: [...paths],
    others: words.filter((word) => !revision.test(word)),
    traced: tracedBy(read),
    isOfIndex:
      command === "diff" &&
      operands.length === 0 &&
      !given.some(({ name }) => /^--(?:cached|staged|merge-base)/u.test(name)),
  };
}

/** Whether it may show a file that a rule for reading guards and that no word names. */
export function showsGuarded(
  { files, paths, others, traced, isOfIndex }: ShownContent,
  start: string,
  law: Law,
): boolean {
  // Those are looked for among the files it knows.
  if (isOfIndex) return false;
  if (!isGuarded(repositoryAt(start)?.top ?? start, law)) return false;
  const kind = (name: string): "file" | "folder" | "none" => kindOf(resolve(start, name), law);
  const found = others.filter((name) => kind(name) !== "none");
  const named = [...paths, ...found, ...traced];
  if (named.length === 0) return files.length === 0 || others.length > 0;
  return named.some((name) => kind(name) !== "file");
}

/** Rules whose files all lie elsewhere guard nothing here. */
function isGuarded(top: string, law: Law): boolean {
  const tops = folderForms(top, law.reader);
  return [...law.deny, ...law.ask].some(({ specifiers }) =>
    specifiers.some((specifier) => {
      if (specifier.kind !== "path" || specifier.access !== "read") return false;
      const { base } = specifier.path;
      if (base === undefined) return true;
      const bases = folderForms(base.path, law.reader);
      return bases.some((one) => tops.some((other) => isInside(one, other) || isInside(other, one)));
    }),
  );
}

function kindOf(path: string, { reader }: Law): "file" | "folder" | "none" {
  if (!isThere(path, reader)) return "none";
  return isThere(`${path}/.`, reader) ? "folder" : "file";
}
