/** What a user may change about the defences, as one value made of defaults, settings and environment. */
import { yesOrNo } from "../lib/yes-or-no.ts";
import { oneLine } from "../lib/sanitize.ts";

export interface ContextPolicy {
  toolResultBudget: boolean;
  snip: boolean;
  microcompact: boolean;
  autoCompact: boolean;
  /** Summaries are asked of the API where the model's catalogue entry says it writes them. */
  signedSummaries: boolean;
  contextCollapse: boolean;
  collapseDrain: boolean;
  reactiveCompact: boolean;
  blockingLimit: boolean;
  /** Of the effective window. */
  warnPercent: number;
  autoCompactPercent: number;
  /** From here on summaries of finished work are prepared. */
  collapsePercent: number;
  /** Auto-compact as if the window were this small, tokens. */
  autoCompactWindow?: number;
  /** The window is taken for no larger than this, tokens. */
  maxContextTokens?: number;
  /** Layer 7 blocks this far below the effective window: the smaller of tokens and share. */
  blockingReserve: { tokens: number; share: number };
  /** Verbatim tail after a compaction: the smaller of tokens and share of the effective window. */
  keepRecent: { tokens: number; share: number };
  /** The same after an overflow: larger, so that what is left to summarise fits a request. */
  keepRecentReactive: { tokens: number; share: number };
  /** Share of the effective window that a compaction after an overflow, and the local trim, aim at. */
  trimTargetShare: number;
  /** Share of the request that must be gone for a compaction to count. */
  minimumShrink: number;
  minimumDrain: number;
  /** Results smaller than this stay, tokens. */
  clearedResultTokens: number;
  /** The newest large results stay. */
  keptResults: number;
  /** What leaving results out has to save at least: the smaller of tokens and share of the effective window. */
  minimumClearing: { tokens: number; share: number };
  /** Requests to come that are reckoned with at most. */
  expectedRequestsMost: number;
  /** Share of the effective window that a collapse leaves free below the threshold of auto-compact. */
  collapseRoom: number;
  /** A span of finished work, estimated: at least and at most the smaller of tokens and share of the effective window. */
  spanLeast: { tokens: number; share: number };
  spanMost: { tokens: number; share: number };
  /** A summary may have this share of its span. */
  collapsedShare: number;
  /** Output tokens the summary of a span may have, thinking included. */
  spanSummaryMaxTokens: number;
  /** Failed summaries of a span after which a local digest stands in. */
  spanSummaryAttempts: number;
  /** Most summaries that wait to be needed. */
  stagedCollapses: number;
  /** Output tokens a summary may have. */
  summaryMaxTokens: number;
  summaryTimeLimitMs: number;
  /** Failed summaries in a row after which none is tried again in the session. */
  failuresUntilStop: number;
  /** A window that is full again within so many responses of a compaction has been refilled. */
  refillTurns: number;
  /** Refills in a row after which no more is compacted in the user turn. */
  refillsUntilStop: number;
  /** Tokens of what is attached again after a compaction. */
  reattachTokens: number;
  /** Characters of all tool results of one message. */
  resultCharsPerMessage: number;
  /** Of what the window has room for beside system prompt and tools: what one result may take, and all of one message. */
  resultShare: number;
  resultsShare: number;
  /** Characters of an oversized result that stay in the conversation. */
  previewChars: number;
}

export const defaultPolicy: ContextPolicy = {
  toolResultBudget: true,
  snip: true,
  microcompact: true,
  autoCompact: true,
  signedSummaries: true,
  contextCollapse: true,
  collapseDrain: true,
  reactiveCompact: true,
  blockingLimit: true,
  warnPercent: 80,
  autoCompactPercent: 90,
  collapsePercent: 70,
  blockingReserve: { tokens: 3_000, share: 0.05 },
  keepRecent: { tokens: 30_000, share: 0.15 },
  keepRecentReactive: { tokens: 400_000, share: 0.4 },
  trimTargetShare: 0.5,
  minimumShrink: 0.1,
  minimumDrain: 0.05,
  clearedResultTokens: 1_000,
  keptResults: 3,
  minimumClearing: { tokens: 10_000, share: 0.1 },
  expectedRequestsMost: 40,
  collapseRoom: 0.1,
  spanLeast: { tokens: 2_000, share: 0.1 },
  spanMost: { tokens: 40_000, share: 0.2 },
  collapsedShare: 0.5,
  spanSummaryMaxTokens: 8_000,
  spanSummaryAttempts: 2,
  stagedCollapses: 16,
  summaryMaxTokens: 20_000,
  summaryTimeLimitMs: 5 * 60_000,
  failuresUntilStop: 3,
  refillTurns: 2,
  refillsUntilStop: 3,
  reattachTokens: 50_000,
  resultCharsPerMessage: 200_000,
  resultShare: 0.3,
  resultsShare: 0.6,
  previewChars: 6_000,
};

type Switch = { [Key in keyof ContextPolicy]: ContextPolicy[Key] extends boolean ? Key : never }[keyof ContextPolicy];

/** By the layers' names, and that of one means of a layer. */
const switches: ReadonlyMap<string, Switch> = new Map([
  ["tool_result_budget", "toolResultBudget"],
  ["snip", "snip"],
  ["microcompact", "microcompact"],
  ["context_collapse", "contextCollapse"],
  ["auto_compact", "autoCompact"],
  ["signed_summaries", "signedSummaries"],
  ["collapse_drain", "collapseDrain"],
  ["reactive_compact", "reactiveCompact"],
  ["blocking_limit", "blockingLimit"],
]);

export interface ContextSettings {
  autoCompactEnabled?: boolean;
  autoCompactWindow?: number;
  microcompactEnabled?: boolean;
  snipEnabled?: boolean;
  contextCollapseEnabled?: boolean;
  contextCollapsePercent?: number;
}

/** Other servers may refuse a request for what they do not know, or answer as if it had not been asked. */
function isAnthropics(baseUrl: string | undefined): boolean {
  if (baseUrl === undefined || baseUrl.trim() === "") return true;
  return /(?:^|\.)anthropic\.com$/u.test(URL.parse(baseUrl.trim())?.hostname ?? "");
}

type Range = readonly [least: number, most: number];
const shareRange: Range = [1, 100];
const compactWindowRange: Range = [100_000, 1_000_000];
/** Of models, where it is not the long one. */
const usualWindow = 200_000;
const windowRange: Range = [1, Number.MAX_SAFE_INTEGER];

const onOrOff = [
  "DISABLE_COMPACT",
  "DISABLE_AUTO_COMPACT",
  "DISABLE_MICROCOMPACT",
  "DISABLE_SNIP",
  "DISABLE_CONTEXT_COLLAPSE",
  "PAWL_SIGNED_SUMMARIES",
];

/** What of settings and environment `contextPolicy` passes over: sentences for people. */
export function policyProblems(
  settings: ContextSettings = {},
  environment: Record<string, string | undefined> = {},
): string[] {
  const variable = (name: string): [string, string | undefined] => [name, environment[name]];
  const figures: [name: string, value: string | number | undefined, range: Range][] = [
    [...variable("PAWL_COLLAPSE_PCT"), shareRange],
    [...variable("CLAUDE_AUTOCOMPACT_PCT_OVERRIDE"), shareRange],
    [...variable("CLAUDE_CODE_AUTO_COMPACT_WINDOW"), compactWindowRange],
    ["autoCompactWindow", settings.autoCompactWindow, compactWindowRange],
    [...variable("CLAUDE_CODE_MAX_CONTEXT_TOKENS"), windowRange],
  ];
  const wrong = figures.filter(
    ([, value, range]) => String(value ?? "").trim() !== "" && within(value, ...range) === undefined,
  );
  const isUnclear = (text = ""): boolean => text.trim() !== "" && yesOrNo(text) === undefined;
  const unclear = onOrOff.filter((name) => isUnclear(environment[name]));
  const named = (environment["PAWL_LAYERS_OFF"] ?? "").split(",").map((name) => name.trim());
  const unknown = named.filter((name) => name !== "" && !switches.has(name));
  return [
    ...wrong.map(
      ([name, value, [least, most]]) =>
        `${name} was passed over: it is a number from ${least} to ${most}, not "${oneLine(String(value), 40)}".`,
    ),
    ...unclear.map((name) => `${name} was passed over: it is neither 1 nor 0.`),
    ...unknown.map(
      (name) =>
        `PAWL_LAYERS_OFF: there is no layer "${oneLine(name, 40)}" to switch off; there are ${[...switches.keys()].join(", ")}.`,
    ),
  ];
}

/**
 * Environment over settings over defaults: `DISABLE_AUTO_COMPACT`, `DISABLE_MICROCOMPACT`, `DISABLE_COMPACT` (these, collapses, and what
 * comes after an overflow), `DISABLE_SNIP`, `DISABLE_CONTEXT_COLLAPSE`, `PAWL_COLLAPSE_PCT` (1 to 100),
 * `CLAUDE_CODE_AUTO_COMPACT_WINDOW` (100,000 to 1,000,000), `CLAUDE_AUTOCOMPACT_PCT_OVERRIDE` (1 to 100, can only lower),
 * `CLAUDE_CODE_MAX_CONTEXT_TOKENS`, `CLAUDE_CODE_DISABLE_1M_CONTEXT` (200,000), `PAWL_SIGNED_SUMMARIES` (also at a server of another name). Values out of range are passed
 * over, as `policyProblems` says. `PAWL_LAYERS_OFF` switches any of the layers off, by name, with commas between.
 */
export function contextPolicy(
  settings: ContextSettings = {},
  environment: Record<string, string | undefined> = {},
): ContextPolicy {
  const disabled = isOn(environment["DISABLE_COMPACT"]);
  const isLongOff = isOn(environment["CLAUDE_CODE_DISABLE_1M_CONTEXT"]);
  const percent = within(environment["CLAUDE_AUTOCOMPACT_PCT_OVERRIDE"], ...shareRange) ?? 100;
  const maxContextTokens = within(environment["CLAUDE_CODE_MAX_CONTEXT_TOKENS"], ...windowRange);
  const policy = {
    ...defaultPolicy,
    autoCompact: settings.autoCompactEnabled !== false && !disabled && !isOn(environment["DISABLE_AUTO_COMPACT"]),
    snip: settings.snipEnabled !== false && !isOn(environment["DISABLE_SNIP"]),
    microcompact: settings.microcompactEnabled !== false && !disabled && !isOn(environment["DISABLE_MICROCOMPACT"]),
    contextCollapse:
      settings.contextCollapseEnabled !== false && !disabled && !isOn(environment["DISABLE_CONTEXT_COLLAPSE"]),
    collapsePercent:
      within(environment["PAWL_COLLAPSE_PCT"], ...shareRange) ??
      within(settings.contextCollapsePercent, ...shareRange) ??
      defaultPolicy.collapsePercent,
    signedSummaries: isOn(environment["PAWL_SIGNED_SUMMARIES"]) || isAnthropics(environment["ANTHROPIC_BASE_URL"]),
    reactiveCompact: !disabled,
    autoCompactPercent: Math.min(defaultPolicy.autoCompactPercent, percent),
    autoCompactWindow:
      within(environment["CLAUDE_CODE_AUTO_COMPACT_WINDOW"], ...compactWindowRange) ??
      within(settings.autoCompactWindow, ...compactWindowRange),
    maxContextTokens: isLongOff ? Math.min(maxContextTokens ?? Infinity, usualWindow) : maxContextTokens,
  };
  for (const name of environment["PAWL_LAYERS_OFF"]?.split(",") ?? []) {
    const key = switches.get(name.trim());
    if (key !== undefined) policy[key] = false;
  }
  return policy;
}

function isOn(value: string | undefined): boolean {
  return yesOrNo(value) === true;
}

function within(value: string | number | undefined, least: number, most: number): number | undefined {
  if (value === undefined || String(value).trim() === "") return undefined;
  const number = Number(value);
  return number >= least && number <= most ? Math.floor(number) : undefined;
}
