/**
 * The verdict on a shell command that no rule guards against. It is allowed only if every command in it is covered by an allow rule or only
 * reads, and every file it redirects to may be written.
 */
import { resolve } from "node:path";
import type { PermissionReason } from "../../protocol/permission.ts";
import type { CallFacts } from "./call-facts.ts";
import { programIndex } from "../rules/front-words.ts";
import { repositoryProgramReason } from "./repository-program.ts";
import { expandingBuiltins } from "../shell/forms.ts";
import { treesOfCommand } from "../files/command-trees.ts";
import { judgeEdits, redirectProblem } from "./judge-writes.ts";
import { foreignRepositoryReason } from "./foreign-repository.ts";
import { ruleReason } from "./guard-rules.ts";
import type { CommandLaw, Law } from "./law.ts";
import { coversWithVariables } from "../rules/named-variables.ts";
import { namesHandedOn, judgeHandedNames } from "./judge-handed.ts";
import { stepAllowed, judgeReads, wordPath, refuseStep, type StepVerdict } from "./judge-reads.ts";
import { withoutChangedSkips, findInterferingStep, type LocatedStep } from "./line-changes.ts";
import { readsOfStep, roundsToJudge, stepOnlyReads, totalWrapperLength } from "./step-reads.ts";
import { isThere, pathForms, placeIn } from "../paths/path-forms.ts";
import { textsOfLiterals, loopProgram, type ReadPath } from "../shell/read-words.ts";
import { unrollLoops } from "../shell/rounds.ts";
import { isHarmlessAssignment } from "../shell/safe-variables.ts";
import type { Rule } from "../rules/rule.ts";
import { isFixed, type ShellScript, type ShellStep, type ShellWord } from "../shell/step.ts";
import { quoteShown, textsOf } from "../shell/text.ts";
import type { CommandReading } from "../shell/words.ts";
import { matchesTool } from "../rules/tool-pattern.ts";
import type { Tree } from "../files/tree.ts";

const maxStartFolders = 8;

/** Commands that may expand quoted text once more. Others that can are asked about anyway, or show the text to the reader as a command. */
const reexpandingCommands = new Set([...expandingBuiltins, "readonly", "export", "eval", "source", "."]);

/** A step with the folders it may run in: an earlier `cd` may or may not have happened, unless the step runs only if it has. */
interface PlacedStep extends LocatedStep {
  /** Whether the step may write a file whose name begins with a hyphen. */
  mayCreateOptionName: boolean;
}

export function judgeScript(
  script: ShellScript,
  reading: CommandReading,
  call: CallFacts,
  law: CommandLaw,
): StepVerdict {
  if (script.problem !== undefined) return refuseStep(`it needs permission: ${script.problem}`);
  const keepsQuoting = !script.steps
    .map(({ words }) => textsOfLiterals(words))
    .some((texts) => reexpandingCommands.has(texts[programIndex(texts)] ?? ""));
  if (!(keepsQuoting ? reading.understoodAround : reading.understood))
    return refuseStep(`it needs permission: ${reading.opaque ?? "it cannot be followed to its end"}`);
  if (script.steps.length === 0) return refuseStep("it needs permission");
  const steps = keepsQuoting ? script.steps : script.steps.map((step) => ({ ...step, looped: new Map() }));
  const placed = placeSteps(steps, call.cwd, law);
  if (typeof placed === "string") return refuseStep(`it needs permission: ${placed}`);
  let reason: PermissionReason | null = null;
  let unruledStep: ShellStep | undefined;
  for (const each of placed) {
    const verdict = judgeStep(each, placed, call, law);
    if (!verdict.allowed)
      return { ...verdict, step: each.step, isInOtherFolder: runsInOtherFolder(each.starts, placed) };
    reason ??= verdict.reason;
    const [program] = each.step.words;
    // No rule can name the words of a loop.
    if (verdict.reason?.type === "rule" || program === undefined || program.source === loopProgram) continue;
    const programReason = repositoryProgramReason(each.step, each.starts, law);
    if (programReason !== undefined)
      return refuseStep(programReason, each.step, runsInOtherFolder(each.starts, placed));
    unruledStep ??= each.step;
  }
  const interference = unruledStep === undefined ? undefined : findInterferingStep(placed, law);
  if (interference !== undefined)
    return refuseStep(`${stepText(interference.step)} ${interference.why}`, interference.step);
  if (hasUnseenProgram(script, reading, keepsQuoting))
    return refuseStep("it needs permission: it can be read in two ways");
  const isNamed = reason?.type === "rule";
  if (script.isGrouped === true && !isNamed)
    return refuseStep("it needs permission: it groups commands, and no rule names one of them");
  if (isNamed && unruledStep !== undefined && allowsOnlyPrinting(law.allow))
    return refuseStep(`no rule names ${stepText(unruledStep)}, although one names what runs beside it`, unruledStep);
  return { allowed: true, reason };
}

/** Whether the suspicious reader, which drops quotes, saw a program that the parser did not: then one of them is wrong. */
function hasUnseenProgram({ steps }: ShellScript, { commands }: CommandReading, keepsQuoting: boolean): boolean {
  const texts = steps.flatMap(({ words }) => words.flatMap(({ text }) => [text, text.replaceAll('"', "")]));
  const programs = new Set(["for", "time", ...texts]);
  return commands.some(
    ({ words, isFromQuotedText }) =>
      !(isFromQuotedText === true && keepsQuoting) && !programs.has(words[0]?.text ?? ""),
  );
}

const printingCommands = new Set(["echo", "printf", "true", "false", ":"]);

/** Whether the allow list names only commands that print their own words: then it is complete, and nothing else is presumed harmless. */
function allowsOnlyPrinting(allow: readonly Rule[]): boolean {
  const patterns = allow.flatMap(({ specifiers }) =>
    specifiers.flatMap((specifier) => (specifier.kind === "command" ? [specifier.pattern] : [])),
  );
  return patterns.every(({ pieces }) => printingCommands.has(pieces[0]?.split(" ")[0] ?? ""));
}

const folderChangers = ["cd", "pushd", "popd"];

function placeSteps(steps: readonly ShellStep[], cwd: string, law: Law): PlacedStep[] | string {
  const unknownFolderText = "it cannot be told in which folder it runs";
  let allStarts: readonly string[] = [cwd];
  let starts = allStarts;
  const placed: PlacedStep[] = [];
  for (const step of steps) {
    if (step.followsSurely !== true) starts = allStarts;
    placed.push({ step, starts, mayCreateOptionName: mayCreateOptionName(step) });
    const [program, target, ...more] = step.words;
    const wrapped = step.words[totalWrapperLength(step)]?.text ?? "";
    if (program === undefined || !folderChangers.includes(wrapped)) continue;
    // In a loop, the commands before the `cd` run in the new folder in the next round.
    if (step.isLooped) return "it changes folders in a loop";
    // Variables set for the command (CDPATH) can choose another folder.
    if (program.text !== "cd" || more.length > 0 || step.assignments.length > 0) return unknownFolderText;
    if (target !== undefined && (!isFixed(target) || target.text.startsWith("-"))) return unknownFolderText;
    const next = starts.map((start) => cdTarget(target, start, law));
    if (next.includes(undefined)) return unknownFolderText;
    starts = [...new Set(next.filter((start) => start !== undefined))];
    allStarts = [...new Set([...allStarts, ...starts])];
    if (allStarts.length > maxStartFolders) return "it changes folders too often";
  }
  return placed;
}

/**
 * Where `cd` leads; without an argument, home. `cd` resolves `..` by the folder's name or, if that folder does not exist, by where its
 * links lead. Returns undefined if these two differ.
 */
function cdTarget(word: ShellWord | undefined, start: string, { home, reader }: Law): string | undefined {
  if (word === undefined) return home;
  const written = wordPath(word, start, home);
  const folder = resolve(written);
  const isUnambiguous = pathForms(written, reader).forms.length === pathForms(folder, reader).forms.length;
  return isUnambiguous ? folder : undefined;
}

function judgeStep(
  { step, starts }: PlacedStep,
  lineSteps: readonly PlacedStep[],
  call: CallFacts,
  law: CommandLaw,
): StepVerdict {
  for (const round of unrollLoops(step)) {
    const redirected = redirectProblem(round, starts, law);
    if (redirected !== undefined) return refuseStep(redirected);
  }
  const [program] = step.words;
  if (program === undefined)
    return step.assignments.length > 0 ? refuseStep("it sets variables, which needs permission") : stepAllowed;
  const rule = law.allow.find((candidate) => ruleCoversStep(candidate, step, call));
  if (rule !== undefined) {
    // A rule for git was given for the repository here; in another one, git may do other things.
    if (runsInOtherFolder(starts, lineSteps) && step.words.some(({ text }) => text === "git"))
      return refuseStep("it changes folders and runs git, which needs permission");
    const foreignReason = foreignRepositoryReason(step.words, rule, starts, law);
    if (foreignReason !== undefined) return refuseStep(`it needs permission: ${foreignReason}`);
    return { allowed: true, reason: ruleReason(rule) };
  }
  if (program.text === "cd") {
    const isWithin = starts.every((start) => isWorkingFolder(cdTarget(step.words[1], start, law) ?? "/", law));
    return isWithin ? stepAllowed : refuseStep(`${stepText(step)} leads outside the working directories`);
  }
  let verdict = stepAllowed;
  for (const each of roundsToJudge(step)) {
    verdict = judgeRound(each, starts, lineSteps, law);
    if (!verdict.allowed) return verdict;
  }
  return verdict;
}

function isWorkingFolder(folder: string, { folders, reader }: Law): boolean {
  return folders.contain(pathForms(folder, reader), "read");
}

function judgeRound(
  step: ShellStep,
  starts: readonly string[],
  lineSteps: readonly PlacedStep[],
  law: CommandLaw,
): StepVerdict {
  const shown = stepText(step);
  const found = readsOfStep(step);
  if (found !== undefined) {
    if (found.reads.paths.some(mayMatchOptionName) && lineSteps.some((each) => each.mayCreateOptionName))
      return refuseStep(`${shown} may find a file whose name is an option, because another command may create one`);
    const trees = treesReadBy(found.words, step.isFed, starts, law);
    const reached = { shown, trees: withoutChangedSkips(trees, lineSteps, law) };
    return judgeReads(found.reads, reached, starts, runsInOtherFolder(starts, lineSteps), law);
  }
  const handed = namesHandedOn(step);
  // Files that the other commands create would be found, too.
  if (handed !== undefined && lineSteps.every((each) => stepOnlyReads(each.step)))
    return judgeHandedNames(handed, shown, starts, law);
  const bare = { ...step, words: step.words.slice(totalWrapperLength(step)) };
  return judgeEdits(bare, shown, starts, law);
}

function mayMatchOptionName({ word, showsNamesOnly }: ReadPath): boolean {
  return word.kind === "glob" && showsNamesOnly !== true && /^[-*?[]/u.test(word.text);
}

function mayCreateOptionName(step: ShellStep): boolean {
  return unrollLoops(step).some((round) => {
    const targets = round.redirects.filter(({ access }) => access === "write").map(({ target }) => target);
    const pathWords = round.words.slice(1).filter(({ text }) => text.includes("/"));
    return targets.some(looksLikeOption) || (pathWords.some(looksLikeOption) && readsOfStep(round) === undefined);
  });
}

function looksLikeOption({ text }: ShellWord): boolean {
  return /(?:^|\/)-[^/]*$/u.test(text);
}

/** Whether the command runs, or may run, in another folder than the line starts in. */
function runsInOtherFolder(starts: readonly string[], [first]: readonly PlacedStep[]): boolean {
  return starts.some((start) => first?.starts.includes(start) !== true);
}

/** The command with its variable assignments, since these may be why no rule covers it. */
export function stepSource({ assignments, words }: ShellStep): string {
  const assignmentTexts = assignments.map(({ name, value }) => `${name}=${value.source}`);
  return [...assignmentTexts, ...words.map(({ source }) => source)].join(" ");
}

export function stepText(step: ShellStep): string {
  return quoteShown(stepSource(step));
}

function treesReadBy(words: readonly ShellWord[], isFed: boolean, starts: readonly string[], { reader }: Law): Tree[] {
  const [program = "", ...texts] = textsOf(words);
  const isPath = (text: string): boolean => starts.some((start) => isThere(placeIn(start, text), reader));
  return treesOfCommand(program, texts, isFed, isPath).filter(
    ({ git, isCommon }) => git === undefined || isCommon !== true,
  );
}

function ruleCoversStep(rule: Rule, step: ShellStep, call: CallFacts): boolean {
  if (!matchesTool(rule.tool, call.tool, false)) return false;
  // The author of a rule had literal words in mind, not expanded ones.
  if (step.words.some(({ kind, isFromBraces }) => kind === "unknown" || isFromBraces === true)) return false;
  const assignments = step.assignments;
  return rule.specifiers.some((specifier) =>
    specifier.kind === "whole"
      ? assignments.every(isHarmlessAssignment)
      : specifier.kind === "command" && coversWithVariables(specifier.pattern, assignments, step.words),
  );
}
