/** WebFetch in a session: which model reads its pages, and which hosts the user has named. */
import type { Permissions } from "../../permissions/permissions.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { ModelParts } from "../model/model-parts.ts";
import { questionEffort, type QuestionEffortParts } from "../model/question-effort.ts";
import type { Store } from "../store/store-shape.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import type { ToolParts } from "./tool-parts.ts";

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
