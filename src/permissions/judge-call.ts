/**
 * Judges one call by the law of the moment. This module is not loaded at session start: the code that understands commands would make up a
 * fifth of what a start loads.
 */
import type { PermissionRequest } from "../protocol/permission.ts";
import { callFacts, judgedPaths } from "./judging/call-facts.ts";
import { evaluate } from "./judging/evaluate.ts";
import { matchesAsCondition } from "./judging/rule-match.ts";
import { suggestRule } from "./judging/suggest.ts";
import type { Judgement } from "./judging/verdict.ts";
import { buildLaw, type CurrentState } from "./build-law.ts";
import { withCaches, type PathReader } from "./paths/path-forms.ts";
import type { PermissionOptions } from "./permission-options.ts";
import type { Rule } from "./rules/rule.ts";
import { parseShell } from "./shell/parse.ts";

export function judgeCall(request: PermissionRequest, options: PermissionOptions, now: CurrentState): Judgement {
  const isCommand = request.subjects.some(({ kind }) => kind === "command");
  const law = buildLaw(options, isCommand ? { ...now, reader: withCaches(now.reader) } : now);
  const facts = callFacts(request, { home: law.home, reader: law.reader, parse: parseShell, limits: law.limits });
  return { ...evaluate(facts, request.hookDecision, law), ...judgedPaths(facts) };
}

/** Suggests a rule that would keep similar calls from being asked about again; undefined if there is none. */
export function suggestedRule(request: PermissionRequest, home: string, reader: PathReader): string | undefined {
  return suggestRule(callFacts(request, { home, reader }));
}

/** Whether a rule matches a request, as the condition of a hook. */
export function meetsRequest(rule: Rule, request: PermissionRequest, home: string, reader: PathReader): boolean {
  return matchesAsCondition(rule, callFacts(request, { home, reader }));
}
