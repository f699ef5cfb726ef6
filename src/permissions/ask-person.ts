/** What rules and modes leave to a person: a judge or hooks first, then whoever can be asked, unless what is permitted changes meanwhile. */
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

/** The permissions, as far as a question needs them. */
export interface Asker {
  options: PermissionOptions;
  open: OpenQuestions;
  answering: Answering;
  reader: PathReader;
  mode: () => PermissionMode;
  /** What refuses questions, whoever could be asked. */
  silencedBy: () => string | undefined;
  takesAllowRules: () => boolean;
  /** What a verdict comes to. */
  pronounce: (
    request: PermissionRequest,
    verdict: Judgement,
    signal: AbortSignal,
  ) => PermissionDecision | Promise<PermissionDecision>;
}

/** `isJudged`: by rules and modes, so that a change of them may settle it. */
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
  // A refusal is always heard.
  if (early?.behavior === "deny") return refusedByHook(request, early);
  const isOld = early !== null && isJudged && changes !== open.changes;
  const now = isOld ? await answering.evaluate(request) : verdict;
  // What forbids it by now the hook was not told.
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

/** Of a line in which one command lacks permission, that one's rule. */
async function suggestionsFor(
  request: PermissionRequest,
  { rules = [] }: Ask,
  { options, reader }: Asker,
): Promise<Pick<PermissionQuestion, "suggestedRule" | "suggestedRules">> {
  const [only] = rules.length === 1 ? rules : [(await loadJudge()).suggestedRule(request, options.home, reader)];
  const all = rules.length > 1 ? { suggestedRules: rules.map(ruleParts) } : {};
  return { ...(only === undefined ? {} : { suggestedRule: only }), ...all };
}

/** What the judge lets pass, unless it is none of the judge's by then: what is permitted may have changed while it thought. */
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

/** What would not be asked about any more; null: it still would. The judge of the mode `auto` is asked where that mode is new. */
async function settledBy(
  { answering, mode, silencedBy }: Asker,
  request: PermissionRequest,
  began: PermissionMode,
): Promise<Judgement | null> {
  const verdict = await answering.evaluate(request);
  if (verdict.behavior !== "ask" || silencedBy() !== undefined) return verdict;
  return mode() === "auto" && began !== "auto" && !verdict.isFirm ? verdict : null;
}
