/** Merges problems that many rules of one file share into one message. */
import type { RuleProblem } from "./rule.ts";

/** Up to this many problems are reported one by one. */
const maxSeparateProblems = 3;

export function mergeProblems(problems: readonly RuleProblem[]): RuleProblem[] {
  const groups = Map.groupBy(problems, (problem) =>
    problem.gist === undefined ? problem : JSON.stringify([problem.behavior, problem.source, problem.gist]),
  );
  return [...groups.values()].flatMap((alike) => (alike.length > maxSeparateProblems ? mergeIntoOne(alike) : alike));
}

function mergeIntoOne([first, second, ...others]: RuleProblem[]): RuleProblem[] {
  if (first === undefined || second === undefined) return [];
  const ruleNames = [first, second].map(({ rule }) => JSON.stringify(rule)).join(" and ");
  const text = `${others.length + 2} ${first.behavior} rules (${first.source}), such as ${ruleNames}: ${first.gist}.`;
  return [{ ...first, text }];
}
