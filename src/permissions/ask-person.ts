/** Handles what is left to a person: asks hooks or a judge first, then a person, unless a permission change settles it meanwhile. */
import {
  ruleParts,
  type PermissionDecision,
  type PermissionMode,
  type PermissionQuestion,
  type PermissionRequest,
} from "../protocol/permission.ts";
import type { AutoMode } from "./auto-mode.ts";
import { refusedByHook, unanswered, unaskedText } from "./denial-text.ts";
import { loadJudge } from "./load-judge.ts";
import type { OpenQuestions } from "./open-questions.ts";
import type { PathReader } from "./paths/path-forms.ts";
import type { PermissionOptions } from "./permission-options.ts";
import { askOnce, takesFromHook, toldOf, unansweredWhy } from "./question.ts";
import { takeAnswer, type Answering } from "./take-answer.ts";
import type { Ask, Judgement } from "./judging/verdict.ts";

const dayMs = 24 * 60 * 60_000;

/** The parts of the permissions that asking a question needs. */
export interface Asker {
  options: PermissionOptions;
  open: OpenQuestions;
  answering: Answering;
  reader: PathReader;
  mode: () => PermissionMode;
  /** What refuses all questions (a mode or setting), even when somebody could be asked. */
  silencedBy: () => string | undefined;
  takesAllowRules: () => boolean;
  /** Turns a verdict into a decision. */
  pronounce: (
    request: PermissionRequest,
    verdict: Judgement,
    signal: AbortSignal,
  ) => PermissionDecision | Promise<PermissionDecision>;
}

/** `isJudged`: rules and modes led to this question, so a change of them may settle it. */
export async function askPerson(
  asker: Asker,
  request: PermissionRequest,
  verdict: Ask & Judgement,
  signal: AbortSignal,
  isJudged: boolean,
): Promise<PermissionDecision> {
  const { options, open, answering, silencedBy, takesAllowRules } = asker;
  const { ask, askLimitMs = dayMs, clock, headless, beforeAsking } = options;
  const { changes } = open;
  const began = asker.mode();
  const isForOnce = verdict.isFirm || !takesAllowRules();
  const suggested = isForOnce ? {} : await suggestionsFor(request, verdict, asker);
  const question = { ...request, ...toldOf(verdict), ...suggested };
  const early = (await beforeAsking?.(question, signal)) ?? null;
  // A hook's refusal always counts.
  if (early?.behavior === "deny") return refusedByHook(request, early);
  const isOld = early !== null && isJudged && changes !== open.changes;
  const now = isOld ? await answering.evaluate(request) : verdict;
  // The hook did not know about what forbids the call by now.
  if (now.behavior === "deny") return await asker.pronounce(request, now, signal);
  const asked = now.behavior === "ask" ? now : verdict;
  if (early !== null && takesFromHook(request, asked, early, options))
    return await takeAnswer(request, asked, early, answering);
  const silence = silencedBy();
  if (ask === undefined || silence !== undefined) {
    const message = unaskedText(request, verdict, { isHeadless: headless === true, silencedBy: silence });
    return { behavior: "deny", message, reason: verdict.reason };
  }
  const put = (withdrawn: AbortSignal) => askOnce(ask, question, askLimitMs, clock, withdrawn);
  const judge = async () => (isJudged ? await settledBy(asker, request, began) : null);
  const outcome = await open.put(put, judge, changes, signal);
  if (outcome.kind === "settled") return await asker.pronounce(request, outcome.verdict, signal);
  if (outcome.kind !== "answered") return unanswered(request, unansweredWhy(outcome, askLimitMs));
  return await takeAnswer(request, verdict, outcome.answer, answering);
}

/** Suggests rules for the answer. If one command of a line lacks permission, only that command's rule is suggested. */
async function suggestionsFor(
  request: PermissionRequest,
  { rules = [] }: Ask,
  { options, reader }: Asker,
): Promise<Pick<PermissionQuestion, "suggestedRule" | "suggestedRules">> {
  const [only] = rules.length === 1 ? rules : [(await loadJudge()).suggestedRule(request, options.home, reader)];
  const all = rules.length > 1 ? { suggestedRules: rules.map(ruleParts) } : {};
  return { ...(only === undefined ? {} : { suggestedRule: only }), ...all };
}

/** Asks the judge of the mode `auto`. If the permissions change meanwhile, the call is evaluated again before its consent counts. */
export async function askJudge(
  asker: Asker,
  auto: AutoMode,
  request: PermissionRequest,
  verdict: Ask & Judgement,
  signal: AbortSignal,
): Promise<PermissionDecision> {
  const { open, answering, mode, silencedBy, pronounce } = asker;
  const { changes } = open;
  const decision = await auto.judge(request, verdict, signal, (left) => askPerson(asker, request, left, signal, true));
  const isPassed = decision.behavior === "allow" && decision.reason.type === "classifier";
  if (!isPassed || changes === open.changes) return decision;
  const now = await answering.evaluate(request);
  const isJudges = now.behavior === "ask" && !now.isFirm && mode() === "auto" && silencedBy() === undefined;
  return isJudges ? decision : await pronounce(request, now, signal);
}

/** The verdict that settles an open question, or null if it stays open. If the mode has just become `auto`, its judge is asked. */
async function settledBy(
  { answering, mode, silencedBy }: Asker,
  request: PermissionRequest,
  began: PermissionMode,
): Promise<Judgement | null> {
  const verdict = await answering.evaluate(request);
  if (verdict.behavior !== "ask" || silencedBy() !== undefined) return verdict;
  return mode() === "auto" && began !== "auto" && !verdict.isFirm ? verdict : null;
}
