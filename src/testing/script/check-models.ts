/** The traits a script may set for a model. Each is listed by name, so that a misspelt trait is reported. */
import type { ModelTraits } from "../models.ts";
import { boolean, list, numberFrom, object, oneOf, string, type Check } from "./check-kit.ts";

const effort = oneOf("low", "medium", "high", "xhigh", "max");

const traits: { [Name in keyof ModelTraits]: Check } = {
  contextWindow: numberFrom(1),
  maxOutput: numberFrom(1),
  thinking: object({
    adaptive: boolean,
    enabled: boolean,
    disabled: oneOf(true, false, "modest-effort"),
    betweenTools: boolean,
    defaultOn: boolean,
    defaultDisplay: oneOf("omitted", "summarized"),
  }),
  efforts: list(effort),
  defaultEffort: effort,
  fixedSampling: boolean,
  prefill: boolean,
  forcedToolChoice: boolean,
  systemRole: boolean,
  preservedThinking: boolean,
  keepsPriorThinking: boolean,
  cacheMinimum: numberFrom(0),
  imageEdge: numberFrom(1),
  imageTokenCap: numberFrom(0),
  taskBudget: boolean,
  compaction: boolean,
  fastMode: oneOf("yes", "ignored", "no"),
  readsThinkingOf: list(string),
};

export const modelTraits: Check = object(traits);
