/** What the user wants of models: options first, then the environment, then settings. What cannot be meant is refused or told. */
import { UsageError } from "../../lib/usage-error.ts";
import type { Effort, ThinkingSetting } from "../../protocol/model.ts";
import { given } from "./credentials.ts";
import { efforts } from "../../settings/keys.ts";
import type { EngineOptions } from "../options.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface ModelWishes {
  thinking: ThinkingSetting;
  /** Instead of `thinking`, on models that think in a budget as well as by themselves. */
  fixedThinking?: ThinkingSetting;
  effort?: Effort;
  maxOutputTokens?: number;
  taskBudget?: { total: number };
  speed?: "fast";
}

const thinkingTypes = ["auto", "adaptive", "enabled", "disabled"];
/** What the API takes. */
const leastTaskBudget = 20_000;
/** Where thinking in a budget is asked for without one. */
const defaultBudgetTokens = 31_999;

/** Throws `UsageError`. */
export function checkModelOptions(options: EngineOptions): void {
  const { effort, thinking, maxThinkingTokens, maxOutputTokens, tokenBudget, taskBudget, speed } = options;
  refuse(
    effort !== undefined && !efforts.includes(effort),
    `There is no effort ${String(effort)}: there are ${efforts.join(", ")}.`,
  );
  refuse(
    thinking !== undefined && !thinkingTypes.includes(thinking.type),
    `There is no thinking ${String(thinking?.type)}: there are ${thinkingTypes.join(", ")}.`,
  );
  refuse(
    thinking !== undefined && "display" in thinking && !["summarized", "omitted", undefined].includes(thinking.display),
    "thinking.display is summarized or omitted.",
  );
  const budgetTokens = thinking?.type === "enabled" ? thinking.budgetTokens : undefined;
  refuse(!isWhole(budgetTokens, 1_024), "thinking.budgetTokens is a whole number of tokens from 1024 on.");
  refuse(!isWhole(maxThinkingTokens, 0), "maxThinkingTokens is a whole number; 0 turns thinking off.");
  refuse(!isWhole(maxOutputTokens, 1), "maxOutputTokens is a whole number from 1 on.");
  refuse(!isWhole(tokenBudget, 1), "tokenBudget is a whole number of output tokens from 1 on.");
  refuse(
    taskBudget !== undefined && (taskBudget.total === undefined || !isWhole(taskBudget.total, leastTaskBudget)),
    `taskBudget.total is a whole number of tokens from ${leastTaskBudget} on.`,
  );
  refuse(
    speed !== undefined && speed !== "fast" && speed !== "standard",
    `There is no speed ${String(speed)}: there are standard and fast.`,
  );
}

function isWhole(value: number | undefined, least: number): boolean {
  return value === undefined || (Number.isSafeInteger(value) && value >= least);
}

function refuse(isWrong: boolean, message: string): void {
  if (isWrong) throw new UsageError(message);
}

export function readWishes(
  options: EngineOptions,
  env: Environment,
  settings: { effortLevel?: Effort },
  notice: (text: string) => void,
): ModelWishes {
  const number = (name: string, least: number): number | undefined => numberIn(env, name, least, notice);
  return {
    ...thinkingWishes(options, env, () => number("MAX_THINKING_TOKENS", 0)),
    effort: options.effort ?? effortIn(env, notice) ?? settings.effortLevel,
    maxOutputTokens: options.maxOutputTokens ?? number("CLAUDE_CODE_MAX_OUTPUT_TOKENS", 1),
    taskBudget: options.taskBudget,
    speed: options.speed === "fast" ? "fast" : undefined,
  };
}

function thinkingWishes(
  options: EngineOptions,
  env: Environment,
  inEnv: () => number | undefined,
): Pick<ModelWishes, "thinking" | "fixedThinking"> {
  const thinking = thinkingWish(options, env, inEnv);
  if (thinking.type !== "auto" || !isOn(env["CLAUDE_CODE_DISABLE_ADAPTIVE_THINKING"])) return { thinking };
  return { thinking, fixedThinking: { type: "enabled", budgetTokens: defaultBudgetTokens } };
}

function thinkingWish(options: EngineOptions, env: Environment, inEnv: () => number | undefined): ThinkingSetting {
  const { thinking, maxThinkingTokens } = options;
  if (thinking?.type === "enabled") return { ...thinking, budgetTokens: thinking.budgetTokens ?? defaultBudgetTokens };
  // How it is shown may be all that is said of it.
  if (thinking !== undefined && (thinking.type !== "auto" || thinking.display === undefined)) return thinking;
  const shown = thinking?.display === undefined ? {} : { display: thinking.display };
  const isOff = maxThinkingTokens === undefined && isOn(env["CLAUDE_CODE_DISABLE_THINKING"]);
  const budgetTokens = isOff ? 0 : (maxThinkingTokens ?? inEnv());
  if (budgetTokens === undefined) return { type: "auto", ...shown };
  return budgetTokens === 0 ? { type: "disabled" } : { type: "enabled", budgetTokens, ...shown };
}

function effortIn(env: Environment, notice: (text: string) => void): Effort | undefined {
  const text = given(env["CLAUDE_CODE_EFFORT_LEVEL"]);
  const effort = efforts.find((each) => each === text);
  if (effort === undefined && text !== undefined)
    notice(`CLAUDE_CODE_EFFORT_LEVEL is passed over: it is none of ${efforts.join(", ")}.`);
  return effort;
}

function numberIn(env: Environment, name: string, least: number, notice: (text: string) => void): number | undefined {
  const text = given(env[name]);
  if (text === undefined) return undefined;
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= least) return number;
  notice(`${name} is passed over: it is no whole number from ${least} on.`);
  return undefined;
}

function isOn(value: string | undefined): boolean {
  return ["1", "true", "yes", "on"].includes(value?.trim().toLowerCase() ?? "");
}
