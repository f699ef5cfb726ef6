/** The file content that git shows, including files that no word names. */
import { has, valuesOf, type Operands } from "../options/operands.ts";

export interface ShownContent {
  /** Files by revision, as in `HEAD:file`: nothing else of the revision is shown. */
  files: string[];
  /** The words after `--`. */
  paths: string[];
  /** Revisions, or paths if such files exist. */
  others: string[];
  /** Files whose lines are followed (`-L`). */
  traced: string[];
  /** Shows differences from the index, so only files that the index knows. */
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

/** Undefined if no content is shown; names, numbers and messages are not content. */
export function shownContent(command: string, read: Operands): ShownContent | undefined {
  const { operands, paths, given } = read;
  if (!alwaysShown.has(command) && !shownAsPatch.has(command)) return undefined;
  // The other options of status concern names: its `-u` is not a patch.
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
