// What a run is about, drawn before it begins: the model and its window, the limits, who is nasty.
import type { PermissionMode } from "../../src/protocol/permission.ts";
import { hookEvents, type HookEvent } from "../../src/protocol/hook.ts";
import type { Effort } from "../../src/protocol/model.ts";
import type { EngineOptions } from "../../src/session/options/options.ts";
import type { Choices } from "./choices.ts";
import { drawAgentLimits } from "./agent-plan.ts";

export interface Prices {
  input: number;
  output: number;
}

/** Percentages: how often that happens where it could. */
export interface Moods {
  /** A response that breaks or cannot be had. */
  fault: number;
  /** A response that is cut by the output limit, paused, refused, or empty. */
  oddEnd: number;
  /** A hook that does something else than pass. */
  hook: number;
  /** A tool that fails, hangs, throws, or is huge. */
  badTool: number;
  /** An interruption during a user turn. */
  interrupt: number;
  /** Something to say while a user turn goes on. */
  submit: number;
  /** The end of the process during a user turn. */
  crash: number;
  /** A disk that fails while a process lives. */
  disk: number;
  /** A person's answer other than yes. */
  refusal: number;
  /** Something other than a prompt between two user turns: a compaction by hand, a new beginning, a span taken out. */
  between: number;
  /** A question, or a span taken out, while a user turn goes on. */
  aside: number;
  /** A message with a single call: only such a one can be put off. */
  single: number;
}

export interface Plan {
  theme: string;
  moods: Moods;
  model: string;
  fallbacks: string[];
  /** Null: the model's own. */
  window: number | null;
  /** Of the window: how large that of the fallbacks is. */
  fallbackWindow: number;
  maxOutput: number;
  prices: Prices;
  turns: number;
  maxTurns: number;
  maxRetries: number;
  maxBudgetUsd: number | undefined;
  tokenBudget: number | undefined;
  maxOutputTokens: number | undefined;
  thinking: boolean;
  /** What the session is opened with, and what a person may change it to. */
  thinkingWish: NonNullable<EngineOptions["thinking"]>;
  effort: Effort | undefined;
  durability: "process" | "power";
  permissionMode: PermissionMode;
  /** Every tool may run without a question. */
  isTrusting: boolean;
  hooked: HookEvent[];
  autoCompact: boolean;
  /** Layers of the context that are switched off. */
  layersOff: string[];
  /** Of the window: where collapses are prepared from. */
  collapsePercent: number;
  toolUseSummaries: boolean;
  compact: boolean;
  partialMessages: boolean;
  nested: boolean;
  /** Limits of the agents it may start; null: there are none. */
  crew: ReturnType<typeof drawAgentLimits>;
  stopHookBlocks: number;
}

const calmMoods: Moods = {
  fault: 4,
  oddEnd: 4,
  hook: 5,
  badTool: 8,
  interrupt: 8,
  submit: 12,
  crash: 4,
  disk: 2,
  refusal: 10,
  between: 12,
  aside: 4,
  single: 10,
};

const themes: readonly (readonly [weight: number, theme: { name: string; moods: Partial<Moods> }])[] = [
  [2, { name: "calm", moods: {} }],
  [3, { name: "stormy", moods: { fault: 40, oddEnd: 10 } }],
  [4, { name: "tight", moods: { fault: 8, oddEnd: 10 } }],
  [2, { name: "odd", moods: { oddEnd: 45 } }],
  [2, { name: "poor", moods: { fault: 15 } }],
  [3, { name: "hooked", moods: { hook: 45, interrupt: 12 } }],
  [2, { name: "deferring", moods: { hook: 35, single: 80 } }],
  [2, { name: "hasty", moods: { interrupt: 60, badTool: 20, submit: 30 } }],
  [3, { name: "mortal", moods: { crash: 60, fault: 8, interrupt: 15 } }],
  [2, { name: "worn", moods: { disk: 60, crash: 15, submit: 60 } }],
  [2, { name: "clumsy", moods: { badTool: 60, refusal: 40 } }],
  [2, { name: "tidy", moods: { between: 70, aside: 40, interrupt: 15 } }],
  [1, { name: "nested", moods: { interrupt: 20, badTool: 15 } }],
  [3, { name: "delegating", moods: { interrupt: 20, badTool: 15, fault: 8, crash: 15, between: 50 } }],
];

const layerNames = [
  "tool_result_budget",
  "snip",
  "microcompact",
  "context_collapse",
  "auto_compact",
  "signed_summaries",
  "collapse_drain",
  "reactive_compact",
  "blocking_limit",
];

export const primaryModel = "sim-main";
export const spareModel = "sim-spare";

/** Models of every way to think: always, if asked, within a budget; bound to what stands before it, and not; kept, and dropped. */
const publishedModels = [
  "claude-sonnet-5-5",
  "claude-haiku-4-5",
  "claude-opus-4-6",
  "claude-sonnet-4-5",
  "claude-haiku-5-5",
  "claude-opus-4-5",
  "claude-sonnet-4-6",
  "claude-opus-5",
  "claude-fable-5-1",
];

export function drawPlan(choices: Choices): Plan {
  const theme = choices.weighted(themes);
  const is = (name: string): boolean => theme.name === name;
  const isTight = is("tight") || choices.chance(6);
  const isHooked = is("hooked") || is("deferring") || choices.chance(20);
  const window = isTight ? choices.pick([9_000, 6_000, 5_000, 12_000]) : null;
  const model = choices.weighted([
    [6, primaryModel],
    [2, "claude-sonnet-5-5"],
    [1, "claude-haiku-4-5"],
    [3, choices.pick(publishedModels)],
  ]);
  return {
    theme: theme.name,
    moods: { ...calmMoods, ...theme.moods },
    model,
    fallbacks: choices.chance(30) ? drawFallbacks(choices, model) : [],
    window,
    fallbackWindow: choices.pick([1, 1, 0.7, 2]),
    maxOutput: isTight ? 1_200 : choices.pick([64_000, 16_000]),
    prices: { input: choices.pick([1, 3]), output: choices.pick([5, 15]) },
    turns: choices.between(is("deferring") ? 3 : 1, isTight ? 6 : 4),
    maxTurns: choices.weighted([
      [5, 8],
      [2, 2],
      [1, 1],
      [2, 30],
    ]),
    maxRetries: choices.pick([3, 0, 1, 10]),
    maxBudgetUsd: is("poor") || choices.chance(4) ? choices.pick([0.02, 0.08, 0.15, 0.4]) : undefined,
    tokenBudget: choices.chance(8) ? choices.pick([1_000, 4_000, 12_000]) : undefined,
    maxOutputTokens: choices.chance(10) ? choices.pick([4_000, 1_000, 12_000]) : undefined,
    thinking: choices.chance(40),
    thinkingWish: choices.weighted([
      [6, { type: "auto" }],
      [2, { type: "enabled", budgetTokens: choices.pick([1_024, 3_000, 31_999]) }],
      [1, { type: "enabled" }],
      [1, { type: "disabled" }],
      [1, { type: "adaptive", display: "summarized" }],
    ]),
    effort: choices.pick([undefined, undefined, undefined, "low", "max"]),
    durability: choices.pick(["process", "power"]),
    permissionMode: choices.pick(["default", "acceptEdits", "bypassPermissions", "dontAsk"]),
    isTrusting: !is("clumsy") && !choices.chance(35),
    hooked: isHooked ? hookEvents.filter(() => !choices.chance(is("deferring") ? 10 : 40)) : [],
    autoCompact: !choices.chance(isTight ? 35 : 5),
    layersOff: choices.chance(isTight ? 25 : 8) ? layerNames.filter(() => choices.chance(25)) : [],
    collapsePercent: choices.pick(isTight ? [70, 40, 20] : [70]),
    toolUseSummaries: choices.chance(10),
    compact: !choices.chance(isTight ? 25 : 5),
    partialMessages: choices.chance(25),
    nested: is("nested") || choices.chance(6),
    crew: drawAgentLimits(choices, is("delegating") || choices.chance(5)),
    stopHookBlocks: choices.pick([8, 1, 1, 2]),
  };
}

function drawFallbacks(choices: Choices, model: string): string[] {
  const others = choices.weighted([
    [4, [spareModel]],
    [2, [choices.pick(publishedModels)]],
    [1, [spareModel, choices.pick(publishedModels)]],
    [1, [choices.pick(publishedModels), spareModel]],
  ]);
  return others.filter((other) => other !== model);
}

/** Of a model of this plan, in tokens; null: its own. */
export function windowOf({ model, window, fallbackWindow }: Plan, modelId: string): number | null {
  if (window === null || modelId === model) return window;
  return Math.round(window * fallbackWindow);
}

/** The models that may be asked. */
export function modelsOf({ model, fallbacks }: Plan): string[] {
  return [...new Set([primaryModel, spareModel, model, ...fallbacks])];
}
