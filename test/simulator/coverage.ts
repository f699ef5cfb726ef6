// Which ways on and out were really taken, over many runs. A way that no run took is a failure of the simulator.
import { layers } from "../../src/context/index.ts";
import type { Continue, Terminal } from "../../src/protocol/stop.ts";

const terminals: Record<Terminal["reason"], true> = {
  completed: true,
  max_turns: true,
  aborted_streaming: true,
  aborted_tools: true,
  blocking_limit: true,
  stop_hook_prevented: true,
  hook_stopped: true,
  prompt_too_long: true,
  image_error: true,
  max_budget_usd: true,
  model_error: true,
};

const continues: Record<Continue["reason"], true> = {
  next_turn: true,
  collapse_drain_retry: true,
  reactive_compact_retry: true,
  max_output_tokens_escalate: true,
  max_output_tokens_recovery: true,
  stop_hook_blocking: true,
  token_budget_continuation: true,
};

/** Counts by kind and name. Plain data: workers send it to one another. */
export type Counts = Record<string, number>;

export function count(counts: Counts, kind: string, name: string): void {
  const key = `${kind} ${name}`;
  counts[key] = (counts[key] ?? 0) + 1;
}

export function addCounts(to: Counts, from: Counts): void {
  for (const [key, value] of Object.entries(from)) to[key] = (to[key] ?? 0) + value;
}

/** A drain needs the layer that stages collapses. */
const canStage = layers.some(({ name, apply }) => name === "context_collapse" && apply !== undefined);

/** What must have been seen besides: else whole parts could be switched off without anyone noticing. */
const requiredCounts = [
  "seen calls side by side",
  "seen early start",
  "seen queued input joined",
  "seen model chosen meanwhile",
  "record tombstone",
  "record thinking_stripped",
  "record compact_boundary auto",
  "record compact_boundary reactive",
  "record compact_boundary manual",
  "record snip_boundary",
  "between compact",
  "between /compact",
  "between clear",
  "between snip applied",
  "between snip waiting",
  "between /btw beside a turn",
  "between append",
  "between branch",
  "between resume",
  "between await agents",
  "seen agent asks",
  "seen agent asks again",
  "seen call of an agent",
  "terminal tool_deferred",
  "seen call taken up",
  "seen cut summary",
  "seen result after a fault of the disk",
  "seen given up on a server that has answered",
  "seen question answered",
  "seen tool_use_summary",
  "notice model_fallback",
  "notice thinking_repaired",
  "opening resumed",
  "death process",
  "death power",
];

const everyRequiredCount: readonly string[] = [
  ...requiredCounts,
  ...Object.keys(terminals).map((reason) => `terminal ${reason}`),
  ...Object.keys(continues).map((reason) => `continue ${reason}`),
].filter((reason) => canStage || reason !== "continue collapse_drain_retry");

export function missingCounts(counts: Counts): string[] {
  return everyRequiredCount.filter((reason) => (counts[reason] ?? 0) === 0);
}

/** One line a kind, the most frequent first. */
export function formatCounts(counts: Counts): string[] {
  const kinds = new Map<string, string[]>();
  for (const [key, value] of Object.entries(counts).toSorted(([, one], [, other]) => other - one)) {
    const [kind = "", ...name] = key.split(" ");
    kinds.set(kind, [...(kinds.get(kind) ?? []), `${name.join(" ")} ${value}`]);
  }
  return [...kinds]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([kind, names]) => `${kind}: ${names.join(", ")}`);
}
