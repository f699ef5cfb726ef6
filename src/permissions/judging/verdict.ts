/** What the rules and the mode say of a call before anybody is asked. */
import type { JudgedPath, PermissionReason } from "../../protocol/permission.ts";
import type { Confinement } from "../../protocol/sandbox.ts";
import { visibleWord } from "../../lib/shell-quote.ts";

export interface Explanation {
  decision: Verdict["behavior"];
  /** The rule that decided, or null if none did. */
  rule: string | null;
  /** One sentence. */
  reason: string;
  /** Where the call's paths led when it was judged. */
  judged?: readonly JudgedPath[];
  /** How the sandbox treats the call's command; absent without a sandbox or a command. */
  sandbox?: Confinement["kind"];
}

/** A verdict, with where the call's paths led when it was reached. */
export type Judgement = Verdict & { judged?: readonly JudgedPath[] };

export type Verdict =
  | { behavior: "allow"; reason: PermissionReason }
  | { behavior: "deny"; reason: PermissionReason; why: string }
  | {
      behavior: "ask";
      reason: PermissionReason;
      why: string;
      /** Only a person may answer: no allow rule, no hook, and no mode other than the one it names. */
      isFirm: boolean;
      /** A hook may answer anyway if it supplies the input to run with. */
      takesInput?: true;
      /** The flags that would have avoided the question; empty if none would. */
      flags: string[];
      /** For a line of several commands: the rules that would have avoided the question, one for each command that lacks one. */
      rules?: string[];
    };

export type Ask = Extract<Verdict, { behavior: "ask" }>;

/** A question that only a person may answer and no flag would have avoided. */
export function firmAsk(reason: PermissionReason, why: string): Ask {
  return { behavior: "ask", reason, why, isFirm: true, flags: [] };
}

/** `flags`: those that would have avoided the question. */
export function openAsk(reason: PermissionReason, why: string, flags: string[]): Ask {
  return { behavior: "ask", reason, why, isFirm: false, flags };
}

/** A reason of type `safety`. */
export function safetyReason(text: string): PermissionReason {
  return { type: "safety", text };
}

/** The flag with which the rules would have allowed the call; empty if there are no rules for it. */
export function allowingFlags(...rules: readonly (string | undefined)[]): string[] {
  const words = rules.flatMap((rule) => (rule === undefined ? [] : [visibleWord(rule)]));
  return words.length === 0 ? [] : [`--allowed-tools ${words.join(" ")}`];
}

export function pickJudgedPaths({ judged }: Judgement): { judged?: readonly JudgedPath[] } {
  return judged === undefined ? {} : { judged };
}

/** The verdict's reason as one clause. */
function verdictReasonText(verdict: Verdict): string {
  if (verdict.behavior !== "allow") return verdict.why;
  const { reason } = verdict;
  if (reason.type === "rule") return `the allow rule "${reason.rule}" (${reason.source}) covers it`;
  if (reason.type === "sandbox" || reason.type === "classifier") return reason.text;
  return reason.type === "mode" ? `it needs no permission in the mode ${reason.mode}` : "it is allowed";
}

/** `isRefused`: what would be asked is refused instead. */
export function explainVerdict(
  verdict: Judgement,
  isRefused: boolean,
  sandbox: Confinement["kind"] | undefined,
): Explanation {
  return {
    decision: isRefused ? "deny" : verdict.behavior,
    rule: verdict.reason.type === "rule" ? verdict.reason.rule : null,
    reason: verdictReasonText(verdict),
    ...pickJudgedPaths(verdict),
    ...(sandbox === undefined ? {} : { sandbox }),
  };
}
