/** Deny and ask rules that cannot be read: a person is asked instead. A mistake in one file keeps no other file's rules from applying. */
import type { RuleProblem, SourcedRule, WrittenRules } from "../../permissions/rules/rule.ts";
import { changingTools, everyTool } from "../../settings/load.ts";
import type { Settings } from "../../settings/settings.ts";

export interface GuardedRules {
  rules: WrittenRules;
  /** Problems that cannot be replaced by asking: the session must not start. */
  fatal: RuleProblem[];
  /** Sentences for people. */
  warnings: string[];
}

/** `problems`: the problems found in `rules`. Unreadable rules of a flag or an administrator are not replaced but fatal. */
export function guardUnreadableRules(
  rules: WrittenRules,
  problems: readonly RuleProblem[],
  { origins }: Settings,
): GuardedRules {
  const fatal: RuleProblem[] = [];
  const warnings: string[] = [];
  const guards: SourcedRule[] = [];
  for (const problem of problems) {
    const { level, text, source } = problem;
    const origin = origins[source];
    if (level !== "error") warnings.push(text);
    else if (origin === undefined || origin === "policy" || origin === "flag") fatal.push(problem);
    else {
      const isOwn = origin === "user";
      guards.push(...(isOwn ? everyTool : changingTools).map((rule) => ({ rule, source, isStandIn: true })));
      warnings.push(`${text} Until it is fixed, ${isOwn ? "everything" : "everything but reading"} is asked about.`);
    }
  }
  return {
    rules: guards.length === 0 ? rules : { ...rules, ask: [...rules.ask, ...guards] },
    fatal,
    warnings,
  };
}
