/** How much effort a small question asks for. */
import { efforts, type Effort } from "../../protocol/effort.ts";
import type { ModelInfo } from "../../protocol/model.ts";
import type { ModelParts } from "./model-parts.ts";

export interface QuestionEffortParts {
  models: Pick<ModelParts, "catalog" | "effortOf">;
  selected: { readonly effort?: Effort };
}

/** Returns the effort to ask a model for; undefined: the model's own. */
export type EffortOf = (model: string) => Effort | undefined;

/**
 * The user's effort, if that makes the question cheaper: a higher one is meant for their own work. A model that cannot do without thinking
 * gets the lowest one, because its thinking comes out of the few tokens of the answer.
 */
export function questionEffort({ models, selected }: QuestionEffortParts): EffortOf {
  return (model) => {
    const { thinking, defaultEffort } = models.catalog.info(model);
    if (thinking === "adaptive_always") return "low";
    const isLower = selected.effort !== undefined && isBelow(selected.effort, defaultEffort);
    return models.effortOf(model, isLower ? selected.effort : undefined);
  };
}

function isBelow(effort: Effort, defaultEffort: ModelInfo["defaultEffort"] = "high"): boolean {
  return efforts.indexOf(effort) < efforts.indexOf(defaultEffort);
}
