/** Finds lines that move the folder in which their commands run. */
import { resolve } from "node:path";
import { isInside, pathForms, placeIn, type PathReader } from "../paths/path-forms.ts";
import type { ShellScript } from "../shell/step.ts";
import { textsOf } from "../shell/text.ts";
import { programName } from "../shell/unwrap.ts";
import type { Line } from "./command-line.ts";
import { isPlainChain } from "./plain-chain.ts";

/** Whether the line does so: afterwards, relative names of its other commands mean other places. */
export function movesOwnFolder(
  { commands, starts }: Pick<Line, "commands" | "starts">,
  cwd: string,
  script: ShellScript | undefined,
  reader: PathReader,
): boolean {
  if (starts.length === 1 && commands.length === 1) return false;
  const moves = commands.flatMap(({ words, isIdle }) =>
    !isIdle && programName(words[0]) === "mv" ? [{ sources: mvSources(textsOf(words.slice(1))), starts }] : [],
  );
  const known = moves.length === 0 ? undefined : locateMoves(commands, cwd, script);
  return (known?.length === moves.length ? known : moves).some((move) => {
    // Behind a link, the command runs in the link's target, and `..` is the folder above that.
    const formsOf = (path: string): string[] => pathForms(path, reader).forms;
    const moved = move.sources.flatMap((text) => move.starts.flatMap((start) => formsOf(placeIn(start, text))));
    const startForms = move.starts.flatMap(formsOf);
    return moved.some((path) => startForms.some((start) => isInside(path, start)));
  });
}

/** The words that `mv` moves, from the words after it. */
export function mvSources<Word extends string | { text: string }>(words: readonly Word[]): Word[] {
  const texts = words.map((word) => (typeof word === "string" ? word : word.text));
  const isTarget = (at: number): boolean => /^(?:-[bfinTuv]*t|--target-directory)$/u.test(texts[at - 1] ?? "");
  const operands = words.filter((_, at) => texts[at]?.startsWith("-") === false && !isTarget(at));
  return texts.some((text) => /^-[a-z]*t|^--t/u.test(text)) ? operands : operands.slice(0, -1);
}

/** The moves with the single folder each runs in, if that is certain: before a `cd`, or after the line has returned. */
function locateMoves(commands: Line["commands"], cwd: string, script: ShellScript | undefined) {
  if (script === undefined || !isPlainChain(script)) return undefined;
  const written = script.steps.map(({ words }) => textsOf(words));
  const isFolderChange = (name: string | null): boolean => name !== null && ["cd", "pushd", "popd"].includes(name);
  // A program may be given another change of folder to run.
  const count = commands.filter(({ words }) => isFolderChange(programName(words[0]))).length;
  if (written.filter(([name = ""]) => isFolderChange(name)).length !== count) return undefined;
  let start = cwd;
  return written.flatMap(([name, ...texts]) => {
    if (name === "cd") start = resolve(start, texts[0] ?? "");
    return name === "mv" ? [{ sources: mvSources(texts), starts: [start] }] : [];
  });
}
