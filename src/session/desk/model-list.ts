/** Models that a session may use, as hosts and `/model` list them. */
import type { SDKModelInfo } from "../../protocol/sdk-control.ts";
import type { Joined } from "../joined.ts";
import { modelRefusal } from "../model/model-limits.ts";

/** Names whose model changes from time to time. */
const aliases = ["default", "opus", "sonnet", "haiku", "fable"];

export function modelList({ models, around }: Joined): SDKModelInfo[] {
  const { catalog } = models;
  const ids = catalog.ids().filter((id) => catalog.info(id).status !== "legacy");
  const aliasEntries = aliases.map((name) => ({ value: name, id: catalog.resolveModel(name, around.env) }));
  const idOf = (name: string): string => catalog.resolveModel(name, around.env);
  const all = [...aliasEntries, ...ids.map((id) => ({ value: id, id }))];
  const permittedEntries = all.filter(({ id }) => modelRefusal(id, around.settings, idOf) === undefined);
  return permittedEntries.map(({ value, id }) => {
    const { efforts, thinking, fastPrices, contextWindow } = catalog.info(id);
    return {
      value,
      resolvedModel: id,
      displayName: value === id ? id : `${value} (${id})`,
      description: `${Math.round(contextWindow / 1000)}k tokens of context`,
      ...(efforts.length === 0 ? {} : { supportsEffort: true, supportedEffortLevels: [...efforts] }),
      ...(thinking.startsWith("adaptive") ? { supportsAdaptiveThinking: true } : {}),
      ...(fastPrices === undefined ? {} : { supportsFastMode: true }),
    };
  });
}
