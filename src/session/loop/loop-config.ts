/** The loop's configuration for one user turn, from what is chosen when it begins, and the model chosen by now. */
import { actsAsSubagent } from "../options/acts-as-subagent.ts";
import type { ChosenModel, LoopConfig, LoopPorts, ModelSettings } from "../../loop/ports.ts";
import type { Joined } from "../joined.ts";
import type { EngineOptions } from "../options/options.ts";

type Choosable = Pick<Joined, "models" | "selected">;

function chosenModelOf(choosable: Choosable): ChosenModel {
  const { current: model } = choosable.selected;
  return { model, ...modelSettingsOf(choosable, model) };
}

/** How a model is asked if it answers, whether it was chosen or stands in for the chosen one. */
export function modelSettingsOf({ models, selected: { effort } }: Choosable, model: string): ModelSettings {
  return { thinking: models.thinkingOf(model, effort), effort: models.effortOf(model, effort) };
}

export function modelChoicePorts(choosable: Choosable): Pick<LoopPorts, "chosenModel" | "modelSettings"> {
  return {
    chosenModel: () => chosenModelOf(choosable),
    modelSettings: (model) => modelSettingsOf(choosable, model),
  };
}

export function loopConfigOf(joined: Joined): LoopConfig {
  const { options, models, openingTexts, store } = joined;
  const { maxOutputTokens, taskBudget, speed } = models.wishes;
  const { thinking, effort } = chosenModelOf(joined);
  return {
    sessionId: store.sessionId,
    system: openingTexts.system,
    fallbackModels: models.fallbacks,
    thinking,
    effort,
    maxOutputTokens,
    querySource: querySourceOf(options),
    taskBudget,
    speed,
    includeRawEvents: options.includePartialMessages === true,
  };
}

function querySourceOf(options: EngineOptions): LoopConfig["querySource"] {
  if (actsAsSubagent(options)) return "subagent";
  return options.headless === true ? "sdk" : "main";
}
