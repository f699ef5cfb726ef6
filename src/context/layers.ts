/**
 * The context layers in order; read this first. Cheap, lossless layers come first; costly, lossy ones last. Each states what it saves and
 * what that costs, can be switched off, and has its own file. `context.ts` runs the list.
 */
import { autoCompact } from "./auto-compact.ts";
import { blockingLimit } from "./blocking-limit.ts";
import { collapseFinished } from "./collapse.ts";
import { drainCollapses } from "./collapse-drain.ts";
import type { GateLayer, OverflowLayer, PrepareLayer, SourceLayer } from "./layer.ts";
import { limitMedia } from "./media-limit.ts";
import { fitResultMedia } from "./media-source.ts";
import { microcompact } from "./microcompact.ts";
import type { ContextPolicy } from "./policy.ts";
import { reactiveCompact } from "./reactive-compact.ts";
import { snip } from "./snip.ts";
import { boundToolResult } from "./tool-result-budget.ts";

interface LayerFacts {
  number: number;
  name: string;
  saves: string;
  costs: string;
  enabled(policy: ContextPolicy): boolean;
}

/**
 * `source`: applied to a tool's result before it joins the conversation. `prepare`: to the conversation before each request. `overflow`:
 * after the API said the request is too long. `gate`: stops a request that is certain to fail.
 */
export type Layer = LayerFacts &
  (
    | { at: "source"; apply: SourceLayer }
    | { at: "prepare"; apply: PrepareLayer }
    | { at: "overflow"; apply: OverflowLayer }
    | { at: "gate"; apply: GateLayer }
  );

export const layers: readonly Layer[] = [
  {
    number: 0,
    name: "media_fit",
    at: "source",
    saves: "images and documents that would be refused, and the pixels that no model looks at",
    costs: "sharpness of what is scaled down; what cannot be scaled becomes a line that names its file",
    enabled: () => true,
    apply: fitResultMedia,
  },
  {
    number: 0,
    name: "tool_result_budget",
    at: "source",
    saves: "all of an oversized result except 6,000 characters",
    costs: "a file on disk; the model must read it for the middle. No cache: the result was never sent",
    enabled: (policy) => policy.toolResultBudget,
    apply: boundToolResult,
  },
  {
    number: 0,
    name: "media_limit",
    at: "prepare",
    saves: "a request with more images, pages or bytes than the API takes: the oldest media, down to half of that",
    costs: "those media, the prompt cache from the first of them on, and thinking bound to it",
    enabled: () => true,
    apply: limitMedia,
  },
  {
    number: 1,
    name: "snip",
    at: "prepare",
    saves: "a named span of history",
    costs: "that span, the prompt cache after it, and thinking bound to it",
    enabled: (policy) => policy.snip,
    apply: snip,
  },
  {
    number: 2,
    name: "microcompact",
    at: "prepare",
    saves:
      "the content of old, large results of tools that can be run again: at least 10,000 tokens or a tenth of the window",
    costs:
      "that content, the prompt cache after the oldest of them, and thinking bound to it: less than what is saved, or a summary",
    enabled: (policy) => policy.microcompact,
    apply: microcompact,
  },
  {
    number: 3,
    name: "context_collapse",
    at: "prepare",
    saves:
      "spans of finished work except their summaries, at least half of each; as many as it takes to free a tenth of the window",
    costs:
      "from 70 % of the window on a background call of the model over each span; where they are used, the spans' details, the prompt cache from the first of them on, and thinking bound to it",
    enabled: (policy) => policy.contextCollapse,
    apply: collapseFinished,
  },
  {
    number: 4,
    name: "auto_compact",
    at: "prepare",
    saves: "all but the pinned head, a summary and the recent tail: at least a tenth of the request",
    costs: "one call of the model over the cached prefix, the prompt cache after system and tools, details",
    enabled: (policy) => policy.autoCompact,
    apply: autoCompact,
  },
  {
    number: 5,
    name: "collapse_drain",
    at: "overflow",
    saves: "every staged span except its summary: at least a twentieth of the request",
    costs: "the spans' details, the prompt cache from the first of them on, and thinking bound to it",
    enabled: (policy) => policy.contextCollapse && policy.collapseDrain,
    apply: drainCollapses,
  },
  {
    number: 6,
    name: "reactive_compact",
    at: "overflow",
    saves: "what is needed to fit half the window; the images or documents the API refused",
    costs: "as layer 4, and images in what is summarised",
    enabled: (policy) => policy.reactiveCompact,
    apply: reactiveCompact,
  },
  {
    number: 7,
    name: "blocking_limit",
    at: "gate",
    saves: "a request that is certain to be refused",
    costs: "the turn: it ends, and says so",
    enabled: (policy) => policy.blockingLimit,
    apply: blockingLimit,
  },
];
