/** Merges problems that many rules of one file share into one message. */
import type { RuleProblem } from "./rule.ts";

/** Up to this many problems are reported one by one. */
const mostAlone = 3;

export function toldTogether(problems: readonly RuleProblem[]): RuleProblem[] {
  const groups = Map.groupBy(problems, (problem) =>
    problem.gist === undefined ? problem : JSON.stringify([problem.behavior, problem.source, problem.gist]),
  );
  return [...groups.values()].flatMap((alike) => (alike.length > mostAlone ? inOne(alike) : alike));
}

function inOne([first, second, ...others]: RuleProblem[]): RuleProblem[] {
  if (first === undefined || second === undefined) return [];
  const named = [first, second].map(({ rule }) => JSON.stringify(rule)).join(" and ");
  const text = `${others.length + 2} ${first.behavior} rules (${first.source}), such as ${named}: ${first.gist}.`;
  return [{ ...first, text }];
}
