/** Reads the hooks of one place, and reports invalid rules in their `if` with the other problems. */
import { readHookConfig, type ReadHooks } from "../../hooks/config.ts";
import type { HookProblem } from "../../hooks/hook-problem.ts";
import { supportsConditions } from "../../hooks/configured-hooks.ts";
import type { ConfiguredHook } from "../../hooks/handler.ts";
import { diskPaths } from "../../permissions/paths/path-forms.ts";
import { parseRule } from "../../permissions/rules/rule.ts";

export function readHooks(...args: Parameters<typeof readHookConfig>): ReadHooks {
  const { hooks, problems } = readHookConfig(...args);
  return { hooks, problems: [...problems, ...hooks.flatMap(conditionProblems)] };
}

/** An invalid `if` cannot narrow which calls the hook sees. */
function conditionProblems({ event, handler, source }: ConfiguredHook): HookProblem[] {
  const { condition: rule } = handler;
  if (rule === undefined || !supportsConditions(event)) return [];
  const read = parseRule({ rule, source }, "ask", { cwd: "/", home: "/", reader: diskPaths });
  if (read.rule !== null) return [];
  const what = `the "if" ${JSON.stringify(rule)} is not one permission rule such as Bash(git push *)`;
  return [{ level: "notice", text: `${source}: hooks.${event}: ${what}; the hook runs for every call.` }];
}
