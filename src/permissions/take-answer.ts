/** Applies the answer to a question: adds its rules, and decides whether a changed input may run. */
import type {
  JudgedPath,
  PermissionAnswer,
  PermissionDecision,
  PermissionRequest,
  PermissionUpdate,
} from "../protocol/permission.ts";
import { deniedText, personRefusal, denyUnanswered } from "./denial-text.ts";
import type { PermissionOptions } from "./permission-options.ts";
import type { RuleProblem } from "./rules/rule.ts";
import { pickJudgedPaths, type Ask, type Judgement } from "./judging/verdict.ts";
import { isSameJson } from "../lib/is-same-json.ts";

export interface AnswerContext extends Pick<PermissionOptions, "subjectsOf" | "persist"> {
  evaluate: (request: PermissionRequest) => Judgement | Promise<Judgement>;
  addLastingRule: (rule: string) => boolean;
  update: (change: PermissionUpdate) => RuleProblem[];
}

type ChangedInputResult = { refusal: PermissionDecision } | { judged?: readonly JudgedPath[] };

export async function takeAnswer(
  request: PermissionRequest,
  verdict: Ask & Judgement,
  answer: PermissionAnswer,
  { subjectsOf, persist, evaluate, addLastingRule, update }: AnswerContext,
): Promise<PermissionDecision> {
  if (answer.behavior === "deny") return personRefusal(request, answer);
  const { rule } = answer;
  const updates = answer.updates ?? [];
  const answerInput = answeredInput(request, verdict, answer.updatedInput);
  // By convention, hosts send the input back even if they did not change it.
  const isSame = isSameJson(answerInput, request.input);
  const updatedInput = isSame ? undefined : answerInput;
  const rejudged: ChangedInputResult =
    updatedInput === undefined
      ? pickJudgedPaths(verdict)
      : await judgeChangedInput(request, verdict, updatedInput, { subjectsOf, evaluate });
  if ("refusal" in rejudged) return rejudged.refusal;
  if (rule !== undefined) addLastingRule(rule);
  const unreadableRule = updates.flatMap((each) => update(each)).find(({ level }) => level === "error");
  if (unreadableRule !== undefined)
    return denyUnanswered(request, `a rule of the answer cannot be read (${unreadableRule.text})`);
  if (updates.length > 0) await persist?.(updates);
  const changed = updatedInput === undefined ? {} : { updatedInput };
  return { behavior: "allow", reason: { type: "user" }, ...changed, ...rejudged };
}

/** The input the answer gives. If the answer is what the call is for, fields that it leaves out are taken from the call's own input. */
export function answeredInput(
  { input }: PermissionRequest,
  { takesInput }: Ask,
  answeredFields: Record<string, unknown> | undefined,
): Record<string, unknown> | undefined {
  return answeredFields === undefined || takesInput !== true ? answeredFields : { ...input, ...answeredFields };
}

/** Judges a changed input against every rule again: the person who answered had only seen the original input. */
async function judgeChangedInput(
  request: PermissionRequest,
  verdict: Ask,
  input: Record<string, unknown>,
  { subjectsOf, evaluate }: Pick<AnswerContext, "subjectsOf" | "evaluate">,
): Promise<ChangedInputResult> {
  if (subjectsOf === undefined)
    return { refusal: denyUnanswered(request, "the answer changed the input, which cannot be judged here") };
  const changed = { ...request, input, subjects: subjectsOf(request.toolName, input, request.cwd) };
  const rejudged = await evaluate(changed);
  if (rejudged.behavior === "allow" || (rejudged.behavior === "ask" && !rejudged.isFirm))
    return pickJudgedPaths(rejudged);
  if (rejudged.behavior === "deny")
    return { refusal: { behavior: "deny", message: deniedText(changed, rejudged), reason: rejudged.reason } };
  if (isSameJson(rejudged.reason, verdict.reason)) return pickJudgedPaths(rejudged);
  return { refusal: denyUnanswered(changed, `the answer changed the input, and ${rejudged.why}`) };
}
