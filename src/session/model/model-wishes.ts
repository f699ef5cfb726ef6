/** The user's wishes about models: options first, then the environment, then settings. Invalid values are refused or reported. */
import type { Environment } from "../../lib/environment.ts";
import type { Effort, ThinkingSetting } from "../../protocol/model.ts";
import { efforts } from "../../protocol/effort.ts";
import { refuseIf } from "../options/check-arguments.ts";
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

const thinkingTypes = ["auto", "adaptive", "enabled", "disabled"];
/** The API's minimum. */
const minTaskBudget = 20_000;
/** Used if thinking with a budget is requested without naming the budget. */
const defaultBudgetTokens = 31_999;

/** Throws `UsageError`. */
export function checkModelOptions(options: EngineOptions): void {
  const { effort, thinking, maxThinkingTokens, maxOutputTokens, tokenBudget, taskBudget, speed } = options;
  refuseIf(
    effort !== undefined && !efforts.includes(effort),
    `There is no effort ${String(effort)}: there are ${efforts.join(", ")}.`,
  );
  refuseIf(
    thinking !== undefined && !thinkingTypes.includes(thinking.type),
    `There is no thinking type ${String(thinking?.type)}: there are ${thinkingTypes.join(", ")}.`,
  );
  refuseIf(
    thinking !== undefined && "display" in thinking && !["summarized", "omitted", undefined].includes(thinking.display),
    "thinking.display must be summarized or omitted.",
  );
  const budgetTokens = thinking?.type === "enabled" ? thinking.budgetTokens : undefined;
  refuseIf(
    !isOptionalWholeNumber(budgetTokens, 1_024),
    "thinking.budgetTokens must be a whole number of at least 1024 tokens.",
  );
  refuseIf(
    !isOptionalWholeNumber(maxThinkingTokens, 0),
    "maxThinkingTokens must be a whole number; 0 turns thinking off.",
  );
  refuseIf(!isOptionalWholeNumber(maxOutputTokens, 1), "maxOutputTokens must be a whole number of at least 1.");
  refuseIf(!isOptionalWholeNumber(tokenBudget, 1), "tokenBudget must be a whole number of at least 1 output token.");
  refuseIf(
    taskBudget !== undefined &&
      (taskBudget.total === undefined || !isOptionalWholeNumber(taskBudget.total, minTaskBudget)),
    `taskBudget.total must be a whole number of at least ${minTaskBudget} tokens.`,
  );
  refuseIf(
    speed !== undefined && speed !== "fast" && speed !== "standard",
    `There is no speed ${String(speed)}: there are standard and fast.`,
  );
}

function isOptionalWholeNumber(value: number | undefined, minimum: number): boolean {
  return value === undefined || (Number.isSafeInteger(value) && value >= minimum);
}

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
