/** WebFetch in a session: when it is offered, which model reads its pages, and which hosts the user has named. */
import { actsAsSubagent } from "../options/acts-as-subagent.ts";
import type { Tool } from "../../protocol/tool.ts";
import { environmentFlag } from "../../tools/variables.ts";
import type { Permissions } from "../../permissions/permissions.ts";
import { questionTool } from "../../tools/questions.ts";
import { defaultToolNames } from "../../tools/registry.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { ModelParts } from "../model/model-parts.ts";
import { questionEffort, type QuestionEffortParts } from "../model/question-effort.ts";
import type { EngineOptions } from "../options/options.ts";
import { canAnswer, type AnswerSources } from "../permissions/answerable.ts";
import type { Store } from "../store/store-shape.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import type { ToolParts } from "./tool-parts.ts";

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

interface WebParts extends Pick<QuestionEffortParts, "selected"> {
  tools: ToolParts;
  models: ModelParts;
  ledger: Ledger;
  store: Store;
  permissions: Permissions;
  ids: Surroundings["ids"];
}

export function connectWebFetch({ tools, models, selected, ledger, store, permissions, ids }: WebParts): void {
  if (!tools.tools.some(({ name }) => name === "WebFetch")) return;
  tools.shared.web = {
    reader: {
      async read(page, signal) {
        const { readPage } = await import("../model/page-reader.ts");
        const effortOf = questionEffort({ models, selected });
        const paying = { model: models.model, budget: ledger, modelId: models.smallModel(), effortOf };
        return await readPage({ ...paying, sessionId: store.sessionId, uuid: ids.uuid() }, page, signal);
      },
    },
    isNamedHost: (host) => isHostNamedByRule(permissions, host),
  };
}

/** Whether an allow rule names the whole host: a host that only a wildcard covers may be anybody's. */
function isHostNamedByRule(permissions: Permissions, host: string): boolean {
  const wanted = `webfetch(domain:${host.toLowerCase()})`;
  return permissions
    .describeRules()
    .some(({ behavior, rule }) => behavior === "allow" && rule.toLowerCase() === wanted);
}
