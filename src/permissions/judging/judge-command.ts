/**
 * The verdict on a shell command that no rule guards against. It is allowed only if every command in it is covered by an allow rule or only
 * reads, and every file it redirects to may be written.
 */
import { resolve } from "node:path";
import type { PermissionReason } from "../../protocol/permission.ts";
import type { CallFacts } from "./call-facts.ts";
import { programAt, wrapperLength } from "../rules/front-words.ts";
import { broughtProgram } from "./brought-program.ts";
import { expanders } from "../shell/forms.ts";
import { deepTrees } from "../files/deep-words.ts";
import { judgeEdits, redirectProblem } from "./judge-writes.ts";
import { gitElsewhere } from "./git-elsewhere.ts";
import type { CommandLaw, Law } from "./law.ts";
import { coversGiven } from "../rules/named-variables.ts";
import { handedBy, judgeHanded } from "./judge-handed.ts";
import { harmless, judgeReads, placeOf, refused, type StepVerdict } from "./judge-reads.ts";
import { asChanged, changesUnderneath, type Placed as Ran } from "./line-changes.ts";
import { isThere, pathForms } from "../paths/path-forms.ts";
import { literal, loopWords, type ReadPath } from "../shell/read-words.ts";
import { readsOf, type Reads } from "../reads/read-only.ts";
import { roundsOf } from "../shell/rounds.ts";
import { steersNothing } from "../shell/safe-variables.ts";
import type { Rule } from "../rules/rule.ts";
import { isFixed, type ShellScript, type ShellStep, type ShellWord } from "../shell/step.ts";
import { textsOf } from "../shell/text.ts";
import type { CommandReading } from "../shell/words.ts";
import { matchesTool } from "../rules/tool-pattern.ts";
import type { Tree } from "../files/tree.ts";
import { sinks } from "../files/written-paths.ts";

const maxStarts = 8;

/** Commands that may expand quoted text once more. Others that can are asked about anyway, or show the text to the reader as a command. */
const expanding = new Set([...expanders, "readonly", "export", "eval", "source", "."]);

/** A step with the folders it may run in: an earlier `cd` may or may not have happened, unless the step runs only if it has. */
interface Placed extends Ran {
  /** Whether the step may write a file whose name begins with a hyphen. */
  makesOption: boolean;
}

export function judgeScript(
  script: ShellScript,
  reading: CommandReading,
  call: CallFacts,
  law: CommandLaw,
): StepVerdict {
  if (script.problem !== undefined) return refused(`it needs permission: ${script.problem}`);
  const keeps = !script.steps.map(certainTexts).some((texts) => expanding.has(texts[programAt(texts)] ?? ""));
  if (!(keeps ? reading.understoodAround : reading.understood))
    return refused(`it needs permission: ${reading.opaque ?? "it cannot be followed to its end"}`);
  if (script.steps.length === 0) return refused("it needs permission");
  const steps = keeps ? script.steps : script.steps.map((step) => ({ ...step, looped: new Map() }));
  const placed = placedSteps(steps, call.cwd, law);
  if (typeof placed === "string") return refused(`it needs permission: ${placed}`);
  let reason: PermissionReason | null = null;
  let presumed: ShellStep | undefined;
  for (const each of placed) {
    const verdict = judgeStep(each, placed, call, law);
    if (!verdict.allowed) return { ...verdict, step: each.step, isElsewhere: isElsewhere(each.starts, placed) };
    reason ??= verdict.reason;
    const [program] = each.step.words;
    // No rule can name the words of a loop.
    if (verdict.reason?.type === "rule" || program === undefined || program.source === loopWords) continue;
    const brought = broughtProgram(each.step, each.starts, law);
    if (brought !== undefined) return refused(brought, each.step, isElsewhere(each.starts, placed));
    presumed ??= each.step;
  }
  const changed = presumed === undefined ? undefined : changesUnderneath(placed, law);
  if (changed !== undefined) return refused(`${shownStep(changed.step)} ${changed.why}`, changed.step);
  if (hasUnseen(script, reading, keeps)) return refused("it needs permission: it can be read in two ways");
  const isNamed = reason?.type === "rule";
  if (script.isGrouped === true && !isNamed)
    return refused("it needs permission: it groups commands, and no rule names one of them");
  if (isNamed && presumed !== undefined && listsHarmless(law.allow))
    return refused(`no rule names ${shownStep(presumed)}, although one names what runs beside it`, presumed);
  return { allowed: true, reason };
}

/** Whether the suspicious reader, which drops quotes, saw a program that the parser did not: then one of them is wrong. */
function hasUnseen({ steps }: ShellScript, { commands }: CommandReading, keeps: boolean): boolean {
  const texts = steps.flatMap(({ words }) => words.flatMap(({ text }) => [text, text.replaceAll('"', "")]));
  const programs = new Set(["for", "time", ...texts]);
  return commands.some(({ words, isKept }) => !(isKept === true && keeps) && !programs.has(words[0]?.text ?? ""));
}

const speakers = new Set(["echo", "printf", "true", "false", ":"]);

/** Whether the allow list names only commands that print their own words: then it is complete, and nothing else is presumed harmless. */
function listsHarmless(allow: readonly Rule[]): boolean {
  const patterns = allow.flatMap(({ specifiers }) =>
    specifiers.flatMap((specifier) => (specifier.kind === "command" ? [specifier.pattern] : [])),
  );
  return patterns.every(({ pieces }) => speakers.has(pieces[0]?.split(" ")[0] ?? ""));
}

/** Whether the command only reads, whatever the place: this is what plan mode allows. */
export function onlyReads(script: ShellScript | undefined): boolean {
  if (script === undefined || script.problem !== undefined || script.isGrouped === true) return false;
  if (script.steps.length === 0) return false;
  return script.steps.every(stepOnlyReads);
}

function stepOnlyReads(step: ShellStep): boolean {
  const isQuiet = step.redirects.every(({ access, target }) => access === "read" || sinks.has(target.text));
  const isEmpty = step.words.length === 0 && step.assignments.length === 0;
  const reads = (): boolean => uncovered(step).every((each) => stepReads(each) ?? handedBy(each));
  return isQuiet && (isEmpty || step.words[0]?.text === "cd" || reads());
}

const movers = ["cd", "pushd", "popd"];

function placedSteps(steps: readonly ShellStep[], cwd: string, law: Law): Placed[] | string {
  const untold = "it cannot be told in which folder it runs";
  let all: readonly string[] = [cwd];
  let starts = all;
  const placed: Placed[] = [];
  for (const step of steps) {
    if (step.followsSurely !== true) starts = all;
    placed.push({ step, starts, makesOption: makesOption(step) });
    const [program, target, ...more] = step.words;
    const wrapped = step.words[wrappersLength(step)]?.text ?? "";
    if (program === undefined || !movers.includes(wrapped)) continue;
    // In a loop, the commands before the `cd` run in the new folder in the next round.
    if (step.isLooped) return "it changes folders in a loop";
    // Variables set for the command (CDPATH) can choose another folder.
    if (program.text !== "cd" || more.length > 0 || step.assignments.length > 0) return untold;
    if (target !== undefined && (!isFixed(target) || target.text.startsWith("-"))) return untold;
    const next = starts.map((start) => folderOf(target, start, law));
    if (next.includes(undefined)) return untold;
    starts = [...new Set(next.filter((start) => start !== undefined))];
    all = [...new Set([...all, ...starts])];
    if (all.length > maxStarts) return "it changes folders too often";
  }
  return placed;
}

function certainTexts({ words }: ShellStep): string[] {
  return words.map(({ text, kind }) => (kind === "literal" ? text : ""));
}

/**
 * Where `cd` leads; without an argument, home. `cd` resolves `..` by the folder's name or, if that folder does not exist, by where its
 * links lead. Returns undefined if these two differ.
 */
function folderOf(word: ShellWord | undefined, start: string, { home, reader }: Law): string | undefined {
  if (word === undefined) return home;
  const written = placeOf(word, start, home);
  const folder = resolve(written);
  const isOne = pathForms(written, reader).forms.length === pathForms(folder, reader).forms.length;
  return isOne ? folder : undefined;
}

function judgeStep({ step, starts }: Placed, all: readonly Placed[], call: CallFacts, law: CommandLaw): StepVerdict {
  for (const round of roundsOf(step)) {
    const redirected = redirectProblem(round, starts, law);
    if (redirected !== undefined) return refused(redirected);
  }
  const [program] = step.words;
  if (program === undefined)
    return step.assignments.length > 0 ? refused("it sets variables, which needs permission") : harmless;
  const rule = law.allow.find((candidate) => coversStep(candidate, step, call));
  if (rule !== undefined) {
    // A rule for git was given for the repository here; in another one, git may do other things.
    if (isElsewhere(starts, all) && step.words.some(({ text }) => text === "git"))
      return refused("it changes folders and runs git, which needs permission");
    const elsewhere = gitElsewhere(step.words, rule, starts, law);
    if (elsewhere !== undefined) return refused(`it needs permission: ${elsewhere}`);
    return { allowed: true, reason: { type: "rule", rule: rule.rule, source: rule.source } };
  }
  if (program.text === "cd") {
    const isWithin = starts.every((start) => isWorkingFolder(folderOf(step.words[1], start, law) ?? "/", law));
    return isWithin ? harmless : refused(`${shownStep(step)} leads outside the working directories`);
  }
  let verdict = harmless;
  for (const each of uncovered(step)) {
    verdict = judgeRound(each, starts, all, law);
    if (!verdict.allowed) return verdict;
  }
  return verdict;
}

function isWorkingFolder(folder: string, { folders, reader }: Law): boolean {
  return folders.contain(pathForms(folder, reader), "read");
}

/** In a loop, each round is judged separately, unless the step only reads whatever the variable holds. */
function uncovered(step: ShellStep): readonly ShellStep[] {
  return step.looped === undefined || stepReads(step) !== undefined ? [step] : roundsOf(step);
}

function judgeRound(step: ShellStep, starts: readonly string[], all: readonly Placed[], law: CommandLaw): StepVerdict {
  const shown = shownStep(step);
  const found = stepReads(step);
  if (found !== undefined) {
    if (found.reads.paths.some(findsAnyName) && all.some((each) => each.makesOption))
      return refused(`${shown} may find a file whose name is an option, because another command may create one`);
    const trees = treesRead(found.words, step.isFed, starts, law);
    const reached = { shown, trees: asChanged(trees, all, law) };
    return judgeReads(found.reads, reached, starts, isElsewhere(starts, all), law);
  }
  const handed = handedBy(step);
  // Files that the other commands create would be found, too.
  if (handed !== undefined && all.every((each) => stepOnlyReads(each.step)))
    return judgeHanded(handed, shown, starts, law);
  const bare = { ...step, words: step.words.slice(wrappersLength(step)) };
  return judgeEdits(bare, shown, starts, law);
}

function findsAnyName({ word, isNamed }: ReadPath): boolean {
  return word.kind === "glob" && isNamed !== true && /^[-*?[]/u.test(word.text);
}

function makesOption(step: ShellStep): boolean {
  return roundsOf(step).some((round) => {
    const targets = round.redirects.filter(({ access }) => access === "write").map(({ target }) => target);
    const named = round.words.slice(1).filter(({ text }) => text.includes("/"));
    return targets.some(isLikeOption) || (named.some(isLikeOption) && stepReads(round) === undefined);
  });
}

function isLikeOption({ text }: ShellWord): boolean {
  return /(?:^|\/)-[^/]*$/u.test(text);
}

/** Whether the command runs, or may run, in another folder than the line starts in. */
function isElsewhere(starts: readonly string[], [first]: readonly Placed[]): boolean {
  return starts.some((start) => first?.starts.includes(start) !== true);
}

/** The command with its variable assignments, since these may be why no rule covers it. */
export function shownStep({ assignments, words }: ShellStep): string {
  const given = assignments.map(({ name, value }) => `${name}=${value.source}`);
  const text = [...given, ...words.map(({ source }) => source)].join(" ");
  return `"${text.length > 80 ? `${text.slice(0, 79)}…` : text}"`;
}

function treesRead(
  words: readonly ShellWord[],
  isFed: boolean,
  starts: readonly string[],
  { home, reader }: Law,
): Tree[] {
  const [program = "", ...texts] = textsOf(words);
  const isPath = (text: string): boolean =>
    starts.some((start) => isThere(placeOf(literal(text), start, home), reader));
  return deepTrees(program, texts, isFed, isPath).filter(({ git, isCommon }) => git === undefined || isCommon !== true);
}

/** What the step reads, looking behind wrappers that do not change what is run. */
function stepReads(step: ShellStep): { reads: Reads; words: readonly ShellWord[] } | undefined {
  let { words } = step;
  for (;;) {
    const reads = readsOf({ ...step, words });
    if (reads !== undefined) return { reads, words };
    const length = wrapperLength(certainTexts({ ...step, words }));
    if (length === 0) return undefined;
    words = words.slice(length);
  }
}

function wrappersLength(step: ShellStep): number {
  const texts = certainTexts(step);
  let at = 0;
  for (let length = -1; length !== 0; at += length) length = wrapperLength(texts.slice(at));
  return at;
}

function coversStep(rule: Rule, step: ShellStep, call: CallFacts): boolean {
  if (!matchesTool(rule.tool, call.tool, false)) return false;
  // The author of a rule had literal words in mind, not expanded ones.
  if (step.words.some((word) => isUnknown(word) || word.isSpelled === true)) return false;
  const given = step.assignments;
  return rule.specifiers.some((specifier) =>
    specifier.kind === "whole"
      ? given.every(steersNothing)
      : specifier.kind === "command" && coversGiven(specifier.pattern, given, step.words),
  );
}

/** The words of a command that a permitting pattern can match, or undefined if it is not a plain list of words. */
export function plainStep({ words, assignments }: ShellStep): readonly ShellWord[] | undefined {
  return assignments.every(steersNothing) && !words.some(isUnknown) ? words : undefined;
}

function isUnknown({ kind }: ShellWord): boolean {
  return kind === "unknown";
}
