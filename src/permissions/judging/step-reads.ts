/** What the steps of a command line read, looking behind wrappers that do not change what is run. */
import { wrapperLength } from "../rules/front-words.ts";
import { readsOf, type Reads } from "../reads/read-only.ts";
import { textsOfLiterals } from "../shell/read-words.ts";
import { unrollLoops } from "../shell/rounds.ts";
import type { ShellScript, ShellStep, ShellWord } from "../shell/step.ts";
import { sinks } from "../files/written-paths.ts";
import { namesHandedOn } from "./judge-handed.ts";

/** Whether the command only reads, whatever the place: this is what plan mode allows. */
export function onlyReads(script: ShellScript | undefined): boolean {
  if (script === undefined || script.problem !== undefined || script.isGrouped === true) return false;
  if (script.steps.length === 0) return false;
  return script.steps.every(stepOnlyReads);
}

export function stepOnlyReads(step: ShellStep): boolean {
  const isQuiet = step.redirects.every(({ access, target }) => access === "read" || sinks.has(target.text));
  const isEmpty = step.words.length === 0 && step.assignments.length === 0;
  const reads = (): boolean => roundsToJudge(step).every((each) => readsOfStep(each) ?? namesHandedOn(each));
  return isQuiet && (isEmpty || step.words[0]?.text === "cd" || reads());
}

/** In a loop, each round is judged separately, unless the step only reads whatever the variable holds. */
export function roundsToJudge(step: ShellStep): readonly ShellStep[] {
  return step.looped === undefined || readsOfStep(step) !== undefined ? [step] : unrollLoops(step);
}

/** What the step reads, looking behind wrappers that do not change what is run. */
export function readsOfStep(step: ShellStep): { reads: Reads; words: readonly ShellWord[] } | undefined {
  let { words } = step;
  for (;;) {
    const reads = readsOf({ ...step, words });
    if (reads !== undefined) return { reads, words };
    const length = wrapperLength(textsOfLiterals(words));
    if (length === 0) return undefined;
    words = words.slice(length);
  }
}

export function totalWrapperLength(step: ShellStep): number {
  const texts = textsOfLiterals(step.words);
  let at = 0;
  for (let length = -1; length !== 0; at += length) length = wrapperLength(texts.slice(at));
  return at;
}
