/** What the rules and the mode say of a call, before anybody is asked. */
import type { JudgedPath, PermissionReason } from "../../protocol/permission.ts";
import type { Confinement } from "../../protocol/sandbox.ts";
import { visibleWord } from "../../lib/shell-quote.ts";

export interface Explanation {
  decision: Verdict["behavior"];
  /** The rule that decided; null where none did. */
  rule: string | null;
  /** One sentence. */
  reason: string;
  /** Where its paths led when it was judged. */
  judged?: readonly JudgedPath[];
  /** Of a command, where there is a sandbox. */
  sandbox?: Confinement["kind"];
}

/** A verdict with where the call's paths led when it was reached. */
export type Judgement = Verdict & { judged?: readonly JudgedPath[] };

export type Verdict =
  | { behavior: "allow"; reason: PermissionReason }
  | { behavior: "deny"; reason: PermissionReason; why: string }
  | {
      behavior: "ask";
      reason: PermissionReason;
      why: string;
      /** Only a person may answer it: no allow rule, no hook, no mode but the one it names. */
      isFirm: boolean;
      /** A hook may answer it all the same, where it gives the input to run with. */
      takesInput?: true;
      /** The flags that would have answered it; empty where none would. */
      flags: string[];
      /** Of a line of several commands: the rules that would have, one for each command that lacks one. */
      rules?: string[];
    };

export type Ask = Extract<Verdict, { behavior: "ask" }>;

/** What only a person may answer, and no flag would have. */
export function firmAsk(reason: PermissionReason, why: string): Ask {
  return { behavior: "ask", reason, why, isFirm: true, flags: [] };
}

/** `flags`: those that would have answered it. */
export function openAsk(reason: PermissionReason, why: string, flags: string[]): Ask {
  return { behavior: "ask", reason, why, isFirm: false, flags };
}

/** The reason that its words say. */
export function forSafety(text: string): PermissionReason {
  return { type: "safety", text };
}

/** The flag with which the rules would have allowed it; none where there is no rule for it. */
export function allowingFlags(...rules: readonly (string | undefined)[]): string[] {
  const words = rules.flatMap((rule) => (rule === undefined ? [] : [visibleWord(rule)]));
  return words.length === 0 ? [] : [`--allowed-tools ${words.join(" ")}`];
}

export function judgedOf({ judged }: Judgement): { judged?: readonly JudgedPath[] } {
  return judged === undefined ? {} : { judged };
}

/** One clause. */
export function whyOf(verdict: Verdict): string {
  if (verdict.behavior !== "allow") return verdict.why;
  const { reason } = verdict;
  if (reason.type === "rule") return `the allow rule "${reason.rule}" (${reason.source}) covers it`;
  if (reason.type === "sandbox" || reason.type === "classifier") return reason.text;
  return reason.type === "mode" ? `it needs no permission in the mode ${reason.mode}` : "it is allowed";
}

/** `isRefused`: what would be asked is not. */
export function explanationOf(
  verdict: Judgement,
  isRefused: boolean,
  sandbox: Confinement["kind"] | undefined,
): Explanation {
  return {
    decision: isRefused ? "deny" : verdict.behavior,
    rule: verdict.reason.type === "rule" ? verdict.reason.rule : null,
    reason: whyOf(verdict),
    ...judgedOf(verdict),
    ...(sandbox === undefined ? {} : { sandbox }),
  };
}

export function sameReason(one: PermissionReason, other: PermissionReason): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
