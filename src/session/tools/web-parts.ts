/** WebFetch in a session: when it is on offer, who reads its pages, and which hosts the user has named. */
import type { Permissions } from "../../permissions/permissions.ts";
import { defaultToolNames } from "../../tools/registry.ts";
import type { Ledger } from "../ledger.ts";
import type { ModelParts } from "../model/model-parts.ts";
import type { EngineOptions } from "../options.ts";
import type { Store } from "../store.ts";
import type { Surroundings } from "../surroundings.ts";
import type { ToolParts } from "./tool-parts.ts";

/** Who has a rule for pages wants them fetched. Others do not pay for a tool that would ask for each of them. */
export function offeredNames(
  { tools, allowedTools = [] }: EngineOptions,
  { settings }: Pick<Surroundings, "settings">,
): readonly string[] {
  if (tools !== undefined) return tools;
  const { allow, ask } = settings.permissions;
  const texts = [...allowedTools, ...[...allow, ...ask].map(({ rule }) => rule)];
  return texts.some((text) => /^WebFetch\b/u.test(text.trim())) ? [...defaultToolNames, "WebFetch"] : defaultToolNames;
}

interface WebParts {
  tools: ToolParts;
  models: ModelParts;
  ledger: Ledger;
  store: Store;
  permissions: Permissions;
  ids: Surroundings["ids"];
}

export function joinWeb({ tools, models, ledger, store, permissions, ids }: WebParts): void {
  if (!tools.tools.some(({ name }) => name === "WebFetch")) return;
  tools.shared.web = {
    reader: {
      async read(page, signal) {
        const { readPage } = await import("../model/page-reader.ts");
        const paying = { model: models.model, budget: ledger, modelId: models.smallModel() };
        return await readPage({ ...paying, sessionId: store.sessionId, uuid: ids.uuid() }, page, signal);
      },
    },
    isNamedHost: (host) => isNamed(permissions, host),
  };
}

/** By a rule that has its whole name: what a star covers may be anybody's. */
function isNamed(permissions: Permissions, host: string): boolean {
  const wanted = `webfetch(domain:${host.toLowerCase()})`;
  return permissions
    .describeRules()
    .some(({ behavior, rule }) => behavior === "allow" && rule.toLowerCase() === wanted);
}
