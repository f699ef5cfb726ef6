/** Reduces the caller's thinking and effort settings to what this model accepts, so that it never answers with a 400. */
import { efforts, type Effort } from "../../protocol/effort.ts";
import { mostThinking, type ThinkingDisplay, type ThinkingSetting } from "../../protocol/model.ts";
import type { CatalogEntry } from "../catalog.ts";
import { nothingLeftOut, type LeftOutFields } from "./unknown-fields.ts";

export type ThinkingParameter =
  | { type: "adaptive"; display?: ThinkingDisplay }
  | { type: "disabled" }
  | { type: "enabled"; budget_tokens: number; display?: ThinkingDisplay };

const minBudgetTokens = 1024;
/** The budget as a share of `max_tokens`, if neither the model nor anybody else chooses one. */
const defaultBudgetShare = 0.5;
const adaptive: ThinkingParameter = { type: "adaptive", display: "summarized" };

/**
 * The `thinking` parameter, or undefined for none.
 *
 * | model        | auto     | adaptive | enabled  | disabled |
 * | none         | –        | –        | –        | –        |
 * | enabled      | –        | –        | enabled  | –        |
 * | adaptive     | adaptive | adaptive | enabled  | disabled |
 * | …_or_disabled| adaptive | adaptive | adaptive | disabled |
 * | …_always     | adaptive | adaptive | adaptive | –        |
 *
 * An undescribed model gets the caller's explicit setting, and nothing for `auto`. Adaptive thinking asks for summaries: recent
 * models report what they do between tools in thinking blocks, which are empty otherwise.
 */
export function thinkingParameter(
  entry: CatalogEntry,
  setting: ThinkingSetting,
  maxTokens: number,
  effort: Effort | undefined,
  leftOut: LeftOutFields = nothingLeftOut,
): ThinkingParameter | undefined {
  const parameter = acceptedForm(preferredParameter(entry, setting, maxTokens, effort), maxTokens, leftOut);
  if (parameter === undefined || parameter.type === "disabled") return parameter;
  const { display: usual, ...own } = parameter;
  const display = leftOut.has("thinking.display")
    ? undefined
    : (setting.type !== "disabled" && setting.display) || usual;
  return display === undefined ? own : { ...own, display };
}

/** Whether a catalogue model thinks with this parameter; without a parameter, whether it thinks by default. */
export function isThinkingOn(
  entry: CatalogEntry,
  parameter: ThinkingParameter | undefined,
  leftOut: LeftOutFields,
): boolean {
  if (parameter !== undefined) return parameter.type !== "disabled";
  const thinksOnRequest = entry.thinking === "enabled" || entry.thinking === "adaptive";
  return !thinksOnRequest || [...leftOut].some((field) => field.startsWith("thinking"));
}

function preferredParameter(
  entry: CatalogEntry,
  setting: ThinkingSetting,
  maxTokens: number,
  effort: Effort | undefined,
): ThinkingParameter | undefined {
  if (!entry.known) return explicitParameter(setting, maxTokens);
  switch (entry.thinking) {
    case "none":
      return undefined;
    case "adaptive_always":
      return setting.type === "disabled" ? undefined : adaptive;
    case "enabled":
      return setting.type === "enabled" ? budgetParameter(setting.budgetTokens, maxTokens) : undefined;
    case "adaptive":
      return setting.type === "auto" || setting.type === "adaptive" ? adaptive : explicitParameter(setting, maxTokens);
    case "adaptive_or_disabled":
      if (setting.type !== "disabled") return adaptive;
      return allowsThinkingOff(entry, effort) ? { type: "disabled" } : undefined;
  }
}

/** Switches to the form of thinking that the server has not refused. Returns undefined if it has refused both. */
function acceptedForm(
  parameter: ThinkingParameter | undefined,
  maxTokens: number,
  leftOut: LeftOutFields,
): ThinkingParameter | undefined {
  if (leftOut.has("thinking")) return undefined;
  if (parameter === undefined || parameter.type === "disabled" || !leftOut.has(`thinking.${parameter.type}`))
    return parameter;
  if (parameter.type === "enabled") return leftOut.has("thinking.adaptive") ? undefined : adaptive;
  return leftOut.has("thinking.enabled") ? undefined : budgetParameter(maxTokens * defaultBudgetShare, maxTokens);
}

function explicitParameter(setting: ThinkingSetting, maxTokens: number): ThinkingParameter | undefined {
  if (setting.type === "auto") return undefined;
  return setting.type === "enabled" ? budgetParameter(setting.budgetTokens, maxTokens) : { type: setting.type };
}

/**
 * The budget must be at least 1,024 and below `max_tokens`, part of which is reserved for the answer. If that leaves too little
 * room, there is no thinking.
 */
function budgetParameter(wantedTokens: number, maxTokens: number): ThinkingParameter | undefined {
  const room = mostThinking(maxTokens);
  const tokens = Math.max(minBudgetTokens, Math.min(Math.floor(wantedTokens), room));
  return tokens <= room ? { type: "enabled", budget_tokens: tokens } : undefined;
}

/** Whether the model allows thinking to be off at this effort. */
export function allowsThinkingOff(entry: CatalogEntry, effort: Effort | undefined): boolean {
  if (entry.thinkingOffUpTo === undefined) return true;
  const sent = effortParameter(entry, effort) ?? entry.defaultEffort ?? "high";
  return efforts.indexOf(sent) <= efforts.indexOf(entry.thinkingOffUpTo);
}

/** The requested effort, or the highest below it that the model lists; undefined if the model lists none. */
export function effortParameter(entry: CatalogEntry, effort: Effort | undefined): Effort | undefined {
  if (effort === undefined || entry.efforts.length === 0) return undefined;
  const limit = efforts.indexOf(effort);
  const fitting = efforts.filter((each, rank) => rank <= limit && entry.efforts.includes(each));
  return fitting.at(-1) ?? efforts.find((each) => entry.efforts.includes(each));
}
