/** Which tools a session has: those it was given, or the usual ones that can be of use in it. */
import type { Tool } from "../../protocol/tool.ts";
import { environmentFlag } from "../../tools/variables.ts";
import { questionTool } from "../../tools/questions.ts";
import { defaultToolNames } from "../../tools/registry.ts";
import { actsAsSubagent } from "../options/acts-as-subagent.ts";
import type { EngineOptions } from "../options/options.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { canAnswer, type AnswerSources } from "./answerable.ts";

/** Returns the tools to offer. WebFetch only if a rule mentions it: others should not pay for a tool that would ask about each page. */
export function offeredToolNames(
  options: EngineOptions,
  around: Pick<Surroundings, "settings" | "env">,
  sessionTools: readonly Tool[],
  pluginHooks: AnswerSources["pluginHooks"],
): readonly string[] {
  const names =
    options.tools ?? withoutTodos(defaultNamesFor({ options, settings: around.settings, pluginHooks }), sessionTools);
  const isOff = environmentFlag(around.env, "CLAUDE_CODE_DISABLE_WEB_FETCH", false);
  return isOff ? names.filter((name) => name !== "WebFetch") : names;
}

function defaultNamesFor(sources: AnswerSources): readonly string[] {
  const { options, settings } = sources;
  const { allow, ask } = settings.permissions;
  const texts = [...(options.allowedTools ?? []), ...[...allow, ...ask].map(({ rule }) => rule)];
  const web = texts.some((text) => /^WebFetch\b/u.test(text.trim())) ? ["WebFetch"] : [];
  // An agent's session has nobody to ask, and a host may have its own tool of that name.
  const { customTools = [] } = options;
  const isFree = !actsAsSubagent(options) && customTools.every(({ name }) => name !== questionTool);
  const asks = isFree && canAnswer(questionTool, sources) ? [questionTool] : [];
  return [...defaultToolNames, ...asks, ...web];
}

/** Used if nobody named tools: the task list replaces the model's own todo list. */
function withoutTodos(names: readonly string[], sessionTools: readonly Tool[]): readonly string[] {
  return sessionTools.some(({ name }) => name === "TaskCreate") ? names.filter((name) => name !== "TodoWrite") : names;
}
