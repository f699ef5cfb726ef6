/** Handles what is left to a person: asks hooks or a judge first, then a person, unless a permission change settles it meanwhile. */
import {
  ruleParts,
  type PermissionDecision,
  type PermissionMode,
  type PermissionQuestion,
  type PermissionRequest,
} from "../protocol/permission.ts";
import type { AutoMode } from "./auto-mode.ts";
import { hookRefusal, denyUnanswered, nobodyToAskText } from "./denial-text.ts";
import { loadJudge } from "./load-judge.ts";
import type { OpenQuestions } from "./open-questions.ts";
import type { PathReader } from "./paths/path-forms.ts";
import type { PermissionOptions } from "./permission-options.ts";
import { askOnce, acceptsHookAnswer, questionDetails, unansweredReason } from "./ask-once.ts";
import { takeAnswer, type AnswerContext } from "./take-answer.ts";
import type { Ask, Judgement } from "./judging/verdict.ts";

const dayMs = 24 * 60 * 60_000;

/** The parts of the permissions that asking a question needs. */
export interface AskContext {
  options: PermissionOptions;
  openQuestions: OpenQuestions;
  answerContext: AnswerContext;
  reader: PathReader;
  mode: () => PermissionMode;
  /** What refuses all questions (a mode or setting), even when somebody could be asked. */
  silencedBy: () => string | undefined;
  takesAllowRules: () => boolean;
  /** Turns a verdict into a decision. */
  decisionFor: (
    request: PermissionRequest,
    verdict: Judgement,
    signal: AbortSignal,
  ) => PermissionDecision | Promise<PermissionDecision>;
}

/** `isJudged`: rules and modes led to this question, so a change of them may settle it. */
export async function askPerson(
  context: AskContext,
  request: PermissionRequest,
  verdict: Ask & Judgement,
  signal: AbortSignal,
  isJudged: boolean,
): Promise<PermissionDecision> {
  const { options, openQuestions, answerContext, silencedBy, takesAllowRules } = context;
  const { ask, askLimitMs = dayMs, clock, headless, beforeAsking } = options;
  const { changes } = openQuestions;
  const initialMode = context.mode();
  const isOneTimeOnly = verdict.isFirm || !takesAllowRules();
  const suggested = isOneTimeOnly ? {} : await suggestionsFor(request, verdict, context);
  const question = { ...request, ...questionDetails(verdict), ...suggested };
  const hookAnswer = (await beforeAsking?.(question, signal)) ?? null;
  // A hook's refusal always counts.
  if (hookAnswer?.behavior === "deny") return hookRefusal(request, hookAnswer);
  const isOutdated = hookAnswer !== null && isJudged && changes !== openQuestions.changes;
  const currentVerdict = isOutdated ? await answerContext.evaluate(request) : verdict;
  // The hook did not know about what forbids the call by now.
  if (currentVerdict.behavior === "deny") return await context.decisionFor(request, currentVerdict, signal);
  const askVerdict = currentVerdict.behavior === "ask" ? currentVerdict : verdict;
  if (hookAnswer !== null && acceptsHookAnswer(request, askVerdict, hookAnswer, options))
    return await takeAnswer(request, askVerdict, hookAnswer, answerContext);
  const silence = silencedBy();
  if (ask === undefined || silence !== undefined) {
    const message = nobodyToAskText(request, verdict, { isHeadless: headless === true, silencedBy: silence });
    return { behavior: "deny", message, reason: verdict.reason };
  }
  const putQuestion = (withdrawn: AbortSignal) => askOnce(ask, question, askLimitMs, clock, withdrawn);
  const judge = async () => (isJudged ? await settlingVerdict(context, request, initialMode) : null);
  const outcome = await openQuestions.askUnlessSettled(putQuestion, judge, changes, signal);
  if (outcome.kind === "settled") return await context.decisionFor(request, outcome.verdict, signal);
  if (outcome.kind !== "answered") return denyUnanswered(request, unansweredReason(outcome, askLimitMs));
  return await takeAnswer(request, verdict, outcome.answer, answerContext);
}

/** Suggests rules for the answer. If one command of a line lacks permission, only that command's rule is suggested. */
async function suggestionsFor(
  request: PermissionRequest,
  { rules = [] }: Ask,
  { options, reader }: AskContext,
): Promise<Pick<PermissionQuestion, "suggestedRule" | "suggestedRules">> {
  const [only] = rules.length === 1 ? rules : [(await loadJudge()).suggestedRule(request, options.home, reader)];
  const all = rules.length > 1 ? { suggestedRules: rules.map(ruleParts) } : {};
  return { ...(only === undefined ? {} : { suggestedRule: only }), ...all };
}

/** Asks the judge of the mode `auto`. If the permissions change meanwhile, the call is evaluated again before its consent counts. */
export async function askAutoModeJudge(
  context: AskContext,
  auto: AutoMode,
  request: PermissionRequest,
  verdict: Ask & Judgement,
  signal: AbortSignal,
): Promise<PermissionDecision> {
  const { openQuestions, answerContext, mode, silencedBy, decisionFor } = context;
  const { changes } = openQuestions;
  const decision = await auto.judge(request, verdict, signal, (question) =>
    askPerson(context, request, question, signal, true),
  );
  const isAllowedByJudge = decision.behavior === "allow" && decision.reason.type === "classifier";
  if (!isAllowedByJudge || changes === openQuestions.changes) return decision;
  const currentVerdict = await answerContext.evaluate(request);
  const isStillJudgeable =
    currentVerdict.behavior === "ask" && !currentVerdict.isFirm && mode() === "auto" && silencedBy() === undefined;
  return isStillJudgeable ? decision : await decisionFor(request, currentVerdict, signal);
}

/** The verdict that settles an open question, or null if it stays open. If the mode has just become `auto`, its judge is asked. */
async function settlingVerdict(
  { answerContext, mode, silencedBy }: AskContext,
  request: PermissionRequest,
  initialMode: PermissionMode,
): Promise<Judgement | null> {
  const verdict = await answerContext.evaluate(request);
  if (verdict.behavior !== "ask" || silencedBy() !== undefined) return verdict;
  return mode() === "auto" && initialMode !== "auto" && !verdict.isFirm ? verdict : null;
}
