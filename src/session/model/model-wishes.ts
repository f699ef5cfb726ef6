/** The user's wishes about models: options first, then the environment, then settings. Invalid values are refused or reported. */
import type { Environment } from "../../lib/environment.ts";
import type { Effort, ThinkingSetting } from "../../protocol/model.ts";
import { efforts } from "../../protocol/effort.ts";
import type { EngineOptions } from "../options/options.ts";
import { variablesOf, type Variables } from "../options/variables.ts";

export interface ModelWishes {
  thinking: ThinkingSetting;
  /** Replaces `thinking` on models that support both a thinking budget and adaptive thinking. */
  fixedThinking?: ThinkingSetting;
  /** The value of `thinking` if the host has changed it since the start of the session. */
  chosenThinking?: ThinkingSetting;
  effort?: Effort;
  maxOutputTokens?: number;
  taskBudget?: { total: number };
  speed?: "fast";
}

/** Used if thinking with a budget is requested without naming the budget. */
const defaultBudgetTokens = 31_999;

export function readWishes(
  options: EngineOptions,
  env: Environment,
  settings: { effortLevel?: Effort; alwaysThinkingEnabled?: boolean },
  notice: (text: string) => void,
): ModelWishes {
  const variables = variablesOf(env, notice);
  return {
    ...thinkingWishes(options, variables, settings.alwaysThinkingEnabled !== false),
    effort: effortWish(options, variables, settings),
    maxOutputTokens: options.maxOutputTokens ?? variables.number("CLAUDE_CODE_MAX_OUTPUT_TOKENS", 1),
    taskBudget: options.taskBudget,
    speed: options.speed === "fast" ? "fast" : undefined,
  };
}

function thinkingWishes(
  options: EngineOptions,
  variables: Variables,
  isOnByDefault: boolean,
): Pick<ModelWishes, "thinking" | "fixedThinking"> {
  const thinking = thinkingWish(options, variables, isOnByDefault);
  if (thinking.type !== "auto" || variables.flag("CLAUDE_CODE_DISABLE_ADAPTIVE_THINKING") !== true) return { thinking };
  return { thinking, fixedThinking: { type: "enabled", budgetTokens: defaultBudgetTokens } };
}

/** `isOnByDefault`: whether to think if neither an option nor a variable decides. */
function thinkingWish(options: EngineOptions, variables: Variables, isOnByDefault: boolean): ThinkingSetting {
  const { thinking, maxThinkingTokens } = options;
  if (thinking?.type === "enabled") return { ...thinking, budgetTokens: thinking.budgetTokens ?? defaultBudgetTokens };
  // The option may say only how thinking is displayed.
  if (thinking !== undefined && (thinking.type !== "auto" || thinking.display === undefined)) return thinking;
  const shown = thinking?.display === undefined ? {} : { display: thinking.display };
  const budgetTokens = maxThinkingTokens ?? requestedBudget(variables) ?? (isOnByDefault ? "own" : 0);
  if (budgetTokens === "own") return { type: "auto", ...shown };
  return budgetTokens === 0 ? { type: "disabled" } : { type: "enabled", budgetTokens, ...shown };
}

/** `own`: explicitly left to the model. */
function requestedBudget(variables: Variables): number | "own" | undefined {
  const isOff = variables.flag("CLAUDE_CODE_DISABLE_THINKING");
  if (isOff === true) return 0;
  return variables.number("MAX_THINKING_TOKENS", 0) ?? (isOff === false ? "own" : undefined);
}

/** `auto` is the model's own effort, regardless of settings. */
function effortWish(
  options: EngineOptions,
  variables: Variables,
  settings: { effortLevel?: Effort },
): Effort | undefined {
  if (options.effort !== undefined) return options.effort;
  const variableEffort = variables.oneOf("CLAUDE_CODE_EFFORT_LEVEL", [...efforts, "auto" as const]);
  return variableEffort === "auto" ? undefined : (variableEffort ?? settings.effortLevel);
}
