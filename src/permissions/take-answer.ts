/** Applies the answer to a question: adds its rules, and decides whether a changed input may run. */
import type {
  JudgedPath,
  PermissionAnswer,
  PermissionDecision,
  PermissionRequest,
  PermissionUpdate,
} from "../protocol/permission.ts";
import { deniedText, refusedBy, unanswered } from "./denial-text.ts";
import type { PermissionOptions } from "./permission-options.ts";
import type { RuleProblem } from "./rules/rule.ts";
import { judgedOf, sameReason, type Ask, type Judgement } from "./judging/verdict.ts";

export interface Answering extends Pick<PermissionOptions, "subjectsOf" | "keep"> {
  evaluate: (request: PermissionRequest) => Judgement | Promise<Judgement>;
  takeRule: (rule: string) => boolean;
  update: (change: PermissionUpdate) => RuleProblem[];
}

type Again = { refusal: PermissionDecision } | { judged?: readonly JudgedPath[] };

export async function takeAnswer(
  request: PermissionRequest,
  verdict: Ask & Judgement,
  answer: PermissionAnswer,
  { subjectsOf, keep, evaluate, takeRule, update }: Answering,
): Promise<PermissionDecision> {
  if (answer.behavior === "deny") return refusedBy(request, answer);
  const { rule } = answer;
  const updates = answer.updates ?? [];
  const given = inputGiven(request, verdict, answer.updatedInput);
  // By convention, hosts send the input back even if they did not change it.
  const isSame = JSON.stringify(given) === JSON.stringify(request.input);
  const updatedInput = isSame ? undefined : given;
  const again: Again =
    updatedInput === undefined
      ? judgedOf(verdict)
      : await judgeInput(request, verdict, updatedInput, { subjectsOf, evaluate });
  if ("refusal" in again) return again.refusal;
  if (rule !== undefined) takeRule(rule);
  const broken = updates.flatMap((each) => update(each)).find(({ level }) => level === "error");
  if (broken !== undefined) return unanswered(request, `a rule of the answer cannot be read (${broken.text})`);
  if (updates.length > 0) await keep?.(updates);
  const changed = updatedInput === undefined ? {} : { updatedInput };
  return { behavior: "allow", reason: { type: "user" }, ...changed, ...again };
}

/** The input the answer gives. If the answer is what the call is for, fields that it leaves out are taken from the call's own input. */
export function inputGiven(
  { input }: PermissionRequest,
  { takesInput }: Ask,
  given: Record<string, unknown> | undefined,
): Record<string, unknown> | undefined {
  return given === undefined || takesInput !== true ? given : { ...input, ...given };
}

/** Judges a changed input against every rule again: the person who answered had only seen the original input. */
async function judgeInput(
  request: PermissionRequest,
  verdict: Ask,
  input: Record<string, unknown>,
  { subjectsOf, evaluate }: Pick<Answering, "subjectsOf" | "evaluate">,
): Promise<Again> {
  if (subjectsOf === undefined)
    return { refusal: unanswered(request, "the answer changed the input, which cannot be judged here") };
  const changed = { ...request, input, subjects: subjectsOf(request.toolName, input, request.cwd) };
  const again = await evaluate(changed);
  if (again.behavior === "allow" || (again.behavior === "ask" && !again.isFirm)) return judgedOf(again);
  if (again.behavior === "deny")
    return { refusal: { behavior: "deny", message: deniedText(changed, again), reason: again.reason } };
  if (sameReason(again.reason, verdict.reason)) return judgedOf(again);
  return { refusal: unanswered(changed, `the answer changed the input, and ${again.why}`) };
}
