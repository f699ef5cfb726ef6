/** Creates the session's ledger, with the earlier costs that its transcript records. */
import { Ledger } from "./ledger.ts";
import type { ModelParts } from "../model/model-parts.ts";
import type { EngineOptions } from "../options/options.ts";
import { readLedgerSnapshot } from "./read-ledger-snapshot.ts";
import type { Store } from "../store/store-shape.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

export function createLedger(options: EngineOptions, around: Surroundings, models: ModelParts, store: Store): Ledger {
  return new Ledger({
    elapsed: () => around.clock.elapsed(),
    maxBudgetUsd: options.maxBudgetUsd,
    info: (model) => models.catalog.info(model),
    costOf: (model, usage) => models.catalog.costOf(model, usage),
    // The session and its agents share one ledger, so it uses the more expensive of their cache lifetimes.
    cacheTtl: models.forAgents.cacheTtl === "1h" ? "1h" : models.cacheTtl,
    restored: readLedgerSnapshot(store.restored.ledger),
    unbooked: store.restored.unbookedAnswers,
    onUnknownModel: (model) =>
      around.notice(`${model} is not in the catalogue: its price is unknown, and its calls are counted as $0.`),
    onMissingUsage: (model) =>
      around.notice(
        `The server does not report all tokens of ${model}: the cost of its calls is unknown, and every total is incomplete.`,
      ),
    onUnaffordable: (text) => around.notice(text),
  });
}
