/** Rules for those commands of a line that lack one. Each allows only its command, and together they allow the line. */
import { isExactPattern } from "../rules/command-pattern.ts";
import { parseRule, type Rule, type Specifier } from "../rules/rule.ts";
import type { CallFacts } from "./call-facts.ts";
import type { CommandFacts } from "../rules/command-rules.ts";
import { judgeScript, stepSource, stepText } from "./judge-command.ts";
import type { StepVerdict } from "./judge-reads.ts";
import type { CommandLaw } from "./law.ts";
import { ruleForCommand } from "./suggest.ts";
import type { ShellScript, ShellStep, ShellWord } from "../shell/step.ts";

/** Nobody reads more at once. */
const maxParts = 5;
/** Each further one costs another judgement of the whole line. */
const maxCountedParts = 20;

export interface PartRules {
  /** Empty if there would be too many. */
  rules: string[];
  /** One clause that says what lacks permission. */
  why: string;
}

interface LineJudgement {
  /** The verdict on the whole line. */
  lineVerdict: StepVerdict;
  facts: CommandFacts;
  call: CallFacts;
  law: CommandLaw;
}

/**
 * Undefined if the line is a single command, or if such rules would not allow the line or would allow more than was shown. Commands
 * beyond `maxParts` are only counted.
 */
export function partRules(
  script: ShellScript,
  { lineVerdict, facts, call, law }: LineJudgement,
): PartRules | undefined {
  const { command, reading } = facts;
  // A rule cannot name what a command reads from a redirect, a here-document or a here-string.
  const readsInput = script.steps.some(({ redirects }) => redirects.some(({ access }) => access === "read"));
  if (script.steps.length < 2 || command.includes("<<") || readsInput) return undefined;
  const rules: Rule[] = [];
  const parts: ShellStep[] = [];
  let why = "";
  let verdict = lineVerdict;
  while (!verdict.allowed) {
    const { step, isInOtherFolder } = verdict;
    const rule = step === undefined ? undefined : ruleForStep(step, call, law);
    // Here, the same words would be another command.
    if (isInOtherFolder === true && rule?.specifiers.every(isExactCommand) === true) return undefined;
    if (step === undefined || rule === undefined || rules.some((each) => each.rule === rule.rule)) return undefined;
    if (rules.length === 0) why = verdict.why;
    rules.push(rule);
    parts.push(step);
    if (parts.length === maxCountedParts) break;
    verdict = judgeScript(script, reading, call, { ...law, allow: [...law.allow, ...rules] });
  }
  if (parts.length > maxParts)
    return { rules: [], why: `${why}; so do ${countText(parts.length - 1, !verdict.allowed)}` };
  const partTexts = parts.map(stepText);
  const isRest = script.steps.some((step) => step.words.length > 0 && !partTexts.includes(stepText(step)));
  const more = partTexts.slice(1).map((text) => `; so does ${text}`);
  const rest = isRest ? " (the rest of the line does not)" : "";
  return { rules: rules.map(({ rule }) => rule), why: `${why}${more.join("")}${rest}` };
}

/** `isLeast`: there may be more. */
function countText(count: number, isLeast: boolean): string {
  return `${isLeast ? "at least " : ""}${count} more commands of the line`;
}

function ruleForStep(step: ShellStep, call: CallFacts, law: CommandLaw): Rule | undefined {
  const [program, folder] = step.words;
  // Other commands give xargs its words, and in another folder a relative path leads elsewhere.
  const isFed = step.isFed || step.words.some(({ text }) => text === "xargs");
  if (isFed || (program?.text === "cd" && !isAbsoluteFolder(folder))) return undefined;
  const plain = step.assignments.length === 0 ? step.words : undefined;
  const written = ruleForCommand(call.tool, stepSource(step), plain);
  if (written === undefined) return undefined;
  return (
    parseRule({ rule: written, source: "" }, "allow", { cwd: call.cwd, home: law.home, reader: law.reader }).rule ??
    undefined
  );
}

function isAbsoluteFolder(folder: ShellWord | undefined): boolean {
  return folder === undefined || folder.kind === "home" || folder.text.startsWith("/");
}

function isExactCommand(specifier: Specifier): boolean {
  return specifier.kind === "command" && isExactPattern(specifier.pattern);
}
