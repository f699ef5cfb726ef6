/** What git shows of the content of files, also of those that are named nowhere. */
import { has, valuesOf, type Operands } from "../options/operands.ts";

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
  /^--(?:patch|unified|word-diff|color-words|cc|binary|remerge-diff|function-context|diff-merges|check|verbose)|^-[pucmvWUL]$/u;
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
