/** The file content that git shows, including files that no word names. */
import { hasOption, valuesOfOption, type Operands } from "../options/operands.ts";

export interface ShownContent {
  /** Files by revision, as in `HEAD:file`: nothing else of the revision is shown. */
  files: string[];
  /** The words after `--`. */
  paths: string[];
  /** Revisions, or paths if such files exist. */
  revisionsOrPaths: string[];
  /** Files whose lines are followed (`-L`). */
  traced: string[];
  /** Shows differences from the index, so only files that the index knows. */
  isOfIndex: boolean;
}

const contentCommands = new Set(["diff", "show", "whatchanged", "range-diff", "cat-file"]);
const patchCommands = new Set(
  "log reflog reflog:show stash:list stash:show diff-tree diff-files diff-index status".split(" "),
);
const patchOption =
  /^--(?:patch|unified|word-diff|color-words|cc|binary|remerge-diff|function-context|diff-merges|check|verbose)|^-[pucmvWUL]$/u;
const summaryOption =
  /^--(?:stat|numstat|shortstat|summary|dirstat|compact-summary|name-only|name-status|raw|quiet|no-patch|batch-check)|^-[ste]$/u;
const revisionFile = /^(?!:[(!^/])[^:]*:(?:[0-3]:)?[^:]+$/u;

export function showsContent({ givenOptions }: Operands, needsPatch: boolean): boolean {
  const isPatch = givenOptions.some(({ name }) => patchOption.test(name));
  return isPatch || (!needsPatch && !givenOptions.some(({ name }) => summaryOption.test(name)));
}

/** Files whose lines are followed (`-L`). */
export function tracedFiles(read: Operands): string[] {
  return valuesOfOption(read, "-L").flatMap((value) => /:([^:]+)$/u.exec(value)?.[1] ?? []);
}

/** Undefined if no content is shown; names, numbers and messages are not content. */
export function shownContent(command: string, read: Operands): ShownContent | undefined {
  const { operands, paths, givenOptions } = read;
  if (!contentCommands.has(command) && !patchCommands.has(command)) return undefined;
  // The other options of status concern names: its `-u` is not a patch.
  const isShown =
    command === "status" ? hasOption(read, "-v", "--verbose") : showsContent(read, !contentCommands.has(command));
  if (!isShown) return undefined;
  const words = operands.slice(0, operands.length - paths.length);
  return {
    files: words.filter((word) => revisionFile.test(word)),
    paths: [...paths],
    revisionsOrPaths: words.filter((word) => !revisionFile.test(word)),
    traced: tracedFiles(read),
    isOfIndex:
      command === "diff" &&
      operands.length === 0 &&
      !givenOptions.some(({ name }) => /^--(?:cached|staged|merge-base)/u.test(name)),
  };
}
