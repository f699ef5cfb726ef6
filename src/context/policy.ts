/** What users can change about the context layers, as one value made of defaults, settings and environment. */
import { yesOrNo } from "../lib/yes-or-no.ts";
import { oneLine } from "../lib/sanitize.ts";

export interface ContextPolicy {
  toolResultBudget: boolean;
  snip: boolean;
  microcompact: boolean;
  autoCompact: boolean;
  /** Ask the API for summaries if the model's catalogue entry says it writes them. */
  signedSummaries: boolean;
  contextCollapse: boolean;
  collapseDrain: boolean;
  reactiveCompact: boolean;
  blockingLimit: boolean;
  /** Of the effective window. */
  warnPercent: number;
  autoCompactPercent: number;
  /** From here on, summaries of finished work are prepared in the background. */
  collapsePercent: number;
  /** Auto-compact as if the window were this small, tokens. */
  autoCompactWindow?: number;
  /** The window is assumed to be no larger than this, tokens. */
  maxContextTokens?: number;
  /** Layer 7 blocks this far below the effective window: the smaller of tokens and share. */
  blockingReserve: { tokens: number; share: number };
  /** The verbatim tail after a compaction: the smaller of tokens and share of the effective window. */
  keepRecent: { tokens: number; share: number };
  /** The same after an overflow: larger, so that the part to summarise fits into a request. */
  keepRecentReactive: { tokens: number; share: number };
  /** The share of the effective window that a compaction after an overflow, and the local trim, aim for. */
  trimTargetShare: number;
  /** The share of the request that a compaction must remove to count as progress. */
  minimumShrink: number;
  minimumDrain: number;
  /** Smaller results are never cleared, tokens. */
  clearedResultTokens: number;
  /** How many of the newest large results are never cleared. */
  keptResults: number;
  /** The least that clearing results must save: the smaller of tokens and share of the effective window. */
  minimumClearing: { tokens: number; share: number };
  /** The most future requests that the calculation assumes. */
  expectedRequestsMost: number;
  /** The share of the effective window that a collapse must free below the auto-compact threshold. */
  collapseRoom: number;
  /** The size of a span of finished work, estimated: at least and at most the smaller of tokens and share of the effective window. */
  spanLeast: { tokens: number; share: number };
  spanMost: { tokens: number; share: number };
  /** A summary may be as long as this share of its span. */
  collapsedShare: number;
  /** Output tokens for the summary of a span, thinking included. */
  spanSummaryMaxTokens: number;
  /** How many failed summaries of a span before a local digest is used instead. */
  spanSummaryAttempts: number;
  /** The most summaries that are staged at once. */
  stagedCollapses: number;
  /** Output tokens for a summary. */
  summaryMaxTokens: number;
  summaryTimeLimitMs: number;
  /** How many failed summaries in a row before the session tries no more. */
  failuresUntilStop: number;
  /** The window counts as refilled if it is full again within this many responses after a compaction. */
  refillTurns: number;
  /** How many refills in a row before compaction stops for the rest of the user turn. */
  refillsUntilStop: number;
  /** The most tokens that are reattached after a compaction. */
  reattachTokens: number;
  /** Characters of all tool results of one message. */
  resultCharsPerMessage: number;
  /** Shares of the window left beside system prompt and tools: for one result, and for all results of one message. */
  resultShare: number;
  resultsShare: number;
  /** How many characters of an oversized result stay in the conversation. */
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

/** Switches by the names of layers, and of one method within a layer (`signed_summaries`). */
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

/** Whether requests go to Anthropic's own API. Other servers may refuse unknown parameters, or answer as if they were not there. */
function isAnthropicApi(baseUrl: string | undefined): boolean {
  if (baseUrl === undefined || baseUrl.trim() === "") return true;
  return /(?:^|\.)anthropic\.com$/u.test(URL.parse(baseUrl.trim())?.hostname ?? "");
}

type Range = readonly [least: number, most: number];
const percentRange: Range = [1, 100];
const compactWindowRange: Range = [100_000, 1_000_000];
/** The window of models without the long context option. */
const standardWindow = 200_000;
const windowRange: Range = [1, Number.MAX_SAFE_INTEGER];

const switchVariables = [
  "DISABLE_COMPACT",
  "DISABLE_AUTO_COMPACT",
  "DISABLE_MICROCOMPACT",
  "DISABLE_SNIP",
  "DISABLE_CONTEXT_COLLAPSE",
  "PAWL_SIGNED_SUMMARIES",
];

/** Returns which values of settings and environment `contextPolicy` ignores: sentences for people. */
export function policyProblems(settings: ContextSettings, environment: Record<string, string | undefined>): string[] {
  const variable = (name: string): [string, string | undefined] => [name, environment[name]];
  const figures: [name: string, value: string | number | undefined, range: Range][] = [
    [...variable("PAWL_COLLAPSE_PCT"), percentRange],
    [...variable("CLAUDE_AUTOCOMPACT_PCT_OVERRIDE"), percentRange],
    [...variable("CLAUDE_CODE_AUTO_COMPACT_WINDOW"), compactWindowRange],
    ["autoCompactWindow", settings.autoCompactWindow, compactWindowRange],
    [...variable("CLAUDE_CODE_MAX_CONTEXT_TOKENS"), windowRange],
  ];
  const wrong = figures.filter(
    ([, value, range]) => String(value ?? "").trim() !== "" && parseInRange(value, ...range) === undefined,
  );
  const isUnclear = (text = ""): boolean => text.trim() !== "" && yesOrNo(text) === undefined;
  const unclear = switchVariables.filter((name) => isUnclear(environment[name]));
  const layerNames = (environment["PAWL_LAYERS_OFF"] ?? "").split(",").map((name) => name.trim());
  const unknown = layerNames.filter((name) => name !== "" && !switches.has(name));
  return [
    ...wrong.map(
      ([name, value, [least, most]]) =>
        `${name} was ignored: it must be a number from ${least} to ${most}, not "${oneLine(String(value), 40)}".`,
    ),
    ...unclear.map((name) => `${name} was ignored: it is neither 1 nor 0.`),
    ...unknown.map(
      (name) =>
        `PAWL_LAYERS_OFF: there is no layer "${oneLine(name, 40)}" to switch off; there are ${[...switches.keys()].join(", ")}.`,
    ),
  ];
}

/**
 * Returns the policy. Environment beats settings, and settings beat defaults: `DISABLE_AUTO_COMPACT`, `DISABLE_MICROCOMPACT`,
 * `DISABLE_COMPACT` (both of these, collapses, and compaction after an overflow), `DISABLE_SNIP`, `DISABLE_CONTEXT_COLLAPSE`,
 * `PAWL_COLLAPSE_PCT` (1 to 100), `CLAUDE_CODE_AUTO_COMPACT_WINDOW` (100,000 to 1,000,000), `CLAUDE_AUTOCOMPACT_PCT_OVERRIDE` (1 to 100,
 * can only lower), `CLAUDE_CODE_MAX_CONTEXT_TOKENS`, `CLAUDE_CODE_DISABLE_1M_CONTEXT` (200,000), `PAWL_SIGNED_SUMMARIES` (also on other
 * servers). Values out of range are ignored, as `policyProblems` reports. `PAWL_LAYERS_OFF` switches off any layers, by name, separated by
 * commas.
 */
export function contextPolicy(
  settings: ContextSettings = {},
  environment: Record<string, string | undefined> = {},
): ContextPolicy {
  const disabled = isOn(environment["DISABLE_COMPACT"]);
  const isLongOff = isOn(environment["CLAUDE_CODE_DISABLE_1M_CONTEXT"]);
  const percent = parseInRange(environment["CLAUDE_AUTOCOMPACT_PCT_OVERRIDE"], ...percentRange) ?? 100;
  const maxContextTokens = parseInRange(environment["CLAUDE_CODE_MAX_CONTEXT_TOKENS"], ...windowRange);
  const policy = {
    ...defaultPolicy,
    autoCompact: settings.autoCompactEnabled !== false && !disabled && !isOn(environment["DISABLE_AUTO_COMPACT"]),
    snip: settings.snipEnabled !== false && !isOn(environment["DISABLE_SNIP"]),
    microcompact: settings.microcompactEnabled !== false && !disabled && !isOn(environment["DISABLE_MICROCOMPACT"]),
    contextCollapse:
      settings.contextCollapseEnabled !== false && !disabled && !isOn(environment["DISABLE_CONTEXT_COLLAPSE"]),
    collapsePercent:
      parseInRange(environment["PAWL_COLLAPSE_PCT"], ...percentRange) ??
      parseInRange(settings.contextCollapsePercent, ...percentRange) ??
      defaultPolicy.collapsePercent,
    signedSummaries: isOn(environment["PAWL_SIGNED_SUMMARIES"]) || isAnthropicApi(environment["ANTHROPIC_BASE_URL"]),
    reactiveCompact: !disabled,
    autoCompactPercent: Math.min(defaultPolicy.autoCompactPercent, percent),
    autoCompactWindow:
      parseInRange(environment["CLAUDE_CODE_AUTO_COMPACT_WINDOW"], ...compactWindowRange) ??
      parseInRange(settings.autoCompactWindow, ...compactWindowRange),
    maxContextTokens: isLongOff ? Math.min(maxContextTokens ?? Infinity, standardWindow) : maxContextTokens,
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

function parseInRange(value: string | number | undefined, minimum: number, maximum: number): number | undefined {
  if (value === undefined || String(value).trim() === "") return undefined;
  const number = Number(value);
  return number >= minimum && number <= maximum ? Math.floor(number) : undefined;
}
